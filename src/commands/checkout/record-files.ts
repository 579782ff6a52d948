import type { Archive } from '../../archive/archive.ts';
import { toListFields } from '../../cli/flags/field-values.ts';
import { toEntryKind } from '../../cli/flags/references.ts';
import type { CustomField } from '../../contract/custom-fields.ts';
import { type RecordField, toRecordField } from '../../contract/field-table.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { isWritableNoun, type Noun } from '../../contract/singular-nouns.ts';
import { listRecordings, type ReceivedEvent } from '../../export/event-list.ts';
import { escapeControls, renderMeeting } from '../../export/meeting-files.ts';
import { getLabel } from '../../records/label.ts';
import { formatTranscript } from '../../transcripts/transcript.ts';
import type { JsonObject } from '../../values/json-object.ts';
import type { EditContext } from '../edit/edit-nouns.ts';
import { listDocumentFields } from './document-fields.ts';
import { type FindWord, writeDocument } from './documents.ts';
import { entriesFolder, type NamedRecord, nameStatusFolders, toListFolder, toStem } from './places.ts';
import type { FileEntry } from './state.ts';

/** The definitions that the files of a workspace depend on. */
export interface Definitions {
  readonly customFields: Received<CustomField>[];
  readonly lists: Map<string, Received<List>>;
}

export function readDefinitions(archive: Archive): Definitions {
  const values = <N extends Noun>(noun: N) => Array.from(archive.records(noun), ({ value }) => value);
  return {
    customFields: values('customFields'),
    lists: new Map(values('lists').map((list) => [list.id, list])),
  };
}

/** Returns the definitions that the files of a noun depend on. */
export function getContext({ customFields, lists }: Definitions, noun: Noun, listId?: string): EditContext {
  const list = listId === undefined ? undefined : lists.get(listId);
  if (noun === 'entries') return { defined: list ? toListFields(list) : [], ...(list && { list }) };
  const model = noun === 'contacts' ? 'contact' : noun === 'organizations' ? 'organization' : undefined;
  const defined: RecordField[] = customFields
    .filter((field) => field.model === model)
    .map((field) => toRecordField('custom_fields', field));
  return { defined };
}

/** Returns the path of the file of another record: of the organization of a note, or of the list of an entry. */
export type FindPlace = (noun: Noun, id: string) => string | undefined;

/** The content of a file, and the parts of its name. */
export interface RecordFile extends NamedRecord {
  readonly list_id?: string;
  readonly text: string;
  readonly words: Readonly<Record<string, string>>;
}

/** Renders a record of a noun that can be edited; undefined if it has no place, such as an entry of an unknown list. */
export function renderRecordFile(
  noun: Noun,
  record: JsonObject,
  definitions: Definitions,
  findWord: FindWord,
  findPlace: FindPlace,
): RecordFile | undefined {
  if (!isWritableNoun(noun)) return undefined;
  const list_id = noun === 'entries' ? String(record.list_id) : undefined;
  const name = nameRecord(noun, record, definitions, findWord, findPlace);
  if (!name) return undefined;
  const context = getContext(definitions, noun, list_id);
  const document = writeDocument(noun, listDocumentFields(noun, record, context), findWord);
  return { noun, id: String(record.id), ...name, ...document, ...(list_id !== undefined && { list_id }) };
}

const yaml = '.yaml';

function nameRecord(
  noun: Noun,
  record: JsonObject,
  { lists }: Definitions,
  findWord: FindWord,
  findPlace: FindPlace,
): Pick<NamedRecord, 'folder' | 'title' | 'suffix'> | undefined {
  const title = getLabel(noun, record);
  if (noun === 'contacts' || noun === 'organizations') return { folder: noun, title, suffix: yaml };
  if (noun === 'customFields')
    // A model of the contract needs no encoding.
    return {
      folder: `custom-fields/${/^[a-z]+$/.test(String(record.model)) ? record.model : 'other'}`,
      title,
      suffix: yaml,
    };
  if (noun === 'lists') return { folder: noun, title, suffix: '/list.yaml' };
  if (noun === 'notes') {
    const place = findPlace('organizations', String(record.organization_id));
    const date = /^\d{4}-\d\d-\d\d/.exec(String(record.created_at))?.[0] ?? 'undated';
    const words = title.trim().split(/\s+/).slice(0, 6).join(' ');
    return place === undefined
      ? undefined
      : { folder: `organizations/${toStem(place)}/notes`, title: `${date} ${words}`, suffix: '.md' };
  }
  if (noun !== 'entries') return undefined;
  const list = lists.get(String(record.list_id));
  const place = findPlace('lists', String(record.list_id));
  if (!list || place === undefined) return undefined;
  const kind = toEntryKind(list.entry_type ?? record.entryable_type);
  const { name } = findWord(kind, String(record.entryable_id));
  const status = String(record.status ?? '');
  const statuses = (list.statuses ?? []).map(({ name }) => name ?? '');
  const folder = list.process ? (nameStatusFolders(statuses).get(status) ?? 'other') : entriesFolder;
  return {
    folder: `lists/${toListFolder(place)}/${folder}`,
    title: [title, name].filter(Boolean).join(' '),
    suffix: yaml,
  };
}

/** Renders a meeting, and the transcript of each of its recordings. These files cannot be edited. */
export function renderMeetingFiles(archive: Archive, event: ReceivedEvent): RecordFile[] {
  const recordings = listRecordings(event).map(({ id, status }) => {
    const record = archive.find('recordings', id)?.value;
    return { id, status: record?.status ?? (status === 'done' ? 'gone' : status), record };
  });
  const parts = recordings.map(({ id, status, record }) => ({
    id,
    status,
    summary: record?.summary ?? null,
  }));
  const date = /^\d{4}-\d\d-\d\d/.exec(event.start_at)?.[0] ?? 'undated';
  const folder = `meetings/${/^\d{4}/.exec(date)?.[0] ?? 'undated'}`;
  const common = { folder, title: `${date} ${event.title}`, words: {} };
  const meeting = {
    ...common,
    noun: 'events',
    id: event.id,
    suffix: '.md',
    text: renderMeeting(event, parts),
  } as const;
  const transcripts = recordings.flatMap(({ id, record }): RecordFile[] => {
    const text = record ? formatTranscript(record.transcript, { timestamps: true }) : '';
    return text === ''
      ? []
      : [{ ...common, noun: 'recordings', id, suffix: '.transcript.md', text: escapeControls(text) }];
  });
  return [meeting, ...transcripts];
}

/** Whether a backup could not read the record of a file, so that its absence means nothing. */
export function isUnread({ manifest }: Archive, { noun, id, list_id = '' }: FileEntry): boolean {
  const { nouns = [], lists = [], recordings = [] } = manifest.unread ?? {};
  const unread = noun === 'recordings' ? ['recordings', 'events'] : [noun];
  return unread.some((name) => nouns.includes(name)) || lists.includes(list_id) || recordings.includes(id);
}

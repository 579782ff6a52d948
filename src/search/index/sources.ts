import { createServiceReader, readRecording, type WorkspaceReader } from '../../archive/read-workspace.ts';
import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { type CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { contacts } from '../../contract/contacts.ts';
import { entries } from '../../contract/entries.ts';
import { lists } from '../../contract/lists.ts';
import { notes } from '../../contract/notes.ts';
import { organizations } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import type { Recording } from '../../contract/recordings.ts';
import type { PartyNoun, pluralNouns } from '../../contract/singular-nouns.ts';
import { getLabel } from '../../records/label.ts';
import type { Match } from '../find.ts';
import type { Kind } from '../kinds.ts';
import {
  createContactDocument,
  createEntryDocument,
  createMeetingDocument,
  createNoteDocument,
  createOrganizationDocument,
  type IndexDocument,
} from './documents.ts';
import type { Source } from './index-writer.ts';

/** One page of sources, and the number of records in the list, if the service sends it. */
export interface SourceBatch {
  readonly sources: readonly Source[];
  readonly total: number | undefined;
}

/** Names of contacts and organizations by id. */
export interface Names {
  readonly get: (kind: (typeof pluralNouns)[PartyNoun], id: string) => string;
  readonly set: (kind: (typeof pluralNouns)[PartyNoun], id: string, name: string) => void;
}

/** The options for reading sources. */
export interface SourceOptions {
  readonly reader: WorkspaceReader;
  readonly names: Names;
  /** The time after which meetings must have been updated, in seconds since 1970; undefined for all meetings. */
  readonly updatedAfter: number | undefined;
  /** Receives the start time of the list of meetings, by the service's clock. */
  readonly onListed: (at: Date | undefined) => void;
  /** Receives each unreadable recording, and each list with unreadable entries. */
  readonly onSkipped: (kind: 'lists' | 'recordings', id: string) => void;
}

/** Reads the sources of a kind, in batches. Contacts and organizations come first, because others show their names. */
export const readSources: Readonly<Record<Kind, (options: SourceOptions) => AsyncGenerator<SourceBatch>>> = {
  async *contacts({ reader, names }) {
    yield* toSources(reader.pages('contacts'), (contact, text) => {
      names.set('contacts', contact.id, getLabel('contacts', contact));
      const organization = names.get('organizations', contact.organization_id ?? '');
      const read = () => createContactDocument(contact, organization);
      return { id: contact.id, state: `${organization}\n${text}`, read };
    });
  },
  async *organizations({ reader, names }) {
    yield* toSources(reader.pages('organizations'), (organization, text) => {
      names.set('organizations', organization.id, getLabel('organizations', organization));
      return { id: organization.id, state: text, read: () => createOrganizationDocument(organization) };
    });
  },
  async *notes({ reader, names }) {
    yield* toSources(reader.pages('notes'), (note, text) => {
      const name = names.get('organizations', note.organization_id);
      return { id: note.id, state: `${name}\n${text}`, read: () => createNoteDocument(note, name) };
    });
  },
  async *entries({ reader, names, onSkipped }) {
    for await (const batch of reader.entries((list) => onSkipped('lists', list))) {
      const { id: parent, name: listName } = batch.list;
      yield toBatch(batch, (entry, text) => {
        const kind = entry.entryable_type === 'Organization' ? 'organizations' : 'contacts';
        const name = names.get(kind, entry.entryable_id);
        const read = () => createEntryDocument(entry, listName, name);
        return { id: entry.id, parent, state: `${listName}\n${name}\n${text}`, read };
      });
    }
  },
  async *meetings({ reader, updatedAfter, onListed, onSkipped }) {
    let isFirst = true;
    for await (const batch of reader.meetings(updatedAfter)) {
      if (isFirst) onListed(batch.at);
      isFirst = false;
      yield toBatch(batch, (event, text) => ({
        id: event.id,
        state: text,
        read: async () => readMeeting(reader, event, (id) => onSkipped('recordings', id)),
      }));
    }
  },
};

async function* toSources<T>(
  batches: AsyncIterable<Batch<T>>,
  toSource: (value: T, text: string) => Source,
): AsyncGenerator<SourceBatch> {
  for await (const batch of batches) yield toBatch(batch, toSource);
}

function toBatch<T>({ records, total }: Batch<T>, toSource: (value: T, text: string) => Source): SourceBatch {
  return { sources: records.map(({ value, text }) => toSource(value, text)), total };
}

/** Reads the recordings of a meeting that are done. */
async function readMeeting(
  reader: Pick<WorkspaceReader, 'recording'>,
  event: Received<CalendarEvent>,
  onSkipped: (recording: string) => void,
): Promise<{ document: IndexDocument; isPartial: boolean }> {
  const doneRecordings = event.recordings.filter(({ status }) => status === 'done');
  const results: Received<Recording>[] = [];
  for (const { id } of doneRecordings) {
    const recording = await readRecording(reader, id);
    if (recording) results.push(recording.value);
    else onSkipped(id);
  }
  const isPartial = results.length < doneRecordings.length;
  return { document: createMeetingDocument(event, results), isPartial };
}

/** Returns a function that reads the texts of one record from the service. @throws {Failure} not_found if it was deleted */
export function createDocumentReader(
  client: Client,
): (place: Pick<Match, 'kind' | 'id' | 'parent'>) => Promise<IndexDocument> {
  const readContact = (contact_id: string) => client.read(contacts.get, { contact_id });
  const readOrganization = (organization_id: string) => client.read(organizations.get, { organization_id });
  const readers: Readonly<Record<Kind, (id: string, parent: string) => Promise<IndexDocument>>> = {
    contacts: async (id) => {
      const contact = await readContact(id);
      const organization = contact.organization_id && (await readOrganization(contact.organization_id));
      return createContactDocument(contact, organization ? getLabel('organizations', organization) : '');
    },
    organizations: async (id) => createOrganizationDocument(await readOrganization(id)),
    notes: async (note_id) => {
      const note = await client.read(notes.get, { note_id });
      return createNoteDocument(
        note,
        getLabel('organizations', await readOrganization(note.organization_id)),
      );
    },
    entries: async (id, list_id) => {
      const entry = await client.read(entries.get, { list_id, id });
      const list = await client.read(lists.get, { list_id });
      const { entryable_id: of } = entry;
      const isOrganization = entry.entryable_type === 'Organization';
      const name = isOrganization
        ? getLabel('organizations', await readOrganization(of))
        : getLabel('contacts', await readContact(of));
      return createEntryDocument(entry, list.name, name);
    },
    meetings: async (id) =>
      (
        await readMeeting(
          createServiceReader(client),
          await client.read(calendarEvents.get, { id }),
          () => {},
        )
      ).document,
  };
  return ({ kind, id, parent }) => readers[kind](id, parent ?? '');
}

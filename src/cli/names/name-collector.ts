import type { RecordObserver } from '../../client/client.ts';
import { type CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { type Contact, contacts } from '../../contract/contacts.ts';
import { type CustomField, customFields } from '../../contract/custom-fields.ts';
import { type Entry, entries } from '../../contract/entries.ts';
import type { FieldDefinition } from '../../contract/fields.ts';
import { type List, lists } from '../../contract/lists.ts';
import { type Note, notes } from '../../contract/notes.ts';
import { type Organization, organizations } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import type { ListedNoun } from '../../contract/singular-nouns.ts';
import { listFullNames } from '../../records/label.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import {
  type FieldName,
  findNames,
  listNamedRecords,
  type NameCache,
  type NameChange,
  type NamedRecord,
  writeNames,
} from '../../settings/name-cache.ts';
import { isObject } from '../../values/json-object.ts';
import type { PathIds } from './path-ids.ts';

/** Maximum number of characters that are cached of a title, and of a note. */
const maxLengths = { title: 100, note: 60 };

/** Maximum number of records to buffer before they are written. */
const maxPending = 2000;

/** Maximum number of records that a run parses for their names alone: a long list as NDJSON needs no other parsing. */
const maxCollected = 2000;

interface CollectedNoun {
  readonly noun: ListedNoun;
  readonly toNames: (record: never) => Omit<NamedRecord, 'id'>;
}

/** The nouns by their list's path. */
const nouns: Readonly<Record<string, CollectedNoun>> = {
  [contacts.list.path]: { noun: 'contacts', toNames: toContactNames },
  [organizations.list.path]: { noun: 'organizations', toNames: toOrganizationNames },
  [lists.list.path]: { noun: 'lists', toNames: toListNames },
  [customFields.list.path]: { noun: 'customFields', toNames: toFieldNames },
  [entries.list.path]: { noun: 'entries', toNames: toEntryNames },
  [notes.list.path]: { noun: 'notes', toNames: toNoteNames },
  [calendarEvents.list.path]: { noun: 'events', toNames: toMeetingNames },
};

/** Collects the names in the responses of a run, and writes them to the workspace's name cache. */
export class NameCollector {
  readonly #openCache: () => Promise<NameCache>;
  readonly #lists = new Map<string, NamedRecord>();
  #cache: NameCache | undefined;
  #pending: NameChange[] = [];
  #count = 0;
  #remaining = maxCollected;
  /** Whether the run has only read records one by one, by id. */
  #isSingleRead = true;

  constructor(openCache: () => Promise<NameCache>) {
    this.#openCache = openCache;
  }

  /** Returns a collector for another workspace. */
  withCache(cache: NameCache): NameCollector {
    return new NameCollector(async () => cache);
  }

  /** Collects the names of all records of this run. */
  collectAll(): void {
    this.#remaining = Number.POSITIVE_INFINITY;
  }

  async open(): Promise<NameCache> {
    this.#cache ??= await this.#openCache();
    return this.#cache;
  }

  /** Collects the names of records. `pathIds` has the ids of the words in `input`. */
  add(...[route, input, records, isAll, pathIds]: [...Parameters<RecordObserver>, pathIds?: PathIds]): void {
    const [, list = route.path, idName = ''] = /^(.*)\/:(\w+)$/.exec(route.path) ?? [];
    const collected = nouns[list];
    if (!collected) return;
    const { noun, toNames } = collected;
    const isCollected = this.#remaining > 0 || noun === 'lists';
    this.#remaining -= records.length;
    const named = (isCollected ? records : []).flatMap(({ value }): NamedRecord[] =>
      isObject(value) && typeof value.id === 'string' && value.id !== ''
        ? [{ id: value.id, ...toNames(value as never) }] // the client has checked the shape
        : [],
    );
    this.#isSingleRead &&= route.method === 'GET' && idName !== '';
    const isDeletion = route.method === 'DELETE' && route.output === null;
    const id = String(input[idName]);
    const deletedIds = isDeletion ? [pathIds?.getId(list.slice('/v1/'.length), id) ?? id] : [];
    if (noun === 'lists') {
      for (const list of named) this.#lists.set(list.id, list);
      for (const id of deletedIds) this.#lists.delete(id);
    }
    // The entries of one list are not all entries.
    const isAllOfNoun = isAll && isCollected && noun !== 'entries';
    // Most pages of a long list have no names to write. A statement for each page would take as long as all names.
    if (named.length > 0 || deletedIds.length > 0 || isAllOfNoun)
      this.#pending.push({ noun, records: named, isAll: isAllOfNoun, deletedIds });
    this.#count += named.length;
    if (this.#count > maxPending) this.flush();
  }

  /** Writes the collected names at the end of the run. Skipped for scripts that read single records, to save time. */
  close(isPerson: boolean): void {
    if (isPerson || !this.#isSingleRead) this.flush();
  }

  flush(): void {
    if (this.#cache && this.#pending.length > 0) writeNames(this.#cache, this.#pending);
    this.#pending = [];
    this.#count = 0;
  }

  /** Returns a noun's newest records in the cache with a name or address that begins with a text, in any case. */
  async findNamed(noun: ListedNoun, start: string, limit: number): Promise<readonly NamedRecord[]> {
    const cache = await this.open();
    this.flush();
    return findNames(cache, noun, start, limit);
  }

  /** Returns the lists that this run or an earlier run has seen, even if the cache is not writable. */
  async listLists(): Promise<readonly NamedRecord[]> {
    const cached = listNamedRecords(await this.open(), 'lists').filter(({ id }) => !this.#lists.has(id));
    return [...cached, ...this.#lists.values()];
  }
}

/** References accept a contact's name with either part first. */
function toContactNames(contact: Received<Contact>) {
  return { names: toDistinct(listFullNames(contact)), addresses: contact.emails };
}

function toOrganizationNames({ name, domains }: Received<Organization>) {
  return { names: toDistinct([name ?? '']), addresses: domains };
}

function toListNames({ name, identifier, statuses = [], fields = [] }: Received<List>) {
  return {
    names: toDistinct([name]),
    ...(identifier && { identifier }),
    statuses: statuses.map(({ name }) => name),
    fields: fields.flatMap(toField),
  };
}

function toFieldNames(field: Received<CustomField>) {
  return { names: toDistinct([field.name]), fields: toField(field) };
}

function toEntryNames({ key, status, list_id }: Received<Entry>) {
  return { names: toDistinct([key ?? '']), description: status ?? '', list: list_id };
}

function toMeetingNames({ title, start_at }: Received<CalendarEvent>) {
  return { names: toDistinct([copyStart(title, maxLengths.title)]), description: start_at.slice(0, 10) };
}

function toNoteNames({ id, body }: Received<Note>) {
  return { names: [id], description: collapseWhitespace(copyStart(body, maxLengths.note)) };
}

/** Copies the start of a text: a slice would keep the whole text in memory. */
const copyStart = (text: string, length: number) =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();

/** Returns a field in its cached form; no field if it has no name. */
function toField({
  name,
  model,
  options = [],
}: Received<FieldDefinition> & { readonly model?: CustomField['model'] | null }): FieldName[] {
  return name === '' ? [] : [{ name, ...(model && { model }), options }];
}

const toDistinct = (names: readonly string[]) => [
  ...new Set(names.map((name) => name.trim()).filter((name) => name !== '')),
];

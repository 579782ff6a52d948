import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { entries } from '../contract/entries.ts';
import { isRecordFailure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import { once } from '../values/concurrency.ts';
import { findDefinedValue, listDefinedValues } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { maxRelated } from './losses.ts';
import { type Noun, nouns, type RecordPath, toPathKey } from './nouns.ts';

/** Records per request of these reads. */
const pageSize = 500;

/** A record that a deletion also deletes, or values that it clears in another record. */
export type Related = RecordPath & ({ readonly record: JsonObject } | { readonly body: JsonObject });

/** Receives related records as their pages arrive. */
type OnRelated = (related: readonly Related[]) => Promise<void> | void;

/** Reads the records that a deletion affects. Returns the kinds that could not be read. */
export type RelatedReader = (path: RecordPath, record: JsonObject, onRelated: OnRelated) => Promise<string[]>;

/** The nouns whose custom fields may refer to contacts. */
type MentioningNoun = 'contact' | 'organization';

/** A list is longer than we read. */
class TooManyError extends Error {}

function returnTooMany(error: unknown): TooManyError {
  if (error instanceof TooManyError) return error;
  throw error;
}

interface RelatedOptions {
  /** The maximum number of records of each kind. */
  readonly limit?: number;
  /** Whether the caller may request the related records of a path. Default: every path. */
  readonly isOwner?: (path: RecordPath) => boolean;
}

/** Referring records, by the path of the record that they refer to. */
type RelatedIndex = Map<string, Related[]>;

/** Reads whole lists once, up to `limit` records of each kind. */
class RelatedLists {
  readonly #client: Client;
  readonly #limit: number;
  readonly #isOwner: (path: RecordPath) => boolean;

  readonly entries = readOnce(async () => {
    const all = await this.#readAll(lists.list);
    return this.#readIndex(
      all.map(({ id }) => [entries.list, { list_id: id }]),
      (entry, { list_id }) => relateEntry(entry, String(list_id)),
    );
  });

  readonly notes = readOnce(() => this.#readIndex([[notes.list, {}]], relateNote));

  /** The contacts of organizations. */
  readonly colleagues = readOnce(() => this.#readIndex([[contacts.list, {}]], relateColleague));

  /** The contacts and organizations with fields that refer to contacts. */
  readonly mentions = readOnce(async () => {
    const fields = await this.#readAll(customFields.list);
    const index: RelatedIndex = new Map();
    for (const what of ['contact', 'organization'] as const)
      if (fields.some(({ data_type, model }) => data_type === 'contact' && model === what))
        await this.#readIndex([[nouns[what].list, {}]], (record) => relateMentions(what, record), index);
    return index;
  });

  readonly contact = readOnce(() => this.#readAll(contacts.list));

  readonly organization = readOnce(() => this.#readAll(organizations.list));

  constructor(client: Client, { limit = maxRelated, isOwner = () => true }: RelatedOptions) {
    this.#client = client;
    this.#limit = limit;
    this.#isOwner = isOwner;
  }

  readEntryPages(list_id: string): AsyncGenerator<JsonObject[]> {
    return this.#readPages(entries.list, { list_id });
  }

  async *#readPages(
    route: Route,
    input: JsonObject,
    budget = { left: this.#limit },
  ): AsyncGenerator<JsonObject[]> {
    for await (const { records, total = 0 } of this.#client.pages(route, input, { size: pageSize })) {
      budget.left -= records.length;
      if (budget.left < 0 || total > this.#limit) throw new TooManyError();
      yield records.map(({ value }) => readObject(value));
    }
  }

  async #readAll(route: Route): Promise<JsonObject[]> {
    const all: JsonObject[] = [];
    for await (const page of this.#readPages(route, {})) all.push(...page);
    return all;
  }

  /** Reads lists and indexes their records by owner. `relate` returns the owners that a record refers to. */
  async #readIndex(
    routes: readonly (readonly [Route, JsonObject])[],
    relate: (record: JsonObject, input: JsonObject) => readonly Relation[],
    index: RelatedIndex = new Map(),
  ): Promise<RelatedIndex> {
    const budget = { left: this.#limit };
    for (const [route, input] of routes)
      for await (const page of this.#readPages(route, input, budget))
        for (const { owner, related } of page.flatMap((record) => relate(record, input))) {
          if (!this.#isOwner(owner)) continue;
          const key = toPathKey(owner);
          const known = index.get(key);
          if (known) known.push(related);
          else index.set(key, [related]);
        }
    return index;
  }
}

/** Returns a function that reads only once, even if the list is too long. */
function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  const load = once(() => read().catch(returnTooMany));
  return async () => {
    const result = await load();
    if (result instanceof TooManyError) throw result;
    return result;
  };
}

/** The name of a kind of related records, and how to read them. */
type RelatedSource = readonly [name: string, read: () => Promise<readonly Related[]>];

/** Returns the sources for the deletion of a contact, an organization or a custom field. */
function listRelatedSources(
  lists: RelatedLists,
  path: RecordPath,
  { name, model }: JsonObject,
): RelatedSource[] {
  const find = (read: () => Promise<RelatedIndex>) => async () => (await read()).get(toPathKey(path)) ?? [];
  switch (path.what) {
    case 'contact':
      return [
        ['entries', find(lists.entries)],
        ['references in fields of type contact', find(lists.mentions)],
      ];
    case 'organization':
      return [
        ['entries', find(lists.entries)],
        ['notes', find(lists.notes)],
        ['the organization fields of its contacts', find(lists.colleagues)],
      ];
    case 'custom_field':
      return [['values', () => findFieldValues(lists, String(name), model)]];
    default:
      return [];
  }
}

/** An owner, and a record that refers to it. */
export interface Relation {
  readonly owner: RecordPath;
  readonly related: Related;
}

const toRelated =
  (what: Noun) =>
  (record: JsonObject): Related => ({ what, id: String(record.id), record });

/** Returns the contact or organization of an entry, and the contacts in its fields. */
export function relateEntry(record: JsonObject, list_id: string): Relation[] {
  const path = { what: 'entry', list_id, id: String(record.id) } as const;
  const what = record.entryable_type === 'Organization' ? 'organization' : 'contact';
  const owner: RecordPath = { what, id: String(record.entryable_id) };
  const mentioned = new Set([record.contact_id, ...listMentions(record.list_fields)].filter(isId));
  if (what === 'contact') mentioned.delete(owner.id ?? '');
  const relateMention = (id: string): Relation => {
    const list_fields = pickMentions(record.list_fields, id);
    const body = {
      ...(record.contact_id === id && { contact_id: id }),
      ...(list_fields.length > 0 && { list_fields }),
    };
    return { owner: { what: 'contact', id }, related: { ...path, body } };
  };
  return [{ owner, related: { ...path, record } }, ...[...mentioned].map(relateMention)];
}

/** Returns the contacts in the custom fields of a contact or an organization. */
export function relateMentions(what: MentioningNoun, record: JsonObject): Relation[] {
  return [...new Set(listMentions(record.custom_fields))].filter(isId).map((id) => ({
    owner: { what: 'contact', id },
    related: { what, id: String(record.id), body: { custom_fields: pickMentions(record.custom_fields, id) } },
  }));
}

/** Returns the organization of a note, with the note. */
const relateNote = (record: JsonObject): Relation[] => [
  { owner: { what: 'organization', id: String(record.organization_id) }, related: toRelated('note')(record) },
];

/** Returns the organization of a contact, with the value that refers to it. */
const relateColleague = ({ id, organization_id }: JsonObject): Relation[] =>
  isId(organization_id)
    ? [
        {
          owner: { what: 'organization', id: organization_id },
          related: { what: 'contact', id: String(id), body: { organization_id } },
        },
      ]
    : [];

const isId = (value: unknown): value is string => typeof value === 'string';

/** Returns the values of all fields that refer to contacts. */
const listMentions = (container: unknown): unknown[] =>
  listDefinedValues(container).flatMap(({ dataType, value }) =>
    dataType === 'contact' ? [value].flat() : [],
  );

const pickMentions = (container: unknown, id: string) =>
  listDefinedValues(container)
    .filter(({ dataType, value }) => dataType === 'contact' && [value].flat().includes(id))
    .map(({ name, value }) => ({ name, value }));

/** Finds the values of a custom field. Those of deals are unknown: the interface does not show deals. */
async function findFieldValues(lists: RelatedLists, name: string, model: unknown): Promise<Related[]> {
  if (model !== 'contact' && model !== 'organization') return [];
  return (await lists[model]()).flatMap((record): Related[] => {
    const value = findDefinedValue(record.custom_fields, name);
    return value === null
      ? []
      : [{ what: model, id: String(record.id), body: { custom_fields: [{ name, value }] } }];
  });
}

/**
 * Creates a reader. The interface has no filter for references, so the reader reads whole lists. It reads each list
 * once, even if several deletions need it.
 */
export function createRelatedReader(client: Client, options: RelatedOptions = {}): RelatedReader {
  const lists = new RelatedLists(client, options);
  return async (path, record, onRelated) => {
    const { what, id = '' } = path;
    const missing: string[] = [];
    const tryRead = async (name: string, read: () => Promise<void>) => {
      try {
        await read();
      } catch (error) {
        if (!(error instanceof TooManyError) && !isRecordFailure(error)) throw error;
        missing.push(name);
      }
    };
    if (what === 'list')
      await tryRead('entries', async () => {
        for await (const page of lists.readEntryPages(id))
          await onRelated(page.map((entry) => ({ ...toRelated('entry')(entry), list_id: id })));
      });
    for (const [name, read] of listRelatedSources(lists, path, record))
      await tryRead(name, async () => onRelated(await read()));
    return missing;
  };
}

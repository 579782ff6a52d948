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

/** The nouns with custom fields that may name contacts. */
type MentioningNoun = 'contact' | 'organization';

/** A list is longer than we read. */
class TooManyError extends Error {}

function returnTooMany(error: unknown): TooManyError {
  if (error instanceof TooManyError) return error;
  throw error;
}

/** The lists in which related records are found. */
type Lists = ReturnType<typeof createLists>;

interface RelatedOptions {
  /** The maximum number of records of each kind. */
  readonly limit?: number;
  /** Whether a record may be asked for; if omitted, any may be. */
  readonly isOwner?: (path: RecordPath) => boolean;
}

/** The records that refer to others, by the path of the record that they refer to. */
type RelatedIndex = ReadonlyMap<string, readonly Related[]>;

/** Returns functions that read whole lists, up to `limit` records of each kind, once. */
function createLists(client: Client, { limit = maxRelated, isOwner = () => true }: RelatedOptions) {
  const readPages = async function* (route: Route, input: JsonObject, budget = { left: limit }) {
    for await (const { records, total = 0 } of client.pages(route, input, { size: pageSize })) {
      budget.left -= records.length;
      if (budget.left < 0 || total > limit) throw new TooManyError();
      yield records.map(({ value }) => readObject(value));
    }
  };
  const readAll = async (route: Route) => {
    const all: JsonObject[] = [];
    for await (const page of readPages(route, {})) all.push(...page);
    return all;
  };
  /** Returns a function that reads once, also if the list is too long. */
  const readOnce = <T>(read: () => Promise<T>) => {
    const load = once(() => read().catch(returnTooMany));
    return async () => {
      const result = await load();
      if (result instanceof TooManyError) throw result;
      return result;
    };
  };
  /** Reads records and returns what refers to others, by owner. `relate`: what a record is to each of its owners. */
  const readIndex = async (
    routes: readonly (readonly [Route, JsonObject])[],
    relate: (record: JsonObject, input: JsonObject) => readonly Relation[],
    index = new Map<string, Related[]>(),
  ): Promise<RelatedIndex> => {
    const budget = { left: limit };
    for (const [route, input] of routes)
      for await (const page of readPages(route, input, budget))
        for (const { owner, related } of page.flatMap((record) => relate(record, input))) {
          if (!isOwner(owner)) continue;
          const key = toPathKey(owner);
          const known = index.get(key);
          if (known) known.push(related);
          else index.set(key, [related]);
        }
    return index;
  };
  const fields = readOnce(() => readAll(customFields.list));
  return {
    readEntryPages: (list_id: string) => readPages(entries.list, { list_id }),
    entries: readOnce(async () => {
      const routes = (await readAll(lists.list)).map(({ id }) => [entries.list, { list_id: id }] as const);
      return readIndex(routes, (entry, { list_id }) => relateEntry(entry, String(list_id)));
    }),
    notes: readOnce(() => readIndex([[notes.list, {}]], relateNote)),
    colleagues: readOnce(() => readIndex([[contacts.list, {}]], relateColleague)),
    mentions: readOnce(async () => {
      const index = new Map<string, Related[]>();
      const models = (await fields()).filter(({ data_type }) => data_type === 'contact');
      for (const what of ['contact', 'organization'] as const)
        if (models.some(({ model }) => model === what))
          await readIndex([[nouns[what].list, {}]], (record) => relateMentions(what, record), index);
      return index;
    }),
    contact: readOnce(() => readAll(contacts.list)),
    organization: readOnce(() => readAll(organizations.list)),
  };
}

/** The name of a kind of related records, and how to read them. */
type RelatedSource = readonly [name: string, read: () => Promise<readonly Related[]>];

/** Returns the sources for the deletion of a contact, an organization or a custom field. */
function listRelatedSources(lists: Lists, path: RecordPath, { name, model }: JsonObject): RelatedSource[] {
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

/** A record, and what else refers to it. */
export interface Relation {
  readonly owner: RecordPath;
  readonly related: Related;
}

const toRelated =
  (what: Noun) =>
  (record: JsonObject): Related => ({ what, id: String(record.id), record });

/** Returns the contact or organization of an entry, and the contacts that it names. */
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

/** Returns the contacts that the custom fields of a contact or an organization name. */
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

/** Returns the organization of a contact, with the value that names it. */
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

/** Returns the values of all fields that name contacts. */
const listMentions = (container: unknown): unknown[] =>
  listDefinedValues(container).flatMap(({ dataType, value }) =>
    dataType === 'contact' ? [value].flat() : [],
  );

const pickMentions = (container: unknown, id: string) =>
  listDefinedValues(container)
    .filter(({ dataType, value }) => dataType === 'contact' && [value].flat().includes(id))
    .map(({ name, value }) => ({ name, value }));

/** Finds the values of a custom field. Those of deals are unknown: the interface does not show deals. */
async function findFieldValues(lists: Lists, name: string, model: unknown): Promise<Related[]> {
  if (model !== 'contact' && model !== 'organization') return [];
  return (await lists[model]()).flatMap((record): Related[] => {
    const value = findDefinedValue(record.custom_fields, name);
    return value === null
      ? []
      : [{ what: model, id: String(record.id), body: { custom_fields: [{ name, value }] } }];
  });
}

/**
 * Creates a reader. The interface has no filter for references, so it reads whole lists; those that several deletions
 * need are read once.
 */
export function createRelatedReader(client: Client, options: RelatedOptions = {}): RelatedReader {
  const lists = createLists(client, options);
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

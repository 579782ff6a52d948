import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { entries } from '../contract/entries.ts';
import { isRecordFailure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { type EntryType, lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import { once } from '../values/concurrency.ts';
import { findDefinedValue, listDefinedValues } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { maxRelated } from './losses.ts';
import type { Noun, RecordPath } from './nouns.ts';

/** Records per request of these reads. */
const pageSize = 500;

/** A record that a deletion also deletes, or values that it clears in another record. */
export type Related = RecordPath & ({ readonly record: JsonObject } | { readonly body: JsonObject });

/** Receives related records as their pages arrive. */
type OnRelated = (related: readonly Related[]) => Promise<void> | void;

/** Reads the records that a deletion affects. Returns the kinds that could not be read. */
export type RelatedReader = (path: RecordPath, record: JsonObject, onRelated: OnRelated) => Promise<string[]>;

/** A list is longer than we read. */
class TooManyError extends Error {}

function returnTooMany(error: unknown): TooManyError {
  if (error instanceof TooManyError) return error;
  throw error;
}

/** The lists in which related records are found. */
type Lists = ReturnType<typeof createLists>;

/** Returns functions that read whole lists, up to `limit` records of each kind, once. */
function createLists(client: Client, limit: number) {
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
  return {
    readEntryPages: (list_id: string) => readPages(entries.list, { list_id }),
    entries: readOnce(async () => {
      const all: JsonObject[] = [];
      const budget = { left: limit };
      for (const { id } of await readAll(lists.list))
        for await (const page of readPages(entries.list, { list_id: id }, budget))
          all.push(...page.map((entry) => ({ ...entry, list_id: id })));
      return all;
    }),
    notes: readOnce(() => readAll(notes.list)),
    contact: readOnce(() => readAll(contacts.list)),
    organization: readOnce(() => readAll(organizations.list)),
    fields: readOnce(() => readAll(customFields.list)),
  };
}

/** The name of a kind of related records, and how to read them. */
type RelatedSource = readonly [name: string, read: () => Promise<readonly Related[]>];

/** Returns the sources for the deletion of a contact, an organization or a custom field. */
function listRelatedSources(
  lists: Lists,
  { what, id = '' }: RecordPath,
  { name, model }: JsonObject,
): RelatedSource[] {
  switch (what) {
    case 'contact':
      return [
        ['entries', () => findEntries(lists, id, 'Contact')],
        ['references in fields of type contact', () => findMentions(lists, id)],
      ];
    case 'organization':
      return [
        ['entries', () => findEntries(lists, id, 'Organization')],
        ['notes', async () => (await lists.notes()).filter(belongsTo(id)).map(toRelated('note'))],
        [
          'the organization fields of its contacts',
          async () =>
            (await lists.contact())
              .filter(belongsTo(id))
              .map((contact) => ({ what: 'contact', id: String(contact.id), body: { organization_id: id } })),
        ],
      ];
    case 'custom_field':
      return [['values', () => findFieldValues(lists, String(name), model)]];
    default:
      return [];
  }
}

const belongsTo =
  (id: string) =>
  ({ organization_id }: JsonObject) =>
    organization_id === id;

const toRelated =
  (what: Noun) =>
  (record: JsonObject): Related => ({ what, id: String(record.id), record });

/** Finds the entries of a contact or an organization, and those that name the contact. */
async function findEntries(lists: Lists, id: string, type: EntryType): Promise<Related[]> {
  return (await lists.entries()).flatMap((record) => relateEntry(record, String(record.list_id), id, type));
}

/** Returns an entry of a record, or the values of an entry that name a contact; nothing if it concerns another record. */
export function relateEntry(record: JsonObject, list_id: string, id: string, type: EntryType): Related[] {
  const path = { what: 'entry', list_id, id: String(record.id) } as const;
  if (record.entryable_id === id && record.entryable_type === type) return [{ ...path, record }];
  if (type === 'Organization') return [];
  const list_fields = pickMentions(record.list_fields, id);
  const body = {
    ...(record.contact_id === id && { contact_id: id }),
    ...(list_fields.length > 0 && { list_fields }),
  };
  return Object.keys(body).length > 0 ? [{ ...path, body }] : [];
}

/** Finds the contacts and organizations with a field that names a contact. */
async function findMentions(lists: Lists, id: string): Promise<Related[]> {
  const models = (await lists.fields()).filter(({ data_type }) => data_type === 'contact');
  const related: Related[] = [];
  for (const what of ['contact', 'organization'] as const) {
    if (!models.some(({ model }) => model === what)) continue;
    related.push(...(await lists[what]()).flatMap((record) => relateMentions(what, record, id)));
  }
  return related;
}

/** Returns the custom fields of a contact or an organization that name a contact. */
export function relateMentions(what: 'contact' | 'organization', record: JsonObject, id: string): Related[] {
  const custom_fields = pickMentions(record.custom_fields, id);
  return custom_fields.length > 0 ? [{ what, id: String(record.id), body: { custom_fields } }] : [];
}

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
 * Creates a reader. The interface has no filter for references, so it reads whole lists, up to `limit` records of each
 * kind; those that several deletions need are read once.
 */
export function createRelatedReader(
  client: Client,
  { limit = maxRelated }: { readonly limit?: number } = {},
): RelatedReader {
  const lists = createLists(client, limit);
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

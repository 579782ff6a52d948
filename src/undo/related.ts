import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import { isRecordFailure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import { once } from '../values/concurrency.ts';
import { listDefinedValues } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { maxRelated } from './losses.ts';
import type { Noun, RecordPath } from './nouns.ts';

/** Records per request of these reads. */
const pageSize = 500;

/** A record that a deletion also deletes, or values that it clears in another record. */
export type Related = RecordPath & ({ readonly record: JsonObject } | { readonly body: JsonObject });

/** Receives related records as their pages arrive. */
type OnRelated = (related: readonly Related[]) => Promise<void> | void;

/** Reads the records that go with the deletion of one. Returns the kinds that could not be read. */
export type RelatedReader = (path: RecordPath, record: JsonObject, onRelated: OnRelated) => Promise<string[]>;

/** A list is longer than we read. */
class TooManyError extends Error {}

/**
 * Creates a reader. The interface has no filter for references, so it reads whole lists, up to `limit` records of each
 * kind; those that several deletions need are read once.
 */
export function createRelatedReader(client: Client, limit = maxRelated): RelatedReader {
  const readAll = async function* (route: Route, input: JsonObject, budget = { left: limit }) {
    for await (const { records, total = 0 } of client.pages(route, input, { size: pageSize })) {
      budget.left -= records.length;
      if (budget.left < 0 || total > limit) throw new TooManyError();
      yield records.map(({ value }) => readObject(value));
    }
  };
  const collect = async (route: Route) => {
    const all: JsonObject[] = [];
    for await (const page of readAll(route, {})) all.push(...page);
    return all;
  };
  const readEntries = once(async () => {
    const all: JsonObject[] = [];
    const budget = { left: limit };
    for (const { id } of await collect(lists.list))
      for await (const page of readAll(entries.list, { list_id: id }, budget))
        all.push(...page.map((entry) => ({ ...entry, list_id: id })));
    return all;
  });
  const readNotes = once(() => collect(notes.list));
  const readContacts = once(() => collect(contacts.list));
  const readOrganizations = once(() => collect(organizations.list));

  const toEntries = async (id: unknown, type: string): Promise<Related[]> =>
    (await readEntries()).flatMap((record): Related[] => {
      const path = { what: 'entry', list_id: String(record.list_id), id: String(record.id) } as const;
      if (record.entryable_id === id && record.entryable_type === type) return [{ ...path, record }];
      if (type === 'Contact' && record.contact_id === id) return [{ ...path, body: { contact_id: id } }];
      return [];
    });

  const readers: Partial<Record<Noun, (id: string, record: JsonObject, onRelated: OnRelated) => Reading[]>> =
    {
      contact: (id, _, onRelated) => [['entries', async () => onRelated(await toEntries(id, 'Contact'))]],
      organization: (id, _, onRelated) => [
        ['entries', async () => onRelated(await toEntries(id, 'Organization'))],
        [
          'notes',
          async () =>
            onRelated(select(await readNotes(), 'note', ({ organization_id }) => organization_id === id)),
        ],
        [
          'the organization of its contacts',
          async () => {
            const own = (await readContacts()).filter(({ organization_id }) => organization_id === id);
            await onRelated(
              own.map((contact) => ({
                what: 'contact',
                id: String(contact.id),
                body: { organization_id: id },
              })),
            );
          },
        ],
      ],
      list: (list_id, _, onRelated) => [
        [
          'entries',
          async () => {
            for await (const page of readAll(entries.list, { list_id }))
              await onRelated(
                page.map((record) => ({ what: 'entry', list_id, id: String(record.id), record })),
              );
          },
        ],
      ],
      custom_field: (_, { name, model }, onRelated) => [
        [
          'values',
          async () => {
            if (model === 'deal') return; // the interface does not show deals
            const what = model === 'contact' ? 'contact' : 'organization';
            const records = what === 'contact' ? await readContacts() : await readOrganizations();
            await onRelated(
              records.flatMap((record): Related[] => {
                const field = listDefinedValues(record.custom_fields).find((one) => one.name === name);
                if (field?.value === undefined || field.value === null) return [];
                const body = { custom_fields: [{ name, value: field.value }] };
                return [{ what, id: String(record.id), body }];
              }),
            );
          },
        ],
      ],
    };

  return async ({ what, id = '' }, record, onRelated) => {
    const missing: string[] = [];
    for (const [name, read] of readers[what]?.(id, record, onRelated) ?? []) {
      try {
        await read();
      } catch (error) {
        if (!(error instanceof TooManyError) && !isRecordFailure(error)) throw error;
        missing.push(name);
      }
    }
    return missing;
  };
}

/** The name of a kind of related records, and how to read them. */
type Reading = readonly [name: string, read: () => Promise<void>];

const select = (
  records: readonly JsonObject[],
  what: Noun,
  isRelated: (record: JsonObject) => boolean,
): Related[] => records.filter(isRelated).map((record) => ({ what, id: String(record.id), record }));

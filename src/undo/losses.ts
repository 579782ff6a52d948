import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import type { Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import type { Noun } from '../records/nouns.ts';
import type { JsonObject } from '../values/json-object.ts';

/** Maximum number of records of one kind that are read to find those that a deletion affects. */
export const maxRelated = 10_000;

/**
 * Returns what `kith undo` cannot restore of a deleted record, as sentences. `record`: its known fields.
 */
export function describeLosses(what: Noun, record: JsonObject = {}): string[] {
  const sentences: Readonly<Record<Noun, readonly string[]>> = {
    contact: [
      'The contact and its entries get new ids and creation times; process entries also get new keys and closing times.',
    ],
    organization: [
      'The organization, its notes and its entries get new ids and creation times; process entries also get new keys and closing times.',
    ],
    note: ['The note gets a new id and creation time.'],
    custom_field: [
      'The custom field gets a new id and creation time.',
      ...(record.model === 'deal' ? ['The values of the custom field in deals are not restored.'] : []),
    ],
    list: [
      `The ${record.process === true ? 'process' : 'list'} and its entries get new ids and creation times${record.process === true ? '; the entries also get new keys and closing times' : ''}.`,
      ...(record.archived_at ? ['The list will no longer be archived.'] : []),
    ],
    entry: [
      `The entry gets a new ${typeof record.key === 'string' ? 'id, creation time and key' : 'id and creation time'}.`,
      ...(record.closed_at ? ['The entry gets a new closing time.'] : []),
    ],
  };
  return [...sentences[what]];
}

/** Whether `kith undo` can restore a list with this number of entries. */
export const canRestoreEntries = (count: number) => count <= maxRelated;

/** Returns the sentence for related records that could not be read before a deletion. */
export const describeMissing = (name: string) =>
  `Not restored: ${name}. kith did not read all of them before the deletion.`;

/**
 * Returns what `kith undo` could not restore with a record, because there are too many records to read all of them
 * before the deletion. Reads only their totals. `noun`: `contact`, `organization field`.
 */
export async function listUnreadable(client: Client, noun: string): Promise<string[]> {
  const readTotal = async (route: Route, input: JsonObject = {}) =>
    (await client.page(route, { ...input, first: 1 })).total ?? 0;
  const readEntryTotal = async () => {
    let total = 0;
    for await (const { records } of client.pages(lists.list, {}))
      for (const { value } of records) total += await readTotal(entries.list, { list_id: value.id });
    return total;
  };
  const readReferrerTotal = async () =>
    Math.max(await readTotal(contacts.list), await readTotal(organizations.list));
  const totals: Readonly<Record<string, Readonly<Record<string, () => Promise<number>>>>> = {
    contact: { entries: readEntryTotal, references: readReferrerTotal },
    organization: {
      entries: readEntryTotal,
      notes: () => readTotal(notes.list),
      'links to its contacts': () => readTotal(contacts.list),
    },
    'contact field': { values: () => readTotal(contacts.list) },
    'organization field': { values: () => readTotal(organizations.list) },
  };
  const unreadable: string[] = [];
  for (const [name, read] of Object.entries(totals[noun] ?? {}))
    if ((await read()) > maxRelated) unreadable.push(name);
  return unreadable;
}

import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import type { Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import type { JsonObject } from '../values/json-object.ts';
import { maxRelated } from './losses.ts';

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

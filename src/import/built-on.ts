import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import type { Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import { once } from '../values/concurrency.ts';
import type { Done } from './outcome.ts';

/** What belongs to a record, and would go with it or lose it. */
export interface Part {
  readonly what: 'contact' | 'note' | 'entry';
  readonly id: string;
}

/** Tells what belongs to a record that an import has made, of all that is there. */
export type BuiltOn = (done: Done) => Promise<readonly Part[]>;

/**
 * Reads each list at most once, when it is first asked for, and keeps only what belongs to records of `made`: the
 * interface has no filter for it. `seen` gives a contact as it is by then.
 */
export function builtOn(
  client: Client,
  made: ReadonlySet<string>,
  seen: (contact: Fields) => Fields = (contact) => contact,
): BuiltOn {
  const all = async function* (route: Route, path: Readonly<Record<string, string>> = {}) {
    for await (const { records } of client.pages(route, path)) {
      for (const { value } of records) yield fieldsOf(value);
    }
  };
  const inLists = once(async () => {
    const parts = partsOf(made);
    for await (const list of all(lists.list)) {
      for await (const { id, entryable_id, contact_id } of all(entries.list, { list_id: plain(list.id) })) {
        parts.add({ what: 'entry', id: plain(id) }, [entryable_id, contact_id]);
      }
    }
    return parts;
  });
  const inOrganizations = once(async () => {
    const parts = partsOf(made);
    for await (const contact of all(contacts.list)) {
      parts.add({ what: 'contact', id: plain(contact.id) }, [seen(contact).organization_id]);
    }
    for await (const { id, organization_id } of all(notes.list)) {
      parts.add({ what: 'note', id: plain(id) }, [organization_id]);
    }
    return parts;
  });
  return async ({ what, id }) => {
    if (what === 'entry') return [];
    const inAny = (await inLists()).of(id);
    return what === 'contact' ? inAny : [...inAny, ...(await inOrganizations()).of(id)];
  };
}

function partsOf(made: ReadonlySet<string>) {
  const byOwner = new Map<string, Part[]>();
  return {
    add(part: Part, owners: readonly unknown[]) {
      for (const owner of owners.map(plain)) {
        if (made.has(owner)) byOwner.set(owner, [...(byOwner.get(owner) ?? []), part]);
      }
    },
    of: (owner: string): readonly Part[] => byOwner.get(owner) ?? [],
  };
}

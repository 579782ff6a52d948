import { entries } from '../contract/entries.ts';
import type { EntryType } from '../contract/lists.ts';
import { type Fields, plain } from '../output/columns.ts';
import type { Importing } from './importer.ts';
import { shelved } from './known.ts';
import { Refusal } from './outcome.ts';
import { openShelf } from './shelf.ts';
import { assigneeOf, forBody, valuesLike, valuesMissing, valuesNow } from './values.ts';
import type { NamedValue, Wish } from './wishes.ts';
import type { Worker } from './worker.ts';

/** Puts records into a list. */
export interface Membership {
  /** Puts a record in, once, and gives it the values of its row that it has not. Throws `Refusal`. */
  join(record: Fields, type: EntryType, wish: Wish, worker: Worker): Promise<Fields | undefined>;
  close(): void;
}

/** Puts nothing anywhere. */
export const noMembership: Membership = { join: async () => undefined, close() {} };

/** The fields of an entry beside those of its list, as a body has them. */
export type EntryFields = Readonly<Record<string, unknown>>;

/** What a row says of an entry. */
export interface EntryWish {
  /** Which of several entries of one record it is: its id or its key. */
  readonly called: readonly string[];
  /** What a new entry begins with. */
  readonly start: EntryFields;
  /** What any entry is to have. */
  readonly fields: EntryFields;
  readonly values: readonly NamedValue[];
}

export const entryKey = (id: unknown) => `entryable:${plain(id)}`;

/** Membership in a list or process; `wishOf` says what a row wants of its entry. */
export async function membershipIn(
  list_id: string,
  { client, pageSize, name }: Importing,
  wishOf: (wish: Wish) => EntryWish,
): Promise<Membership> {
  const shelf = openShelf(`${name}-entries`, ({ entryable_id }) => [entryKey(entryable_id)]);
  await shelved(client, entries.list, { list_id }, shelf, pageSize, Number.POSITIVE_INFINITY);
  return {
    async join({ id }, entryable_type, wish, worker) {
      const { called, start, fields, values } = wishOf(wish);
      const current = only(shelf.under(entryKey(id)), called);
      const entry = current
        ? await changed(list_id, current, fields, values, worker)
        : await worker.write({
            what: 'entry',
            list_id,
            body: {
              entryable_id: id,
              entryable_type,
              ...start,
              ...fields,
              ...(values.length > 0 && { list_fields: forBody(values) }),
            },
          });
      if (entry !== current) shelf.put({ ...entry, entryable_id: id });
      return entry;
    },
    close: () => shelf.close(),
  };
}

/** The entry that a row is about, of those of one record. Throws `Refusal` where that cannot be told. */
function only(entries: readonly Fields[], called: readonly string[]): Fields | undefined {
  if (entries.length < 2) return entries[0];
  const isCalled = ({ id, key }: Fields) => called.includes(plain(id)) || called.includes(plain(key));
  const [named, ...more] = entries.filter(isCalled);
  if (named && more.length === 0) return named;
  const ids = entries.map((entry) => plain(entry.id));
  throw new Refusal(`It stands in the list several times: ${ids.join(', ')}.`, ids);
}

async function changed(
  list_id: string,
  current: Fields,
  fields: EntryFields,
  values: readonly NamedValue[],
  worker: Worker,
): Promise<Fields> {
  const held = { ...current, assignee_email: assigneeOf(current) };
  const differing = Object.entries(fields).filter(([name, value]) => !isHeld(held, name, value));
  const missing = valuesMissing(current.list_fields, values);
  const body = {
    ...Object.fromEntries(differing),
    ...(missing.length > 0 && { list_fields: forBody(missing) }),
  };
  if (Object.keys(body).length === 0) return current;
  const before = {
    ...valuesLike(Object.fromEntries(differing), current),
    ...(missing.length > 0 && { list_fields: valuesNow(current.list_fields, missing) }),
  };
  return worker.write({ what: 'entry', list_id, id: plain(current.id), body, before }, current);
}

function isHeld(held: Fields, name: string, value: unknown): boolean {
  const now = held[name] ?? null;
  return name === 'assignee_email' ? plain(now).toLowerCase() === plain(value).toLowerCase() : now === value;
}

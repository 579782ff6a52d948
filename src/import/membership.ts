import { entries } from '../contract/entries.ts';
import type { EntryType } from '../contract/lists.ts';
import { type Fields, itemsOf, plain } from '../render/fields.ts';
import type { Importing } from './importer.ts';
import { onlyOne } from './only-one.ts';
import { recordWriter } from './record-writer.ts';
import { openShelf } from './shelf.ts';
import { shelvedList } from './shelved-list.ts';
import { assigneeOf, forBody } from './values.ts';
import type { NamedValue, Wish } from './wishes.ts';
import type { Worker } from './worker.ts';

/** Puts records into a list. */
export interface Membership {
  /** Puts a record in, once, and gives it the values of its row that it has not. Throws `Refusal`. */
  join(record: Fields, type: EntryType, wish: Wish, worker: Worker): Promise<Fields | undefined>;
  /** The entries that a record has. */
  entriesOf(record: Fields): Fields[];
  close(): void;
}

/** Puts nothing anywhere. */
export const noMembership: Membership = { join: async () => undefined, entriesOf: () => [], close() {} };

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

/** The names of the statuses of a process; of a list without them nothing. */
export function statusesOf({ statuses }: Fields): string[] {
  return itemsOf(statuses).map(({ name }) => plain(name));
}

/** The key of the entries of a record on a shelf. */
export const entryKey = (id: unknown) => `entryable:${plain(id)}`;

/** Membership in a list or process; `wishOf` says what a row wants of its entry. */
export async function membershipIn(
  list_id: string,
  importing: Importing,
  wishOf: (wish: Wish) => EntryWish,
): Promise<Membership> {
  const shelf = openShelf(`${importing.name}-entries`, ({ entryable_id }) => [entryKey(entryable_id)]);
  const list = await shelvedList(importing, shelf, entries.list, { list_id });
  const writer = recordWriter(importing.client, shelf, { what: 'entry', list_id });
  return {
    async join({ id }, entryable_type, wish, worker) {
      const { called, start, fields, values } = wishOf(wish);
      const find = () => entryOf(shelf.under(entryKey(id)), called);
      const update = (entry: Fields) =>
        writer.update(worker, entry, differing(entry, fields), { map: 'list_fields', wanted: values });
      const create = async () => {
        const body = {
          entryable_id: id,
          entryable_type,
          ...start,
          ...fields,
          ...(values.length > 0 && { list_fields: forBody(values) }),
        };
        const lookUp = async () => {
          await list.reread();
          return find();
        };
        const lookUpNew = async () => {
          await list.readNew();
          return find();
        };
        const creation = { body, keys: [entryKey(id)], lookUp, lookUpNew };
        const { record, isNew } = await writer.create(worker, creation);
        return isNew ? record : update(record);
      };
      const known = find();
      const current = known && (await writer.latest(known));
      const entry = current ? await update(current) : await create();
      if (entry !== known) shelf.put({ ...entry, entryable_id: id });
      return entry;
    },
    entriesOf: ({ id }) => shelf.under(entryKey(id)),
    close: () => shelf.close(),
  };
}

/** The entry that a row is about, of those of one record. Throws `Refusal` where that cannot be told. */
function entryOf(entries: readonly Fields[], called: readonly string[]): Fields | undefined {
  const isCalled = ({ id, key }: Fields) => called.includes(plain(id)) || called.includes(plain(key));
  const [named, ...more] = entries.filter(isCalled);
  return named && more.length === 0 ? named : onlyOne(entries, 'It stands in the list several times');
}

/** The fields that an entry has not. */
function differing(current: Fields, fields: EntryFields): Fields {
  const held = { ...current, assignee_email: assigneeOf(current) };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isHeld(held, name, value)));
}

function isHeld(held: Fields, name: string, value: unknown): boolean {
  const now = held[name] ?? null;
  return name === 'assignee_email' ? plain(now).toLowerCase() === plain(value).toLowerCase() : now === value;
}

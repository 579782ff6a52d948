import { entries } from '../contract/entries.ts';
import type { EntryType, List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { createRecordIndex, syncList } from './record-index.ts';
import { createRecordWriter } from './record-writer.ts';
import { formatValues, type RowWriter, readAssigneeEmail } from './row-writer.ts';
import { type NamedValue, type RowPlan, requireOne, type StoredRecord, type Values } from './rows.ts';
import type { ImporterOptions } from './run.ts';

/** Puts records into a list. */
export interface Membership {
  /**
   * Adds a record to the list, once, and updates its entry with the values of its row.
   * @throws {Refusal} if the record has several entries
   */
  join(
    record: StoredRecord,
    type: EntryType,
    plan: RowPlan,
    writer: RowWriter,
  ): Promise<StoredRecord | undefined>;
  /** Returns the entries of a record. */
  findEntries(record: StoredRecord): StoredRecord[];
}

/** The membership of an import without a list. */
export const noMembership: Membership = { join: async () => undefined, findEntries: () => [] };

/** The values that a row has for an entry. */
export interface EntryPlan {
  /** The ids and keys by which the row names one of several entries of a record. */
  readonly names: readonly string[];
  /** Fields of a new entry only. */
  readonly initial: Values;
  /** Fields of any entry. */
  readonly fields: Values;
  /** The values of the list's fields. */
  readonly values: readonly NamedValue[];
}

/** Returns the names of a process's statuses; of a list that is not a process, none. */
export function readStatuses({ statuses }: Received<List>): string[] {
  return (statuses ?? []).map(({ name }) => name ?? '');
}

/** The key of a record's entries. */
export const entryKey = (id: string | null | undefined) => `entryable:${id ?? ''}`;

/** Reads the entries of a list. `planEntry` returns the values that a row has for its entry. */
export async function loadMembership(
  list_id: string,
  options: ImporterOptions,
  planEntry: (plan: RowPlan) => EntryPlan,
): Promise<Membership> {
  const index = createRecordIndex(options, ({ entryable_id }) => [entryKey(entryable_id)]);
  const list = await syncList(options, index, entries.list, { list_id });
  const recordWriter = createRecordWriter(options.client, index, { what: 'entry', list_id });
  return {
    async join({ id }, entryable_type, plan, writer) {
      const { names, initial, fields, values } = planEntry(plan);
      const find = () => findEntry(index.find(entryKey(id)), names);
      const update = (entry: StoredRecord) =>
        recordWriter.update(writer, entry, findChanges(entry, fields), {
          map: 'list_fields',
          wanted: values,
        });
      const create = async () => {
        const list_fields = values.length > 0 && { list_fields: formatValues(values) };
        const body = { entryable_id: id, entryable_type, ...initial, ...fields, ...list_fields };
        const creation = { body, keys: [entryKey(id)], ...list.freshly(find) };
        const { record, isNew } = await recordWriter.create(writer, creation);
        return isNew ? record : update(record);
      };
      const known = find();
      const current = known && (await recordWriter.refresh(known));
      const entry = current ? await update(current) : await create();
      if (entry !== known) index.put({ ...entry, entryable_id: id ?? null });
      return entry;
    },
    findEntries: ({ id }) => index.find(entryKey(id)),
  };
}

/** Returns the entry that a row names among those of one record. @throws {Refusal} if several match */
function findEntry(candidates: readonly StoredRecord[], names: readonly string[]): StoredRecord | undefined {
  const isNamed = ({ id, key }: StoredRecord) => names.includes(id ?? '') || names.includes(key ?? '');
  const [entry, ...more] = candidates.filter(isNamed);
  return entry && more.length === 0 ? entry : requireOne(candidates, 'The list contains it several times');
}

function findChanges(entry: StoredRecord, fields: Values): Values {
  const current: Values = { ...entry, assignee_email: readAssigneeEmail(entry) };
  const isSame = (name: string, value: unknown) => {
    const stored = current[name] ?? null;
    if (name !== 'assignee_email') return stored === value;
    return String(stored ?? '').toLowerCase() === String(value ?? '').toLowerCase();
  };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isSame(name, value)));
}

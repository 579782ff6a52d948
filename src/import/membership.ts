import { entries } from '../contract/entries.ts';
import type { EntryType, List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { parseCents } from '../values/money.ts';
import { createRecordIndex, type ImporterOptions, loadList } from './record-index.ts';
import { readAssigneeEmail } from './record-values.ts';
import { createRecordWriter, type RowWrites } from './record-writer.ts';
import { type RowPlan, requireOne, type StoredRecord, type Values } from './rows.ts';

/** A list to which an import adds its records. */
export interface TargetList {
  readonly list_id: string;
  readonly type: EntryType;
  /** The status of new entries. */
  readonly status?: string | undefined;
}

/** Puts records into a list. */
export type Membership = Awaited<ReturnType<typeof loadMembership>>;

/** Returns the names of a process's statuses; of a list that is not a process, none. */
export function readStatuses({ statuses }: Received<List>): string[] {
  return (statuses ?? []).map(({ name }) => name ?? '');
}

/** Reads the entries of a list. */
export async function loadMembership(options: ImporterOptions, { list_id, type, status }: TargetList) {
  const index = createRecordIndex(options, ({ entryable_id }) => [entryable_id ?? '']);
  const { reload } = await loadList(options, index, entries.list, { path: { list_id } });
  const recordWriter = createRecordWriter(options.client, index, { what: 'entry', list_id });
  return {
    /**
     * Adds a record to the list, once, and updates its entry with the values of its row.
     * @throws {Refusal} if the record has several entries
     */
    async join({ id }: StoredRecord, plan: RowPlan, writes: RowWrites): Promise<StoredRecord> {
      const fields = readFields(plan);
      const key = id ?? '';
      const find = () => findEntry(index.find(key), readEntryNames(plan));
      const known = find();
      const current = known && (await recordWriter.refresh(known));
      const entry = await recordWriter.save(writes, current, {
        planFields: (existing) =>
          existing
            ? findChanges(existing, fields)
            : { entryable_id: id, entryable_type: type, ...(status !== undefined && { status }), ...fields },
        values: plan.list,
        keys: [key],
        lookUp: (onlyNew) => reload(onlyNew).then(find),
      });
      if (entry !== known) index.put({ ...entry, entryable_id: key });
      return entry;
    },
    /** Returns the entries of a record. */
    findEntries: ({ id }: StoredRecord) => index.find(id ?? ''),
  };
}

/** Returns the id and the key by which a row names its entry: a record may have several. */
export const readEntryNames = ({ own }: RowPlan): string[] =>
  [...(own.id ?? []), ...(own.key ?? [])].map((name) => name.trim());

/** Returns the entry that a row names among those of one record. @throws {Refusal} if several match */
function findEntry(candidates: readonly StoredRecord[], names: readonly string[]): StoredRecord | undefined {
  const isNamed = ({ id, key }: StoredRecord) => names.includes(id ?? '') || names.includes(key ?? '');
  const [entry, ...more] = candidates.filter(isNamed);
  return entry && more.length === 0 ? entry : requireOne(candidates, 'The list contains it several times');
}

/** Returns the fields that a row has for its entry. */
function readFields({ own }: RowPlan): Values {
  const read = (name: string) => own[name]?.[0]?.trim();
  const fields: Values = {
    status: read('status'),
    assignee_email: read('assignee'),
    one_time_value_cents: parseCents(read('one_time_value') ?? ''),
    recurring_value_cents: parseCents(read('recurring_value') ?? ''),
    recurring_value_period: read('recurring_period'),
    contact_id: read('contact_id'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
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

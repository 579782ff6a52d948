import type { Noun } from '../../contract/singular-nouns.ts';
import type { DroppedValues } from '../../contract/workspace.ts';
import type { ParsedPhone } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import type { IdPlan } from './restore-ids.ts';
import type { NumberedRecord, RowNumbers } from './restore-numbers.ts';

export interface RestoreContext {
  readonly db: Database;
  /** Must be called when tables have grown. */
  readonly updatePlans: () => Promise<void>;
  readonly plan: IdPlan;
  readonly numbers: RowNumbers;
  readonly dropped: ReturnType<typeof createDroppedValues>;
  /** The custom fields of each model. */
  readonly customFields: Map<string, FieldRows>;
  /** The fields of each list, by its row. */
  readonly listFields: Map<number, FieldRows>;
  /** The keys of the entries of each list, by its row. */
  readonly entryKeys: Map<number, Set<string>>;
  readonly parsePhone: (text: string) => ParsedPhone | undefined;
  /** Milliseconds since 1970, for records without times. */
  readonly now: number;
}

/** The rows of fields by id and by name. */
export interface FieldRows {
  readonly byId: Map<string, number>;
  readonly byName: Map<string, number>;
}

export const createFieldRows = (): FieldRows => ({ byId: new Map(), byName: new Map() });

/** Stores the records of a batch, and returns the stored ones. */
export type StoreRecords<N extends Noun> = (
  context: RestoreContext,
  records: readonly NumberedRecord<N>[],
) => Promise<readonly NumberedRecord<N>[]>;

/** Parses a time; null if there is none. */
export function parseTime(text: string | null | undefined): number | null {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? null : time;
}

/** Returns the times of a record. A missing time gets the value of the other time, or the time of the restore. */
export function readStamps(
  { now }: RestoreContext,
  record: { readonly created_at: string | null; readonly updated_at: string | null },
) {
  const [created, updated] = [parseTime(record.created_at), parseTime(record.updated_at)];
  return { created_at: created ?? updated ?? now, updated_at: updated ?? created ?? now };
}

/** Returns the row that a field of a record refers to. */
export function findReference(
  { dropped }: RestoreContext,
  rows: ReadonlyMap<string, number>,
  [noun, id, field]: readonly [noun: Noun, id: string, field: string],
  reference: string | null | undefined,
): number | null {
  if (reference === null || reference === undefined || reference === '') return null;
  const row = rows.get(reference);
  if (row === undefined) dropped.add(noun, id, field, 'reference to a missing record');
  return row ?? null;
}

/** Maximum number of records that are listed for a dropped value. */
const maxIds = 10;

/** Collects the values and records that a restore cannot store. */
export function createDroppedValues() {
  const groups = new Map<string, DroppedValues & { count: number; ids: string[] }>();
  /** The dropped values of the current batch. */
  const current = new Set<string>();
  return {
    /** Adds a value of a record, or the whole record if `field` is undefined. */
    add(noun: Noun, id: string, field: string | undefined, reason: string): void {
      current.add(`${id} ${field}`);
      const key = `${noun} ${field} ${reason}`;
      const group = groups.get(key) ?? { noun, field, reason, count: 0, ids: [] };
      groups.set(key, group);
      group.count += 1;
      if (group.ids.length < maxIds && !group.ids.includes(id)) group.ids.push(id);
    },
    /** Whether a value of a record of the current batch was dropped. */
    has: (id: string, field: string) => current.has(`${id} ${field}`),
    beginBatch: () => current.clear(),
    list: (): DroppedValues[] => [...groups.values()],
  };
}

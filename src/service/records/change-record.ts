import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../db/database.ts';
import { updateRow } from '../db/statements.ts';
import { formatTimestamp } from '../db/timestamps.ts';

/** The tables whose records have `updated_at` and can be updated by a request. */
type UpdatableTable = 'contact' | 'organization' | 'note' | 'custom_field' | 'list' | 'entry';

/** A validated update of one record. */
interface RecordChange<R> {
  readonly table: UpdatableTable;
  readonly id: number;
  readonly now: Date;
  /** Reads the record as the interface shows it. */
  readonly read: () => Promise<R>;
  readonly write: () => Promise<unknown>;
}

/**
 * Writes a change and returns the record. `updated_at` changes only if the record does: clients that poll for changes
 * must not fetch a record again because somebody sent the same values.
 */
export async function changeRecord<R extends { readonly updated_at: string }>(
  db: Database,
  { table, id, now, read, write }: RecordChange<R>,
): Promise<R> {
  const before = await read();
  await write();
  const after = await read();
  if (isDeepStrictEqual(before, after)) return before;
  await touchRecord(db, table, id, now);
  return { ...after, updated_at: formatTimestamp(now.getTime()) };
}

/** Sets the `updated_at` of a record. */
export async function touchRecord(
  db: Database,
  table: UpdatableTable | 'calendar_event',
  id: number,
  now: Date,
): Promise<void> {
  await updateRow(db, table, id, { updated_at: now.getTime() });
}

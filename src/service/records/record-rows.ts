import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../contract/errors.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createRow, deleteRow, findRow, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';

/** The records that are found by their id alone: their ids, and their name in messages. */
const kinds = {
  contact: { ids: ids.contact, name: 'contact' },
  organization: { ids: ids.organization, name: 'organization' },
  note: { ids: ids.note, name: 'note' },
  custom_field: { ids: ids.customField, name: 'custom field' },
  list: { ids: ids.list, name: 'list or process' },
} as const;

type Kind = keyof typeof kinds;

/** The tables whose records have `updated_at` and can be updated by a request. */
type UpdatableTable = Kind | 'entry';

/** Returns the row of a record, if there is one. */
export function findRecord<K extends Kind>(db: Database, kind: K, id: string): Promise<Row<K> | undefined> {
  return findRow(db, kind, kinds[kind].ids.decode(id));
}

/** Returns the row of a record. @throws {Failure} `not_found` */
export async function getRecord<K extends Kind>(db: Database, kind: K, id: string): Promise<Row<K>> {
  const row = await findRecord(db, kind, id);
  if (!row) throw new Failure('not_found', `No ${kinds[kind].name} has the id "${id}".`);
  return row;
}

/** Inserts a record that is created at `time`, and returns the id of its row. */
export function createRecord<T extends UpdatableTable>(
  db: Database,
  table: T,
  time: number,
  columns: Partial<Row<T>> = {},
): Promise<number> {
  return createRow(db, table, { ...columns, created_at: time, updated_at: time });
}

/** Deletes a record. @throws {Failure} `not_found` */
export function deleteRecord(db: Database, kind: Kind, id: string): Promise<null> {
  return db.transaction(async (db) => {
    await deleteRow(db, kind, (await getRecord(db, kind, id)).id);
    return null;
  });
}

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

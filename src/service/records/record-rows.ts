import { isDeepStrictEqual } from 'node:util';
import sql, { raw } from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import type { Input, Route } from '../../contract/grammar.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { type CountBytes, type PageRequest, readPage } from '../db/page.ts';
import { type ColumnChanges, createRow, deleteRow, findRow, getOnly, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps } from '../deps.ts';
import type { FieldErrors, FieldPath } from '../field-errors.ts';

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

/** A valid change of a record. Columns that are undefined do not change. */
export interface RecordChange<T extends UpdatableTable> {
  readonly columns: ColumnChanges<T>;
  /** Stores the rows of other tables that belong to the record. `time` is the time of the change. */
  readonly storeParts?: (id: number, time: number) => Promise<unknown>;
}

/** The input of a create or of an update, which has only the fields to change. */
export type RecordInput<R extends Route> = {
  readonly [Name in keyof Input<R>]?: Input<R>[Name] | undefined;
};

/** A kind of record with what its handlers need. */
interface RecordKind<K extends Kind, R, I> {
  readonly kind: K;
  readonly countBytes: CountBytes;
  /** Returns records as the interface shows them. */
  readonly toRecords: (db: Database, rows: readonly Row<K>[]) => Promise<R[]> | R[];
  /** Validates a new record, or a change of the record `row`. */
  readonly validate: (
    db: Database,
    input: I,
    errors: FieldErrors,
    row: Row<K> | undefined,
  ) => Promise<RecordChange<K>>;
}

/** The id of a record in the path of a request: `contact_id`. */
type PathId<K extends Kind> = Readonly<Record<`${K}_id`, string>>;

/** Returns the handlers that all kinds of records have. */
export function createRecordHandlers<K extends Kind, R extends { readonly updated_at: string }, I>(
  { db, now }: Deps,
  { kind, countBytes, toRecords, validate }: RecordKind<K, R, I>,
) {
  const getRow = (db: Database, path: PathId<K>) => getRecord(db, kind, path[`${kind}_id`]);
  const read = async (db: Database, row: Row<K>) => getOnly(await toRecords(db, [row]));
  /** Returns the handler of a request that changes a record. */
  const change =
    <C>(
      validateChange: (db: Database, input: C, errors: FieldErrors, row: Row<K>) => Promise<RecordChange<K>>,
    ) =>
    (input: PathId<K> & C, errors: FieldErrors) =>
      db.transaction(async (db) => {
        const row = await getRow(db, input);
        const change = await validateChange(db, input, errors, row);
        errors.raise();
        const readAgain = async () => read(db, await getRow(db, input));
        return updateRecord(db, { table: kind, id: row.id, change, now: now(), read: readAgain });
      });
  return {
    list: (request: PageRequest) =>
      readPage(db, { scope: kind, countBytes }, request, async (window) =>
        toRecords(db, await db.all<Row<K>>(sql`select * from ${raw(kind)} ${window}`)),
      ),
    get: async (path: PathId<K>) => read(db, await getRow(db, path)),
    create: (input: I, errors: FieldErrors) =>
      db.transaction(async (db) => {
        const change = await validate(db, input, errors, undefined);
        errors.raise();
        const id = await insertRecord(db, kind, change, now());
        return read(db, await getRecord(db, kind, kinds[kind].ids.encode(id)));
      }),
    update: change(validate),
    change,
    delete: (path: PathId<K>) =>
      db.transaction(async (db) => {
        await deleteRow(db, kind, (await getRow(db, path)).id);
        return null;
      }),
  };
}

/** Returns the row of a record. @throws {Failure} `not_found` */
export async function getRecord<K extends Kind>(db: Database, kind: K, id: string): Promise<Row<K>> {
  const row = await findRow(db, kind, kinds[kind].ids.decode(id));
  if (!row) throw new Failure('not_found', `No ${kinds[kind].name} has the id "${id}".`);
  return row;
}

/** Returns the row id of a record that a value refers to, if there is one. */
export async function findRecordId(db: Database, kind: Kind, id: string): Promise<number | undefined> {
  return (await findRow(db, kind, kinds[kind].ids.decode(id)))?.id;
}

/** Returns the row id of the record that a field refers to; adds an error if there is none. */
export async function validateReference(
  db: Database,
  kind: Kind,
  id: string,
  errors: FieldErrors,
  path: FieldPath,
): Promise<number | undefined> {
  const row = await findRecordId(db, kind, id);
  if (row === undefined) errors.add(path, 'not_found', `No ${kinds[kind].name} has the id "${id}".`);
  return row;
}

/** Inserts a record and returns the id of its row. */
export async function insertRecord<T extends UpdatableTable>(
  db: Database,
  table: T,
  { columns, storeParts }: RecordChange<T>,
  now: Date,
): Promise<number> {
  const time = now.getTime();
  const id = await createRow(db, table, { ...columns, created_at: time, updated_at: time });
  await storeParts?.(id, time);
  return id;
}

/** A valid update of one record. */
interface RecordUpdate<T extends UpdatableTable, R> {
  readonly table: T;
  readonly id: number;
  readonly change: RecordChange<T>;
  readonly now: Date;
  /** Reads the record as the interface shows it. */
  readonly read: () => Promise<R>;
}

/**
 * Writes a change and returns the record. `updated_at` changes only if the record does: clients that poll for changes
 * must not fetch a record again because somebody sent the same values.
 */
export async function updateRecord<T extends UpdatableTable, R extends { readonly updated_at: string }>(
  db: Database,
  { table, id, change, now, read }: RecordUpdate<T, R>,
): Promise<R> {
  const before = await read();
  await updateRow(db, table, id, change.columns);
  await change.storeParts?.(id, now.getTime());
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

import { isDeepStrictEqual } from 'node:util';
import type { Sql } from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import { createFieldErrors, type FieldErrors, type FieldPath } from '../../contract/field-errors.ts';
import { type Input, maxRecordBytes, type Route } from '../../contract/grammar.ts';
import type { SingularNoun } from '../../contract/singular-nouns.ts';
import { settleAll } from '../../values/concurrency.ts';
import { readObject } from '../../values/json-object.ts';
import { formatInteger, quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import { selectRow } from '../db/foreign-ids.ts';
import { type PageRequest, readPage } from '../db/page.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { forUpdate } from '../db/render-sql.ts';
import { type ColumnChanges, createRow, deleteRow, findRow, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../entity-tag.ts';

/** The records that are found by their id alone: the resource of their ids, and their name in messages. */
const kinds = {
  contact: { resource: 'contact', name: 'contact' },
  organization: { resource: 'organization', name: 'organization' },
  note: { resource: 'note', name: 'note' },
  custom_field: { resource: 'customField', name: 'custom field' },
  list: { resource: 'list', name: 'list or process' },
} as const;

/** A validation of a request: the workspace to check it against, and the errors found so far. */
export interface Validation {
  readonly db: Database;
  readonly errors: FieldErrors;
}

/** A valid change of a record. Its table has the name of the noun. Columns that are undefined do not change. */
export interface RecordChange<T extends SingularNoun> {
  readonly columns: ColumnChanges<T>;
  /** Stores records that the record refers to, and returns their columns. */
  readonly storeReferences?: (time: number) => Promise<ColumnChanges<T>>;
  /**
   * Stores the rows of other tables that belong to the record. `time` is the time of the change. The parts of a new
   * record are sent at once, without a wait between their statements.
   */
  readonly storeParts?: (id: number, time: number) => Promise<unknown>;
}

/** The input of a create or of an update, which has only the fields to change. */
export type RecordInput<R extends Route> = {
  readonly [Name in keyof Input<R>]?: Input<R>[Name] | undefined;
};

interface RecordLookup<T extends SingularNoun, Path> {
  readonly table: T;
  /** Returns the row of the record that a path names, locked if `lock` says so. @throws {Failure} `not_found` */
  readonly getRow: (db: Database, path: Path, lock?: Sql) => Promise<Row<T>>;
  /** Returns the id of the record that a path names. */
  readonly getId: (path: Path) => string;
}

/** Creates the look-up of records by their id alone. */
export function createRecordLookup<K extends keyof typeof kinds>(
  table: K,
): RecordLookup<K, Readonly<Record<`${K}_id`, string>>> {
  return {
    table,
    getRow: (db, path, lock) => getRecord(db, table, path[`${table}_id`], lock),
    getId: (path) => path[`${table}_id`],
  };
}

/** A kind of record: all records of a table, or the records of one list. */
interface RecordKind<T extends SingularNoun, Path, R, I> extends RecordLookup<T, Path> {
  /** The name of the records in the table `tally`. Default: the table. */
  readonly scope?: string;
  readonly reader: RecordReader<R>;
  /** Validates a new record, or a change of the record `row`. */
  readonly validate: (check: Validation, input: I, row: Row<T> | undefined) => Promise<RecordChange<T>>;
}

/** Returns the function that creates the handlers of requests that change a record. */
function createChange<T extends SingularNoun, Path, R extends { readonly updated_at: string }, I>(
  { db, now }: Deps,
  { table, getRow, reader }: RecordKind<T, Path, R, I>,
) {
  return <C>(validateChange: (check: Validation, input: C, row: Row<T>) => Promise<RecordChange<T>>) =>
    (input: Path & C, errors: FieldErrors, precondition?: Precondition) =>
      db.transaction(async (db) => {
        const row = await getRow(db, input, forUpdate);
        const before = await reader.readOne(db, row.id);
        precondition?.(before);
        const { columns, storeReferences, storeParts } = await validateChange({ db, errors }, input, row);
        errors.raise();
        const time = now().getTime();
        const changes = { ...columns, ...(await storeReferences?.(time)) };
        // If a column seems to change, the same statement sets the time.
        const isStamped = Object.entries(changes).some(
          ([name, value]) => value !== undefined && value !== readObject(row)[name],
        );
        await updateRow<SingularNoun>(db, table, row.id, {
          ...changes,
          ...(isStamped && { updated_at: time }),
        });
        await storeParts?.(row.id, time);
        const after = { ...(await reader.readOne(db, row.id)), updated_at: before.updated_at };
        // Clients that poll for changes must not fetch a record again because someone sent the same values.
        const isChanged = !isDeepStrictEqual(before, after);
        if (isChanged) checkSize(after, before);
        if (isChanged !== isStamped)
          await updateRow<SingularNoun>(db, table, row.id, {
            updated_at: isChanged ? time : row.updated_at,
          });
        return isChanged ? { ...after, updated_at: formatTimestamp(time) } : before;
      });
}

/** Returns the handlers that all records have. */
export function createRecordHandlers<
  T extends SingularNoun,
  Path,
  R extends { readonly updated_at: string },
  I,
>({ db, now }: Deps, kind: RecordKind<T, Path, R, I>) {
  const { table, scope = table, getRow, getId, reader, validate } = kind;
  const change = createChange({ db, now }, kind);
  const insert = async (db: Database, { columns, storeReferences, storeParts }: RecordChange<T>) => {
    const time = now().getTime();
    const id = await insertRecord(db, table, { ...columns, ...(await storeReferences?.(time)) }, time);
    // The read is sent with the parts, without waiting for them.
    const [, record] = await settleAll([storeParts?.(id, time), reader.readOne(db, id)]);
    checkSize(record);
    return record;
  };
  return {
    list: (request: PageRequest) => db.snapshot((db) => readPage(db, scope, request, reader)),
    async get(path: Path) {
      const [record] = await reader.readById(db, getId(path));
      return record ?? reader.readOne(db, (await getRow(db, path)).id); // throws the failure
    },
    create: (input: I, errors: FieldErrors) =>
      db.transaction(async (db) => {
        const change = await validate({ db, errors }, input, undefined);
        errors.raise();
        return insert(db, change);
      }),
    insert,
    update: change(validate),
    change,
    delete: (path: Path, _?: FieldErrors, precondition?: Precondition) =>
      db.transaction(async (db) => {
        const { id } = await getRow(db, path, forUpdate);
        if (precondition) precondition(await reader.readOne(db, id));
        await deleteRow(db, table, id);
        return null;
      }),
  };
}

const measure = (record: object) => Buffer.byteLength(JSON.stringify(record));

/** @throws {Failure} `invalid` if a record is too large, and larger than before; the transaction is then rolled back */
function checkSize(record: object, before?: object): void {
  const bytes = measure(record);
  if (bytes <= maxRecordBytes || (before && bytes <= measure(before))) return;
  const errors = createFieldErrors();
  const limit = formatInteger(maxRecordBytes);
  errors.add(
    [],
    'value',
    `The record must have at most ${limit} bytes as JSON, not ${formatInteger(bytes)}.`,
  );
  errors.raise();
}

/** Returns the row of a record, locked if `lock` says so. @throws {Failure} `not_found` */
export async function getRecord<K extends keyof typeof kinds>(
  db: Database,
  kind: K,
  id: string,
  lock?: Sql,
): Promise<Row<K>> {
  const row = await findRow(db, kind, selectRow(kinds[kind].resource, id), lock);
  if (!row) throw new Failure('not_found', `No ${kinds[kind].name} has the id ${quote(id)}.`);
  return row;
}

/** Returns the row id of a record that a value refers to, if there is one. */
export async function findRecordId(
  db: Database,
  kind: keyof typeof kinds,
  id: string,
): Promise<number | undefined> {
  return (await findRow(db, kind, selectRow(kinds[kind].resource, id)))?.id;
}

/**
 * Returns the row id of the record that the field `path` refers to; adds an error if there is none. `found`: the result
 * of `findRecordId`, if it was requested before.
 */
export async function validateReference(
  { db, errors }: Validation,
  kind: keyof typeof kinds,
  id: string,
  path: FieldPath,
  found = findRecordId(db, kind, id),
): Promise<number | undefined> {
  const row = await found;
  if (row === undefined) errors.add(path, 'not_found', `No ${kinds[kind].name} has the id ${quote(id)}.`);
  return row;
}

/** Inserts a record without its parts, and returns the id of its row. */
export const insertRecord = <T extends SingularNoun>(
  db: Database,
  table: T,
  columns: ColumnChanges<T>,
  time: number,
): Promise<number> => createRow(db, table, { ...columns, created_at: time, updated_at: time });

import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { Database, Part, Selects } from './database.ts';
import { isIn, ValueList } from './render-sql.ts';
import type { Row, Tables } from './tables.ts';

/** The tables with a numeric id. */
type TableWithId = {
  [Table in keyof Tables]: Row<Table> extends { id: number } ? Table : never;
}[keyof Tables];

/** Values of columns. Those that are undefined keep their value, or get their default in a new row. */
export type ColumnChanges<Table extends keyof Tables> = {
  readonly [Column in keyof Row<Table>]?: Row<Table>[Column] | undefined;
};

/** Inserts a row. */
export async function insertRow<Table extends keyof Tables>(
  db: Database,
  table: Table,
  row: ColumnChanges<Table>,
): Promise<void> {
  await db.run(insertion(table, row));
}

/** Inserts a row and returns its id. */
export async function createRow<Table extends TableWithId>(
  db: Database,
  table: Table,
  row: ColumnChanges<Table>,
): Promise<number> {
  return getOnly(await db.all<{ id: number }>(sql`${insertion(table, row)} returning id`)).id;
}

const definedColumns = (columns: object) =>
  Object.entries(columns).filter(([, value]) => value !== undefined);

function insertion(table: keyof Tables, row: object): Sql {
  const columns = definedColumns(row);
  const names = columns.map(([name]) => name).join(', ');
  return sql`insert into ${raw(table)} (${raw(names)}) values (${join(columns.map(([, value]) => value))})`;
}

/** Returns the row with an id, if there is one; with `forUpdate` or `forShare` as `lock`, it is locked. */
export async function findRow<Table extends TableWithId>(
  db: Database,
  table: Table,
  id: number | undefined,
  lock = empty,
): Promise<Row<Table> | undefined> {
  return id === undefined ? undefined : db.first(sql`select * from ${raw(table)} where id = ${id}${lock}`);
}

/** Updates columns of the row with an id. */
export async function updateRow<Table extends TableWithId>(
  db: Database,
  table: Table,
  id: number,
  columns: ColumnChanges<Table>,
): Promise<void> {
  const changes = definedColumns(columns);
  if (changes.length === 0) return;
  const assignments = changes.map(([column, value]) => sql`${raw(column)} = ${value}`);
  await db.run(sql`update ${raw(table)} set ${join(assignments)} where id = ${id}`);
}

/** Deletes the row with an id. */
export async function deleteRow(db: Database, table: TableWithId, id: number): Promise<void> {
  await db.run(sql`delete from ${raw(table)} where id = ${id}`);
}

/** The rows of a record: one of a table, and those of other tables that belong to it. */
export interface RecordRows {
  readonly table: TableWithId;
  /** The columns of the row with text. */
  readonly texts: readonly string[];
  readonly parts?: Readonly<Record<string, Part>>;
  /** Selects the field definitions whose names each record repeats. */
  readonly fields?: Sql;
}

/** Rows, each with its parts, and their field definitions. */
interface ReadRows<R, F> {
  readonly rows: readonly R[];
  readonly fields: readonly F[];
}

/**
 * Returns a function that reads the rows that meet a condition with some values, in the order of their ids, in one
 * statement. The SQL is built once, because that takes longer than to read a record.
 */
export function createConditionReader<R extends { readonly id: number }, F extends object = never>(
  { table, parts = {}, fields }: RecordRows,
  condition: Sql,
) {
  const rows = { rows: sql`select * from ${raw(table)} where ${condition} order by id`, parts };
  const selects = { rows, ...(fields && { fields }) } as Selects<{ rows: R; fields: F }>; // the callers name the types
  return async (db: Database, ...values: unknown[]): Promise<ReadRows<R, F>> => {
    const lists = await db.allOf(selects, [...values, ...(fields?.values ?? [])]);
    return { rows: lists.rows, fields: lists.fields ?? [] };
  };
}

/** Returns a condition reader for rows with some ids. Ids that are close together are read as one range. */
export function createRecordReader<R extends { readonly id: number }, F extends object = never>(
  record: RecordRows,
) {
  const readOne = createConditionReader<R, F>(record, sql`id = ${0}`);
  const readRange = createConditionReader<R, F>(record, sql`id between ${0} and ${0}`);
  const readList = createConditionReader<R, F>(record, isIn('id', []));
  return async (db: Database, ids: readonly number[]): Promise<ReadRows<R, F>> => {
    if (ids.length === 0) return { rows: [], fields: [] };
    if (ids.length === 1) return readOne(db, ids[0]);
    const { first, last, areClose } = measureRange(ids);
    if (!areClose) return readList(db, new ValueList(ids));
    const lists = await readRange(db, first, last);
    if (last - first < ids.length) return lists;
    const idSet = new Set(ids);
    return { ...lists, rows: lists.rows.filter(({ id }) => idSet.has(id)) };
  };
}

function measureRange(ids: readonly number[]) {
  const [first, last] = [Math.min(...ids), Math.max(...ids)];
  return { first, last, areClose: last - first < 4 * ids.length };
}

/** Returns the condition that a column holds one of `ids` or, if they are close together, an id between them. */
export function belongsTo(column: string, ids: readonly number[]): Sql {
  const { first, last, areClose } = measureRange(ids);
  return areClose ? sql`${raw(column)} between ${first} and ${last}` : isIn(column, ids);
}

/** Returns the only item of a list. @throws {Error} if it is empty */
export function getOnly<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('The row does not exist.');
  return item;
}

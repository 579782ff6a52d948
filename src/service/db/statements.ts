import sql, { bulk, empty, join, raw, type Sql } from 'sql-template-tag';
import { settleAll } from '../../values/concurrency.ts';
import type { Database } from './database.ts';
import type { Row, Tables } from './tables.ts';

/** The tables with a numeric id. */
export type TableWithId = {
  [Table in keyof Tables]: Row<Table> extends { id: number } ? Table : never;
}[keyof Tables];

/** Values of columns. An undefined column keeps its value, or gets its default in a new row. */
export type ColumnChanges<Table extends keyof Tables> = {
  readonly [Column in keyof Row<Table>]?: Row<Table>[Column] | undefined;
};

export async function insertRow<Table extends keyof Tables>(
  db: Database,
  table: Table,
  row: ColumnChanges<Table>,
): Promise<void> {
  await db.run(buildInsert(table, row));
}

/** The numbers of rows that one statement inserts. Few different texts, because each is prepared once. */
const insertSizes = [128, 16, 1];

/** Inserts rows with the same columns. All statements are sent at once. */
export async function insertRows(
  db: Database,
  table: keyof Tables,
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): Promise<void> {
  const target = raw(`${table} (${columns.join(', ')})`);
  const inserts: Promise<unknown>[] = [];
  for (let start = 0; start < rows.length; ) {
    const size = insertSizes.find((size) => size <= rows.length - start) ?? 1;
    const cells = rows.slice(start, start + size).map((row) => columns.map((column) => row[column] ?? null));
    inserts.push(db.run(sql`insert into ${target} values ${bulk(cells)}`));
    start += size;
  }
  await settleAll(inserts);
}

/** Inserts a row and returns its id. */
export async function createRow<Table extends TableWithId>(
  db: Database,
  table: Table,
  row: ColumnChanges<Table>,
): Promise<number> {
  return getOnly(await db.all<{ id: number }>(sql`${buildInsert(table, row)} returning id`)).id;
}

const listDefinedColumns = (columns: object) =>
  Object.entries(columns).filter(([, value]) => value !== undefined);

function buildInsert(table: keyof Tables, row: object): Sql {
  const columns = listDefinedColumns(row);
  const names = columns.map(([name]) => name).join(', ');
  return sql`insert into ${raw(table)} (${raw(names)}) values (${join(columns.map(([, value]) => value))})`;
}

/** Returns the row with an id, or the result of `selectRow`, if it exists. `lock`: `forUpdate` or `forShare` locks the row. */
export async function findRow<Table extends TableWithId>(
  db: Database,
  table: Table,
  id: number | Sql | undefined,
  lock = empty,
): Promise<Row<Table> | undefined> {
  return id === undefined ? undefined : db.first(sql`select * from ${raw(table)} where id = ${id}${lock}`);
}

export async function updateRow<Table extends TableWithId>(
  db: Database,
  table: Table,
  id: number,
  columns: ColumnChanges<Table>,
): Promise<void> {
  const changes = listDefinedColumns(columns);
  if (changes.length === 0) return;
  const assignments = changes.map(([column, value]) => sql`${raw(column)} = ${value}`);
  await db.run(sql`update ${raw(table)} set ${join(assignments)} where id = ${id}`);
}

export async function deleteRow(db: Database, table: TableWithId, id: number): Promise<void> {
  await db.run(sql`delete from ${raw(table)} where id = ${id}`);
}

/** Returns the only item of a list. @throws {Error} if it is empty */
export function getOnly<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('The row does not exist.');
  return item;
}

import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Database, RowLists, RowTypes, Selects } from './database.ts';
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

/** Returns the row with an id, if there is one. */
export async function findRow<Table extends TableWithId>(
  db: Database,
  table: Table,
  id: number | undefined,
): Promise<Row<Table> | undefined> {
  return id === undefined ? undefined : db.first(sql`select * from ${raw(table)} where id = ${id}`);
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

/** Groups rows by the record that they belong to, and returns a function that gives those of one record. */
export function groupParts<P extends { readonly record: number }>(
  parts: readonly P[],
): (record: number) => readonly P[] {
  const groups = new Map<number, P[]>();
  for (const part of parts) {
    const group = groups.get(part.record);
    if (group) group.push(part);
    else groups.set(part.record, [part]);
  }
  return (record) => groups.get(record) ?? [];
}

/**
 * Returns a function that reads several selects of rows that belong to records with some ids. `build` builds them from
 * the condition that a column holds one of the ids. Its result is reused for ids that are close together, because to
 * build the SQL takes longer than to read a record.
 */
export function createPartsReader<Rows extends RowTypes>(
  build: (chosen: (column: string) => Sql) => Selects<Rows>,
) {
  const [from, to] = [Symbol('from'), Symbol('to')];
  const ranges = build((column) => sql`${raw(column)} between ${from} and ${to}`);
  const parameters = listValues(ranges);
  return (db: Database, records: readonly { readonly id: number }[]): Promise<RowLists<Rows>> => {
    const ids = records.map(({ id }) => id);
    if (!areClose(ids)) {
      const selects = build((column) => belongsTo(column, ids));
      return db.allOf(selects, listValues(selects));
    }
    const ends = new Map<unknown, number>([
      [from, Math.min(...ids)],
      [to, Math.max(...ids)],
    ]);
    const values = parameters.map((value) => ends.get(value) ?? value);
    return db.allOf(ranges, values);
  };
}

const listValues = (selects: Readonly<Record<string, Sql>>) =>
  Object.values(selects).flatMap(({ values }) => values);

const areClose = (ids: readonly number[]) => Math.max(...ids) - Math.min(...ids) < 4 * ids.length;

/** The condition that a column holds one of some ids. Ids that are close together are read as one range. */
export function belongsTo(column: string, ids: readonly number[]): Sql {
  if (areClose(ids)) return sql`${raw(column)} between ${Math.min(...ids)} and ${Math.max(...ids)}`;
  return sql`${raw(column)} in ${listOf(ids)}`;
}

/** A list of values for `in`, which is one parameter, so that lists of any length have the same text. */
export const listOf = (values: readonly (string | number)[]): Sql =>
  sql`(select value from json_each(${JSON.stringify(values)}))`;

/** Returns the only item of a list. @throws {Error} if it is empty */
export function getOnly<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('The row does not exist.');
  return item;
}

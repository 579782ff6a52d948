import type { SelectType } from 'kysely';
import { type Database, textOf } from './database.ts';
import { grouped } from './rows.ts';
import type { Tables } from './tables.ts';

type Value = string | number;

/** What is read of a row. */
type Row<Table extends keyof Tables, Column extends keyof Tables[Table]> = {
  [Name in Column]: SelectType<Tables[Table][Name]>;
};

/**
 * A query of some columns of a table: `rest` says of which rows and in what order, with a `?` for each value that
 * `bound` makes of what is asked. It is SQL because to load Kysely takes as long as to open a workspace and read a
 * record. The columns come out of SQLite as one JSON text: cell by cell they take six times as long, and row by row
 * half as long again.
 */
export function reading<
  Table extends keyof Tables,
  Column extends keyof Tables[Table] & string,
  Asked extends readonly unknown[],
>(
  table: Table,
  columns: readonly Column[],
  rest: string,
  bound: (...asked: Asked) => readonly Value[],
): (db: Database, ...asked: Asked) => Promise<Row<Table, Column>[]> {
  const gathered = columns.map((column) => `json_group_array(${exact[column] ?? column})`).join(', ');
  const sql = `select json_array(${gathered}) as text from (select ${columns.join(', ')} from ${table} ${rest})`;
  return async (db, ...asked) => rowsOf(columns, await textOf(db, sql, bound(...asked)));
}

/** What has a fraction would lose digits in a JSON text that SQLite makes. */
const exact: Readonly<Record<string, string>> = {
  audio_duration: "json(iif(audio_duration is null, null, printf('%!.17g', audio_duration)))",
};

/** The row of a table by its number, where there is one. */
export function byId<Table extends keyof Tables, Column extends keyof Tables[Table] & string>(
  table: Table,
  columns: readonly Column[],
): (db: Database, id: number) => Promise<Row<Table, Column> | undefined> {
  const rows = reading(table, columns, 'where id = ?', (id: number) => [id]);
  return async (db, id) => (await rows(db, id))[0];
}

/** Rows from the JSON text of their columns. */
function rowsOf<Row>(names: readonly string[], text: string): Row[] {
  const columns: readonly (readonly unknown[])[] = JSON.parse(text);
  const [first = []] = columns;
  return first.map((_, index) => {
    const row: Record<string, unknown> = {};
    for (let column = 0; column < names.length; column += 1) {
      row[names[column] ?? ''] = columns[column]?.[index];
    }
    return row as Row; // the columns that were asked for
  });
}

/**
 * The rows of a table that belong to each of some records, by the column with its number, and then in `order`. Where the
 * records lie close together, the rows of all that lie between are read: to find those of each takes three times as long.
 */
export function belonging<
  Table extends keyof Tables,
  Owner extends keyof Tables[Table] & string,
  Column extends keyof Tables[Table] & string,
>(
  table: Table,
  owner: Owner,
  columns: readonly Column[],
  order: readonly string[],
): (db: Database, records: readonly number[]) => Promise<(record: number) => Row<Table, Owner | Column>[]> {
  const inOrder = `order by ${[owner, ...order].join(', ')}`;
  const all = [owner, ...columns];
  const between = reading(
    table,
    all,
    `where ${owner} between ? and ? ${inOrder}`,
    (from: number, to: number) => [from, to],
  );
  const amongst = reading(
    table,
    all,
    `where ${owner} in (select value from json_each(?)) ${inOrder}`,
    (records: readonly number[]) => [JSON.stringify(records)],
  );
  return async (db, records) => {
    const from = Math.min(...records);
    const to = Math.max(...records);
    const isClose = to - from < 4 * records.length;
    const rows = isClose ? await between(db, from, to) : await amongst(db, records);
    const groups = grouped(rows, (row) => row[owner] as number); // that of a record
    return (record) => groups.get(record) ?? [];
  };
}

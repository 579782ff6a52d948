import {
  AliasNode,
  ColumnNode,
  type CompiledQuery,
  IdentifierNode,
  ReferenceNode,
  type SelectionNode,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { type Database, textOf } from './database.ts';
import { grouped } from './rows.ts';
import type { Tables } from './tables.ts';

type Value = string | number;

/** Stands in a query for a value that is bound when the query is used. */
class Slot {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** What makes the rows of a query out of its columns. */
interface Compiled {
  readonly query: CompiledQuery<{ text: string }>;
  readonly names: readonly string[];
}

/**
 * A query that is built and compiled at its first use; from then on its values are only bound. Its columns come
 * out of SQLite as one JSON text: cell by cell they take six times as long, and row by row half as long again.
 * Numbers with a fraction lose digits in that text, but for those of `fraction`.
 */
export function reading<Values extends readonly Value[], Table extends keyof Tables, Row>(
  build: (db: Database, ...values: Values) => SelectQueryBuilder<Tables, Table, Row>,
): (db: Database, ...values: Values) => Promise<Row[]> {
  let compiled: Compiled | undefined;
  const compile = (db: Database, values: Values): Compiled => {
    const slots = values.map((_, index) => new Slot(index)) as unknown as Values; // for the builder a value is a value
    const rows = build(db, ...slots);
    const names = (rows.toOperationNode().selections ?? []).map(nameOf);
    const columns = sql.join(names.map((name) => sql`json_group_array(${sql.ref(name)})`));
    return {
      names,
      query: sql<{ text: string }>`select json_array(${columns}) as text from ${rows.as('agg')}`.compile(db),
    };
  };
  return async (db, ...values) => {
    compiled ??= compile(db, values);
    const { query, names } = compiled;
    const parameters = query.parameters.map((value) => (value instanceof Slot ? values[value.index] : value));
    return rowsOf<Row>(names, await textOf(db, { ...query, parameters }));
  };
}

/** What a selected column is called in the row. */
function nameOf({ selection }: SelectionNode): string {
  if (AliasNode.is(selection) && IdentifierNode.is(selection.alias)) return selection.alias.name;
  if (ReferenceNode.is(selection) && ColumnNode.is(selection.column)) return selection.column.column.name;
  throw new Error('A column that is read has a name.');
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
    return row as Row; // the builder's own names, in their order
  });
}

/**
 * The rows that belong to each of some records, by the column with its number. Where the records lie close
 * together, the rows of all that lie between are read: to find those of each takes three times as long.
 */
export function belonging<Table extends keyof Tables, Key extends string, Row extends Record<Key, number>>(
  column: Key,
  build: (db: Database) => SelectQueryBuilder<Tables, Table, Row>,
): (db: Database, records: readonly number[]) => Promise<(record: number) => readonly Row[]> {
  const between = reading((db, from: number, to: number) =>
    build(db).where(sql<SqlBool>`${sql.ref(column)} between ${from} and ${to}`),
  );
  const amongst = reading((db, records: string) =>
    build(db).where(sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${records}))`),
  );
  return async (db, records) => {
    const from = Math.min(...records);
    const to = Math.max(...records);
    const isClose = to - from < 4 * records.length;
    const rows = isClose ? await between(db, from, to) : await amongst(db, JSON.stringify(records));
    const groups = grouped<Row, number>(rows, (row) => row[column]);
    return (record) => groups.get(record) ?? [];
  };
}

/** A number with a fraction, or null, as a text that keeps all its digits. */
export const fraction = (column: string) =>
  sql<string | null>`iif(${sql.ref(column)} is null, null, printf('%!.17g', ${sql.ref(column)}))`;

import { type CompiledQuery, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/sqlite';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

type Value = string | number;

/** Stands in a query for a value that is bound when the query is used. */
class Slot {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/**
 * A query that is built and compiled at its first use; from then on its values are only bound. Its rows come
 * out of SQLite as one JSON text: cell by cell they take six times as long. Not for numbers with a fraction,
 * which lose digits in that text.
 */
export function reading<Values extends readonly Value[], Table extends keyof Tables, Row>(
  build: (db: Database, ...values: Values) => SelectQueryBuilder<Tables, Table, Row>,
): (db: Database, ...values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery | undefined;
  const compile = (db: Database, values: Values) => {
    const slots = values.map((_, index) => new Slot(index)) as unknown as Values; // for the builder a value is a value
    const rows = jsonArrayFrom(build(db, ...slots));
    return db.selectNoFrom(rows.as('rows')).compile();
  };
  return async (db, ...values) => {
    compiled ??= compile(db, values);
    const parameters = compiled.parameters.map((value) =>
      value instanceof Slot ? values[value.index] : value,
    );
    const { rows } = await db.executeQuery<{ rows: string }>({ ...compiled, parameters });
    return JSON.parse(rows[0]?.rows ?? '[]');
  };
}

/** `column in (…)` for numbers that come as a JSON array: one query for any number of them. */
export const amongst = (column: string, numbers: string) =>
  sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${numbers}))`;

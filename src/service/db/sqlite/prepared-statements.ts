import type { Sqlite, Statement } from '../../../sqlite/engine.ts';
import { type JsonColumn, selectRows } from '../combine-selects.ts';
import { type Dialect, isRead } from '../render-sql.ts';

/** The SQL of SQLite. A transaction locks the whole file, so that rows need no locks. */
export const sqliteDialect: Dialect = {
  parameter: () => '?',
  isInList: (parameter) => `in (select value from json_each(${parameter}))`,
  toListParameter: (values) => JSON.stringify(values),
  locks: { update: '', share: '' },
  jsonObject: 'json_object',
  jsonArray: (item) => `json_group_array(${item})`,
};

/** A statement, prepared, and whether it only reads. */
export interface PreparedStatement {
  readonly statement: Statement;
  readonly isRead: boolean;
  /** Returns the rows that the statement selects. */
  readonly readRows: (values: readonly unknown[]) => unknown[];
}

/** Returns a function that prepares each text once. */
export function createStatementCache(sqlite: Sqlite): (text: string) => PreparedStatement {
  const cache = new Map<string, PreparedStatement>();
  return (text) => {
    let prepared = cache.get(text);
    if (!prepared) {
      const statement = sqlite.prepare(text);
      const readRows = createRowReader(sqlite, text, statement);
      prepared = { statement, isRead: isRead(text), readRows };
      if (cache.size > 500) cache.clear();
      cache.set(text, prepared);
    }
    return prepared;
  };
}

/** Returns the columns of a statement, as they are in JSON. */
export const describeStatement = (statement: Statement): JsonColumn[] =>
  statement.columns().map(({ name }) => ({ name, value: `"${name}"` }));

/**
 * Returns a function that reads the rows of a query as one JSON text. To parse it takes half the time of moving the
 * cells one by one from SQLite. Rows with a REAL column are moved, because SQLite writes only 15 digits of it as JSON.
 */
function createRowReader(sqlite: Sqlite, text: string, statement: Statement) {
  let asJson: Statement | undefined;
  return (values: readonly unknown[]): unknown[] => {
    if (!asJson) {
      const mayBeJson =
        isRead(text) && !statement.columns().some(({ type }) => type?.toUpperCase() === 'REAL');
      if (!mayBeJson) return statement.all(...values);
      asJson = sqlite.prepare(selectRows(describeStatement(statement), text, sqliteDialect));
    }
    return readJson(asJson, values);
  };
}

/** Runs a statement that selects one JSON text as `rows`, and returns its value. The caller names the type. */
export function readJson<T>(statement: Statement, values: readonly unknown[]): T {
  const { rows } = statement.get(...values) as { rows: string }; // one row, always
  return JSON.parse(rows);
}

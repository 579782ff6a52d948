import type { Sqlite, Statement } from '../../../sqlite/engine.ts';
import { type Dialect, isRead } from '../render-sql.ts';

/** The SQL of SQLite. A transaction locks the whole file, so that rows need no locks. */
export const sqliteDialect: Dialect = {
  parameter: () => '?',
  isInList: (parameter) => `in (select value from json_each(${parameter}))`,
  toListParameter: (values) => JSON.stringify(values),
  lockForUpdate: '',
  lockForShare: '',
  jsonObject: 'json_object',
  jsonArray: (item) => `json_group_array(${item})`,
};

/** A statement, prepared, and whether it only reads. */
export interface PreparedStatement {
  readonly statement: Statement;
  readonly isRead: boolean;
}

/** Returns a function that prepares each text once. */
export function createStatementCache(sqlite: Sqlite): (text: string) => PreparedStatement {
  const cache = new Map<string, PreparedStatement>();
  return (text) => {
    let prepared = cache.get(text);
    if (!prepared) {
      prepared = { statement: sqlite.prepare(text), isRead: isRead(text) };
      if (cache.size > 500) cache.clear();
      cache.set(text, prepared);
    }
    return prepared;
  };
}

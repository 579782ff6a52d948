import type { Sql } from 'sql-template-tag';
import type { Sqlite, Statement } from '../../../sqlite/engine.ts';
import type { Part, RowTypes, Selects, SelectWithParts } from '../database.ts';
import { type Dialect, renderText } from '../render-sql.ts';

/** The SQL of SQLite. A transaction locks the whole file, so that rows need no locks. */
export const sqliteDialect: Dialect = {
  parameter: () => '?',
  isInList: (parameter) => `in (select value from json_each(${parameter}))`,
  toListParameter: (values) => JSON.stringify(values),
  locks: { update: '', share: '' },
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
      const isRead = /^\s*(select|with)\b/i.test(text);
      prepared = { statement, isRead, readRows: createRowReader(sqlite, text, statement, isRead) };
      if (cache.size > 500) cache.clear();
      cache.set(text, prepared);
    }
    return prepared;
  };
}

/** Returns a function that combines several selects into one statement for a JSON object with the rows of each. */
export function createCombine(sqlite: Sqlite) {
  const cache = new WeakMap<Selects<RowTypes>, string>();
  const combineParts = (select: Sql | SelectWithParts): string => {
    const { rows, parts } = 'parts' in select ? select : { rows: select, parts: {} };
    const text = renderText(rows, sqliteDialect);
    const columns = Object.entries(parts).map(([name, part]) => `, '${name}', (${selectPart(part)})`);
    return selectAsJson(text, sqlite.prepare(text), columns.join(''));
  };
  return (selects: Selects<RowTypes>): string => {
    let text = cache.get(selects);
    if (text === undefined) {
      const members = Object.entries(selects).map(([name, select]) => `'${name}', (${combineParts(select)})`);
      text = `select json_object(${members.join(', ')}) as rows`;
      cache.set(selects, text);
    }
    return text;
  };
}

/** Returns a statement that selects the rows of a query as one JSON array, with further members of each row. */
function selectAsJson(text: string, statement: Statement, members = ''): string {
  const pairs = toPairs(statement.columns().map(({ name }) => name));
  return `select json_group_array(json_object(${pairs}${members})) as rows from (${text}) as page`;
}

function selectPart({ columns, from }: Part): string {
  const item = columns.length === 1 ? columns[0] : `json_object(${toPairs(columns)})`;
  return `select json_group_array(${item}) from (select ${columns.join(', ')} ${from})`;
}

const toPairs = (names: readonly string[]) => names.map((name) => `'${name}', "${name}"`).join(', ');

/**
 * Returns a function that reads the rows of a query as one JSON text. To parse it takes half the time of moving the
 * cells one by one from SQLite. Rows with a REAL column are moved, because SQLite writes only 15 digits of it as JSON.
 */
function createRowReader(sqlite: Sqlite, text: string, statement: Statement, isRead: boolean) {
  let asJson: Statement | undefined;
  return (values: readonly unknown[]): unknown[] => {
    if (!asJson) {
      const mayBeJson = isRead && !statement.columns().some(({ type }) => type?.toUpperCase() === 'REAL');
      if (!mayBeJson) return statement.all(...values);
      asJson = sqlite.prepare(selectAsJson(text, statement));
    }
    return readJson(asJson, values);
  };
}

/** Runs a statement that selects one JSON text as `rows`, and returns its value. The caller names the type. */
export function readJson<T>(statement: Statement, values: readonly unknown[]): T {
  const { rows } = statement.get(...values) as { rows: string }; // one row, always
  return JSON.parse(rows);
}

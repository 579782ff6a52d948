import { createHash } from 'node:crypto';
import { type ClientBase, type QueryResult, types } from 'pg';
import type { Queries } from '../database.ts';
import { createQueries, type Dialect } from '../render-sql.ts';
import { isStatementOutdated } from './errors.ts';

/** The SQL of PostgreSQL. Rows may refer to a row that is locked for update. */
const postgresDialect: Dialect = {
  parameter: (number) => `$${number}`,
  isInList: (parameter) => `= any(${parameter})`,
  toListParameter: (values) => values,
  lockForUpdate: ' for no key update',
  lockForShare: ' for share',
  quote: (column) => `cast(to_json(${column}) as text)`,
};

const { builtins } = types;

const parsers = new Map<number, (text: string) => unknown>([
  // No number here exceeds 2^53.
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
  [builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
  [builtins.JSON, (text) => text],
  [builtins.JSONB, (text) => text],
]);

/** Parses the cells of rows: booleans as 0 or 1, JSON as its text, as in a workspace file. */
export const cellTypes = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    return parsers.get(type) ?? types.getTypeParser(type, format === 'binary' ? 'binary' : 'text');
  },
};

/** Sends a statement with its parameters. */
export type SendStatement = (text: string, parameters: readonly unknown[]) => Promise<QueryResult>;

export const createStatements = (send: SendStatement): Queries =>
  createQueries(postgresDialect, async (result, text, parameters) => {
    const { rows, rowCount } = await send(text, parameters);
    if (result === 'run') return rowCount ?? 0;
    return result === 'all' ? rows : rows[0];
  });

/** The maximum number of statements that are prepared under a name. */
const maxPreparedStatements = 500;
const names = new Map<string, string>();
let generation = 0;

/** Returns the name under which a statement is prepared on each connection; undefined if there are too many. */
function nameStatement(text: string): string | undefined {
  const existingName = names.get(text);
  if (existingName !== undefined || names.size >= maxPreparedStatements) return existingName;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const name = `kith_${generation}_${hash}`;
  names.set(text, name);
  return name;
}

/** Sends statements on a connection, each prepared once unless a pooler may change the connection. */
export function createSender(client: Pick<ClientBase, 'query'>, isPooled: boolean): SendStatement {
  return async (text, parameters) => {
    const name = isPooled ? undefined : nameStatement(text);
    try {
      return await client.query({ ...(name !== undefined && { name }), text, values: [...parameters] });
    } catch (error) {
      if (isStatementOutdated(error)) {
        // All statements get new names, so that every connection prepares them again.
        generation += 1;
        names.clear();
      }
      throw error;
    }
  };
}

import { createHash } from 'node:crypto';
import type { ClientBase, FieldDef, QueryResult } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { CombineSelects, DescribeColumns } from '../combine-selects.ts';
import type { Database, RowLists, RowTypes, Selects } from '../database.ts';
import { type Dialect, renderParameters, renderText } from '../render-sql.ts';
import { jsonCasts } from './column-types.ts';
import { isStatementOutdated } from './errors.ts';

/** The SQL of PostgreSQL. Rows may refer to a row that is locked for update. */
export const postgresDialect: Dialect = {
  parameter: (number) => `$${number}`,
  isInList: (parameter) => `= any(${parameter})`,
  toListParameter: (values) => values,
  locks: { update: ' for no key update', share: ' for share' },
  jsonObject: 'json_build_object',
  jsonArray: (item) => `coalesce(json_agg(${item}), '[]')`,
};

/** Sends a statement with its parameters. */
export type SendStatement = (text: string, parameters: readonly unknown[]) => Promise<QueryResult>;

/** The queries of a database, without its transactions. */
export type Queries = Pick<Database, 'all' | 'allOf' | 'first' | 'run'>;

/** Creates the queries over a connection or a pool of them. */
export function createQueries(send: SendStatement, combine: CombineSelects): Queries {
  const query = (statement: Sql) =>
    send(renderText(statement, postgresDialect), renderParameters(statement.values, postgresDialect));
  const describe: DescribeColumns = async (statement) =>
    (await query(sql`select * from (${statement}) as page limit 0`)).fields.map(toJsonColumn);
  return {
    all: async <Row>(statement: Sql) => (await query(statement)).rows as Row[],
    async allOf<Rows extends RowTypes>(selects: Selects<Rows>, values: readonly unknown[]) {
      const text = await combine(selects, describe);
      const { rows } = await send(text, renderParameters(values, postgresDialect));
      return JSON.parse((rows[0] as { rows: string }).rows) as RowLists<Rows>; // one row, always
    },
    first: async <Row>(statement: Sql) => (await query(statement)).rows[0] as Row | undefined,
    run: async (statement: Sql) => (await query(statement)).rowCount ?? 0,
  };
}

const toJsonColumn = ({ name, dataTypeID }: FieldDef) => ({
  name,
  value: `"${name}"${jsonCasts.get(dataTypeID) ?? ''}`,
});

/** The maximum number of statements that are prepared under a name. */
const maxNamed = 500;
const names = new Map<string, string>();
let generation = 0;

/** Returns the name under which a statement is prepared on each connection; undefined if there are too many. */
function nameStatement(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNamed) return known;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const name = `kith_${generation}_${hash}`;
  names.set(text, name);
  return name;
}

/** Gives all statements new names, so that every connection prepares them again. */
function renameStatements(): void {
  generation += 1;
  names.clear();
}

/** Sends statements on a connection, each prepared once. */
export function createSender(client: Pick<ClientBase, 'query'>): SendStatement {
  return async (text, parameters) => {
    const name = nameStatement(text);
    try {
      return await client.query({ ...(name !== undefined && { name }), text, values: [...parameters] });
    } catch (error) {
      if (isStatementOutdated(error)) renameStatements();
      throw error;
    }
  };
}

import sql, { raw, type Sql } from 'sql-template-tag';
import type { Part, RowTypes, Selects } from './database.ts';
import { type Dialect, renderText } from './render-sql.ts';

/** A column of a query, and the expression for its value in JSON. */
export interface JsonColumn {
  readonly name: string;
  readonly value: string;
}

/** Returns the columns of a query. */
export type DescribeColumns = (statement: Sql) => Promise<readonly JsonColumn[]>;

/** Combines several selects into one statement for a JSON object with the rows of each. */
export type CombineSelects = (selects: Selects<RowTypes>, describe: DescribeColumns) => Promise<string>;

/** Returns a function that combines each object of selects once. */
export function createCombiner(dialect: Dialect): CombineSelects {
  const texts = new WeakMap<Selects<RowTypes>, string>();
  return async (selects, describe) => {
    const text = texts.get(selects) ?? (await combineSelects(selects, describe, dialect));
    texts.set(selects, text);
    return text;
  };
}

async function combineSelects(
  selects: Selects<RowTypes>,
  describe: DescribeColumns,
  dialect: Dialect,
): Promise<string> {
  const members: string[] = [];
  let count = 0;
  for (const [name, select] of Object.entries(selects)) {
    const { rows, parts } = 'parts' in select ? select : { rows: select, parts: {} };
    const columns = [...(await describe(rows))];
    for (const [name, part] of Object.entries<Part>(parts))
      columns.push({ name, value: `(${await selectPart(part, describe, dialect)})` });
    const text = renderText(rows, dialect, count);
    count += rows.values.length;
    members.push(`'${name}', (${selectArray(toObject(columns, dialect), text, 'page', dialect)})`);
  }
  return `select ${dialect.jsonObject}(${members.join(', ')}) as rows`;
}

async function selectPart(
  { table, owner, columns, order }: Part,
  describe: DescribeColumns,
  dialect: Dialect,
): Promise<string> {
  const select = `select ${columns.join(', ')} from ${table} where ${owner} =`;
  const described = await describe(sql`${raw(select)} ${0}`);
  const [only, ...others] = described;
  const item = only && others.length === 0 ? only.value : toObject(described, dialect);
  const end = order === undefined ? '' : ` order by ${order}`;
  return selectArray(item, `${select} page.id${end}`, 'part', dialect);
}

/** Returns a select of the rows of a query as one JSON array. */
const selectArray = (item: string, rows: string, name: string, { jsonArray }: Dialect) =>
  `select ${jsonArray(item)} as rows from (${rows}) as ${name}`;

const toObject = (columns: readonly JsonColumn[], { jsonObject }: Dialect) =>
  `${jsonObject}(${columns.map(({ name, value }) => `'${name}', ${value}`).join(', ')})`;

/** Returns a select of the rows of a query as one JSON array. `columns`: the columns of the query. */
export const selectRows = (columns: readonly JsonColumn[], rows: string, dialect: Dialect): string =>
  selectArray(toObject(columns, dialect), rows, 'page', dialect);

import sql, { raw, type Sql } from 'sql-template-tag';
import type { Part, RowTypes, Selects } from '../database.ts';
import { type Dialect, renderText } from '../render-sql.ts';

/** A column of a query, and how it becomes JSON: unchanged, as text, or as a number. */
interface Column {
  readonly name: string;
  readonly kind: 'plain' | 'text' | 'integer';
}

/** Returns the columns of a query. */
export type DescribeColumns = (statement: Sql) => Promise<readonly Column[]>;

/** Combines several selects into one statement for a JSON object with the rows of each. */
export async function combineSelects(
  selects: Selects<RowTypes>,
  describe: DescribeColumns,
  dialect: Dialect,
): Promise<string> {
  const members: string[] = [];
  let count = 0;
  for (const [name, select] of Object.entries(selects)) {
    const { rows, parts } = 'parts' in select ? select : { rows: select, parts: {} };
    const columns = toPairs(await describe(sql`select * from (${rows}) as page limit 0`));
    for (const [name, part] of Object.entries<Part>(parts)) {
      columns.push(`'${name}', (${await selectPart(rows, part, describe)})`);
    }
    const text = renderText(rows, dialect, count);
    count += rows.values.length;
    members.push(`'${name}', (${selectArray(`json_build_object(${columns.join(', ')})`, text, 'page')})`);
  }
  return `select json_build_object(${members.join(', ')}) as rows`;
}

async function selectPart(rows: Sql, { columns, from }: Part, describe: DescribeColumns): Promise<string> {
  const text = `select ${columns.join(', ')} ${from}`;
  const described = await describe(
    sql`select part.* from (${rows}) as page cross join lateral (${raw(text)}) as part limit 0`,
  );
  const [only, ...others] = described;
  const item = only && others.length === 0 ? toValue(only) : `json_build_object(${toPairs(described)})`;
  return selectArray(item, text, 'part');
}

const selectArray = (item: string, rows: string, name: string) =>
  `select coalesce(json_agg(${item}), '[]') from (${rows}) as ${name}`;

const toPairs = (columns: readonly Column[]) =>
  columns.map((column) => `'${column.name}', ${toValue(column)}`);

const casts = { plain: '', text: '::text', integer: '::integer' };

const toValue = ({ name, kind }: Column) => `"${name}"${casts[kind]}`;

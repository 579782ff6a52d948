import sql, { type Sql } from 'sql-template-tag';
import type { Encoder, Encoders } from './foreign-ids.ts';
import type { Resource } from './ids.ts';
import { type Dialect, EngineText } from './render-sql.ts';
import { formatTimestamp } from './timestamps.ts';

/** Characters that separate texts in the result of a statement. JSON contains none of them. */
export const separators = { segment: '\u0001', record: '\u0002', item: '\u0003', cell: '\u0004' } as const;

/** An expression of SQL whose value is a text. */
type Expression = (dialect: Dialect) => string;

/** The values that the members of a batch of records need. `Owner`: the owner of the records, such as a list. */
export interface RenderContext<Owner = undefined, Related = undefined> {
  readonly ids: Encoders;
  readonly fields: readonly RenderedField[];
  readonly owner: Owner;
  /** The records of other tables that were read for the batch. */
  readonly related: Related;
}

/** A member of a record's JSON: what the database selects, and how its text becomes JSON. */
export interface Member<Owner = undefined, Related = undefined> {
  /** The expression for the record in `page`; must not be null. */
  readonly select: Expression;
  /** Returns JSON; undefined if the record does not have the member. If omitted, the text is the JSON. */
  readonly render?:
    | ((text: string, context: RenderContext<Owner, Related>) => string | undefined)
    | undefined;
}

/** A text or a number. `absent`: the JSON for null. */
export const value = (column: string, absent = 'null') => ({
  select: ({ quote }: Dialect) =>
    `case when page.${column} is null then '${absent}' else ${quote(`page.${column}`)} end`,
});

const toBoolean = (column: string) => `case when ${column} then 'true' else 'false' end`;

export const boolean = (column: string) => ({ select: () => toBoolean(`page.${column}`) });

const encode = (encoder: Encoder, row: string) => JSON.stringify(encoder.encode(Number(row)));

/** The id of the record, or of a record that it refers to. */
export const id = (resource: Resource, column = 'id') => ({
  select: () => `page.${column}`,
  render: (row: string, { ids }: { readonly ids: Encoders }) =>
    row === '' ? 'null' : encode(ids[resource], row),
});

export const time = (column: string) => ({
  select: () => `page.${column}`,
  render: (milliseconds: string) =>
    milliseconds === '' ? 'null' : `"${formatTimestamp(Number(milliseconds))}"`,
});

export const stamps = { created_at: time('created_at'), updated_at: time('updated_at') } as const;

/** A column with JSON. */
export const json = (column: string, absent = 'null') => ({
  select: () => `coalesce(cast(page.${column} as text), '${absent}')`,
  render: formatJson,
});

/** Formats JSON as JSON.stringify does: PostgreSQL stores it in another format, except for texts without escapes. */
function formatJson(text: string): string {
  return text.startsWith('"') && !text.includes('\\') ? text : JSON.stringify(JSON.parse(text));
}

/** Rows of another table that belong to a record. */
interface Part {
  readonly table: string;
  /** The column with the id of the record. */
  readonly owner: string;
  readonly order: string;
}

const selectPart = ({ table, owner, order }: Part) =>
  `select * from ${table} where ${owner} = page.id order by ${order}`;

/** An array with the JSON of each row of a part. */
export const list = (part: Part, item: Expression) => ({
  select: (dialect: Dialect) =>
    `concat('[', (select string_agg(${item(dialect)}, ',') from (${selectPart(part)}) as part), ']')`,
});

/** An array of the texts in a column of a part. */
export const texts = (part: Part, column: string) => list(part, ({ quote }) => quote(column));

/** The expression for all rows of a selection with some cells. */
const joinCells = (cells: readonly string[]) =>
  `string_agg(concat(${cells.join(`, '${separators.cell}', `)}), '${separators.item}')`;

const splitRows = (text: string) => (text === '' ? [] : text.split(separators.item));

/** The definitions of fields in the rows of a part. */
export const definitions = (part: Part) => ({
  select: ({ quote }: Dialect) => {
    const cells = [quote('name'), quote('data_type'), toBoolean('accepts_multiple_values'), 'options'];
    return `(select ${joinCells(cells)} from (${selectPart(part)}) as part)`;
  },
  render: (text: string) => `[${splitRows(text).map(renderDefinition).join(',')}]`,
});

function renderDefinition(row: string): string {
  const [name, type, isMultiple, options = ''] = row.split(separators.cell);
  return `{"name":${name},"data_type":${type},"accepts_multiple_values":${isMultiple},"options":${formatJson(options)}}`;
}

/** The expression for the fields that a statement selects. */
export const selectFields = (selection: Sql): Sql =>
  sql`(select ${new EngineText(({ quote }) => joinCells(['id', quote('name'), quote('data_type')]))}
    from (${selection}) as field)`;

/** A defined field, in the order of the rows. */
interface RenderedField {
  /** The text before its value in the result of `values`. */
  readonly prefix: string;
  /** The JSON before its value in a record. */
  readonly start: string;
  /** Its position among the members of a record. */
  readonly position: number;
}

/** Renders the result of `selectFields` for the values of records. */
export function renderFields(text: string, encoder: Encoder): readonly RenderedField[] {
  const fields = splitRows(text)
    .map((row) => row.split(separators.cell))
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([row = '', name, type]) => ({ row, key: encode(encoder, row), name, type }));
  // An object lists keys that are integers first, as JSON.stringify does.
  const keys = Object.keys(Object.fromEntries(fields.map(({ key }) => [JSON.parse(key), 0])));
  return fields.map(({ row, key, name, type }) => ({
    prefix: `${row}${separators.cell}`,
    start: `${key}:{"name":${name},"data_type":${type},"value":`,
    position: keys.indexOf(JSON.parse(key)),
  }));
}

/** The map of a record's values in the defined fields. A field without a value is null (specification, 2.3). */
export const values = (table: 'contact_value' | 'organization_value' | 'entry_value') => ({
  select: () =>
    `(select ${joinCells(['field_id', 'value'])}
      from (select field_id, value from ${table} where record_id = page.id order by field_id) as part)`,
  render(text: string, { fields }: { readonly fields: readonly RenderedField[] }) {
    const members: string[] = [];
    let at = 0; // the values have the order of the fields
    for (const { prefix, start, position } of fields) {
      let value = 'null';
      if (text.startsWith(prefix, at)) {
        const separator = text.indexOf(separators.item, at);
        const end = separator < 0 ? text.length : separator;
        value = formatJson(text.slice(at + prefix.length, end));
        at = end + 1;
      }
      members[position] = `${start}${value}}`;
    }
    return `{${members.join(',')}}`;
  },
});

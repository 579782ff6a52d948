import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { Database } from './database.ts';
import { type Encoders, foreignIdsExist, selectRow, toRowValues, withEncoders } from './foreign-ids.ts';
import type { Resource } from './ids.ts';
import { EngineText, isIn, ValueList } from './render-sql.ts';
import type { TableWithId } from './statements.ts';
import type { Tables } from './tables.ts';

/** The tables and columns of a kind of record: one row for each record, with related rows of other tables. */
export interface RecordRows {
  readonly table: TableWithId;
  /** The kind of their ids. */
  readonly resource: Resource;
  readonly columns: readonly string[];
  readonly parts?: Readonly<Record<string, Part>>;
  /** The field definitions, whose names each record repeats. */
  readonly fields?: { readonly columns: readonly string[]; readonly select: Sql };
  /** The column with the owner of a record, such as an entry's list. `fields.select` then takes the owner as its value. */
  readonly owner?: string;
  /** The condition of a lookup, which takes one value. */
  readonly lookup?: Sql;
}

/**
 * Rows of another table that belong to a row. One column becomes an array of values, several columns become an array of
 * objects.
 */
export interface Part {
  readonly table: keyof Tables;
  /** The column with the id of the owning row. */
  readonly owner: string;
  readonly columns: readonly string[];
  readonly order?: string;
}

/** The rows of records, each with its parts, and their field definitions. */
export interface ReadRows<R, F> {
  readonly rows: readonly R[];
  readonly fields: readonly F[];
  /** Whether the workspace has ids of another service. */
  readonly hasForeignIds: boolean;
}

/** The rows whose id is at least `from`, without the first `offset` rows. */
interface RowWindow {
  readonly from: number;
  readonly offset: number;
  readonly limit: number;
}

/** Reads a table's records, or one owner's records. A batch has at most `maxPageBytes` of JSON, or one record. */
export interface RecordReader<T> {
  /** Reads the record with a row id, if there is one. */
  readOne(db: Database, id: number): Promise<readonly T[]>;
  /** Reads the record with an id, if there is one. */
  readById(db: Database, id: string): Promise<readonly T[]>;
  /** Reads the record that matches a lookup, if there is one. */
  lookUp(db: Database, key: string): Promise<readonly T[]>;
  /** Reads records by row id, in the order of the ids. */
  readIds(db: Database, ids: readonly number[]): AsyncIterable<readonly T[]>;
  readWindow(db: Database, window: RowWindow): AsyncIterable<readonly T[]>;
}

/** Builds records from their rows, with the ids of the rows. It may run twice for the same rows, and must not change them. */
type BuildRecords<R, F, T> = (
  rows: ReadRows<R, F>,
  ids: Encoders,
  db: Database,
) => readonly T[] | Promise<readonly T[]>;

/** The size of a page in bytes of JSON. A single record may be larger. */
export const maxPageBytes = 8 * 1024 * 1024;

/** The maximum number of rows that one statement reads. */
const maxRows = 100;

/** More bytes than any row's JSON has. */
const unlimited = 2 ** 31 - 1;

interface RowWithId {
  readonly id: number;
}

/** Returns a function that creates readers. The SQL is built once, which takes longer than reading a record. */
export function createRecordReader<R extends RowWithId, F = never>(record: RecordRows) {
  const single = buildSelect(record, sql`id = ${0} limit 1`);
  const byId = buildSelect(record, sql`id = ${selectRow(record.resource, '')} limit 1`);
  const lookup = buildSelect(record, sql`${record.lookup ?? sql`id = ${0}`} limit 1`);
  const list = buildSelect(record, isIn('id', []));
  const window = buildSelect(record, sql`id >= ${0} order by id limit ${0} offset ${0}`);
  return <T>(buildRecords: BuildRecords<R, F, T>, owner?: number): RecordReader<T> => {
    const build = (rows: ReadRows<R, F>, db: Database) =>
      withEncoders(db, rows.hasForeignIds, (ids) => buildRecords(rows, ids, db));
    const owners = owner === undefined ? [] : [owner];
    const fieldValues = owner === undefined ? (record.fields?.select.values ?? []) : owners;
    const read = async (db: Database, select: Sql, maxBytes: number, ...values: unknown[]) => {
      const parameters = [Math.floor(maxBytes), ...fieldValues, ...owners, ...values];
      const row = await db.first<{ json: string }>(select, parameters);
      return JSON.parse(row?.json ?? '') as ReadRows<R | number, F>; // the statement always returns one row
    };
    const readWhole = async (db: Database, select: Sql, ...key: unknown[]) =>
      build((await read(db, select, unlimited, ...key)) as ReadRows<R, F>, db);
    /** Yields small records together, and reads large records one by one. */
    async function* buildChunk(db: Database, { rows, ...others }: ReadRows<R | number, F>) {
      let small: R[] = [];
      for (const row of rows) {
        if (typeof row !== 'number') {
          small.push(row);
          continue;
        }
        if (small.length > 0) yield await build({ rows: small, ...others }, db);
        small = [];
        yield await readWhole(db, single, row);
      }
      if (small.length > 0) yield await build({ rows: small, ...others }, db);
    }
    return {
      readOne: (db, id) => readWhole(db, single, id),
      readById: (db, id) => readWhole(db, byId, ...toRowValues(record.resource, id)),
      lookUp: (db, key) => readWhole(db, lookup, key),
      async *readIds(db, ids) {
        for (let start = 0; start < ids.length; start += maxRows) {
          const chunk = ids.slice(start, start + maxRows);
          const share = maxPageBytes / chunk.length;
          const { rows, ...others } = await read(db, list, share, new ValueList(chunk));
          const rowsById = new Map(rows.map((row) => [typeof row === 'number' ? row : row.id, row]));
          yield* buildChunk(db, { rows: chunk.flatMap((id) => rowsById.get(id) ?? []), ...others });
        }
      },
      async *readWindow(db, { from, offset, limit }) {
        let [start, skippedCount] = [from, offset];
        for (let left = limit; left > 0; left -= maxRows) {
          const count = Math.min(left, maxRows);
          const chunk = await read(db, window, maxPageBytes / count, start, count, skippedCount);
          yield* buildChunk(db, chunk);
          const last = chunk.rows.at(-1);
          if (last === undefined) return;
          [start, skippedCount] = [(typeof last === 'number' ? last : last.id) + 1, 0];
        }
      },
    };
  };
}

/**
 * Returns a select statement for one JSON object with the rows of `selection` and their field definitions. The first
 * value of the statement is the maximum size of a row. A larger row is replaced by its id, so that several large rows
 * are never in memory together.
 */
function buildSelect({ table, columns, parts = {}, fields, owner }: RecordRows, selection: Sql): Sql {
  const item = new EngineText((dialect) => {
    const members = columns.map((column) => [column, toJsonValue(`page.${column}`)] as const);
    const lists = Object.entries(parts).map(([name, part]) => {
      const order = part.order === undefined ? '' : ` order by ${part.order}`;
      const rows = `select ${part.columns.join(', ')} from ${part.table} where ${part.owner} = page.id${order}`;
      const [column = '', ...others] = part.columns;
      const value = others.length === 0 ? toJsonValue(column) : toObject(part.columns, dialect.jsonObject);
      return [name, `(select ${dialect.jsonArray(value)} from (${rows}) as part)`] as const;
    });
    return formatObject([...members, ...lists], dialect.jsonObject);
  });
  const definitions = fields
    ? sql`cast((select ${new EngineText(({ jsonArray, jsonObject }) => jsonArray(toObject(fields.columns, jsonObject)))}
        from (${fields.select}) as field) as text)`
    : sql`'[]'`;
  const condition = owner === undefined ? empty : sql`${raw(owner)} = ${0} and`;
  // Without the second limit, the engines would build the JSON of each row twice, once only for its length.
  return sql`select '{"rows":[' || coalesce(string_agg(
        case when octet_length(item) <= ${unlimited} then item else cast(id as text) end, ','), '')
      || '],"fields":' || ${definitions}
      || ',"hasForeignIds":' || case when ${foreignIdsExist} then 'true' else 'false' end || '}' as json
    from (
      select page.id, cast(${item} as text) as item
      from (select * from ${raw(table)} where ${condition} ${selection}) as page
      limit ${raw(String(maxRows))}
    ) as items`;
}

/** Casts for boolean and JSON columns of PostgreSQL, so that rows have the same values on both engines. */
const casts: Readonly<Record<string, 'integer' | 'text'>> = {
  accepts_multiple_values: 'integer',
  duplicates_allowed: 'integer',
  options: 'text',
  process: 'integer',
  shown: 'integer',
  statuses: 'text',
  value: 'text',
};

/** Returns the expression for a column's value in JSON. */
function toJsonValue(column: string): string {
  const type = casts[column.replace('page.', '')];
  return type === undefined ? column : `cast(${column} as ${type})`;
}

const toObject = (columns: readonly string[], jsonObject: string) =>
  formatObject(
    columns.map((column) => [column, toJsonValue(column)]),
    jsonObject,
  );

const formatObject = (members: readonly (readonly [name: string, value: string])[], jsonObject: string) =>
  `${jsonObject}(${members.map(([name, value]) => `'${name}', ${value}`).join(', ')})`;

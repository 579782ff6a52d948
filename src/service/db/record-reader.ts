import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Database } from './database.ts';
import { type Encoders, foreignIdsExist, selectRow, toRowValues, withEncoders } from './foreign-ids.ts';
import type { Resource } from './ids.ts';
import { type Member, type RenderContext, renderFields, selectFields, separators } from './record-members.ts';
import { type Dialect, EngineText, isIn, ValueList } from './render-sql.ts';
import { getOnly, type TableWithId } from './statements.ts';

/** A kind of record: the rows of a table, and how they become JSON. */
export interface RecordRows<Owner = undefined, Related = undefined> {
  readonly table: TableWithId;
  /** The kind of their ids. */
  readonly resource: Resource;
  /** The members of the JSON in order, the id first. */
  readonly members: Readonly<Record<string, Member<Owner, Related>>>;
  /** The defined fields of the records, and the kind of their ids. */
  readonly fields?: { readonly resource: Resource; readonly select: Sql };
  /** The column with the owner of a record, such as an entry's list. `fields.select` then takes the owner as its value. */
  readonly owner?: string;
  /** The condition of rows that are records. */
  readonly condition?: string;
  /** The condition of a lookup, which takes one value. */
  readonly lookup?: Sql;
  /** Reads records of other tables that belong to rows. */
  readonly readRelated?: (db: Database, rows: readonly number[]) => Promise<Related>;
}

/**
 * Reads a table's records, or one owner's records. Lists are batches of records as JSON. A batch has at most
 * `maxPageBytes`, or one record.
 */
export interface RecordReader<T> {
  /** Reads the record with a row id. @throws {Error} if there is none */
  readOne(db: Database, id: number): Promise<T>;
  /** Reads the record with an id, if there is one. */
  readById(db: Database, id: string): Promise<readonly T[]>;
  /** Reads the record that matches a lookup, if there is one. */
  lookUp(db: Database, key: string): Promise<readonly T[]>;
  /** Reads records by row id, in the order of the ids. */
  readIds(db: Database, ids: readonly number[]): AsyncIterable<readonly string[]>;
  /** Reads `limit` rows whose id is at least `from`, without the first `offset` rows. */
  readWindow(
    db: Database,
    window: { readonly from: number; readonly offset: number; readonly limit: number },
  ): AsyncIterable<readonly string[]>;
}

/** The rows of records as `buildSelect` selects them: each with the texts of its members, or only its id if it is large. */
interface ReadRows {
  readonly rows: readonly (readonly string[])[];
  readonly fields: string;
  /** Whether the workspace has ids of another service. */
  readonly hasForeignIds: boolean;
}

/** The size of a page in bytes of JSON. A single record may be larger. */
export const maxPageBytes = 8 * 1024 * 1024;

/** The maximum number of rows that one statement reads. */
const maxRows = 100;

/** More bytes than any row has. */
const unlimited = 2 ** 31 - 1;

const isLarge = (row: readonly string[]) => row.length === 1;
const getRowId = ([id]: readonly string[]) => Number(id);

/** Returns a function that opens readers. The SQL is built once, which takes longer than reading a record. */
export function createRecordReader<
  T,
  Owner extends { readonly id: number } | undefined = undefined,
  Related = undefined,
>(record: RecordRows<Owner, Related>) {
  const { single, byId, lookup, list, window } = buildSelects(record);
  const render = createRenderer(record);
  return (owner: Owner): RecordReader<T> => {
    const owners = owner === undefined ? [] : [owner.id];
    const fieldValues = owner === undefined ? (record.fields?.select.values ?? []) : owners;
    const read = async (db: Database, select: Sql, maxBytes: number, ...values: unknown[]) =>
      parseRows(await db.first(select, [Math.floor(maxBytes), ...fieldValues, ...owners, ...values]));
    const readWhole = async (db: Database, select: Sql, ...key: unknown[]) =>
      render(await read(db, select, unlimited, ...key), db, owner);
    const readRecords = async (db: Database, select: Sql, ...key: unknown[]) =>
      (await readWhole(db, select, ...key)).map((text): T => JSON.parse(text));
    /** Yields small records together, and reads large records one by one. */
    async function* renderChunk(db: Database, { rows, ...others }: ReadRows) {
      let small: (readonly string[])[] = [];
      for (const row of rows) {
        if (!isLarge(row)) {
          small.push(row);
          continue;
        }
        if (small.length > 0) yield await render({ rows: small, ...others }, db, owner);
        small = [];
        yield await readWhole(db, single, getRowId(row));
      }
      if (small.length > 0) yield await render({ rows: small, ...others }, db, owner);
    }
    return {
      readOne: async (db, id) => getOnly(await readRecords(db, single, id)),
      readById: (db, id) => readRecords(db, byId, ...toRowValues(record.resource, id)),
      lookUp: (db, key) => readRecords(db, lookup, key),
      async *readIds(db, ids) {
        for (let start = 0; start < ids.length; start += maxRows) {
          const chunk = ids.slice(start, start + maxRows);
          const { rows, ...others } = await read(db, list, maxPageBytes / chunk.length, new ValueList(chunk));
          const rowsById = new Map(rows.map((row) => [getRowId(row), row]));
          const ordered = chunk.map((id) => rowsById.get(id)).filter((row) => row !== undefined);
          yield* renderChunk(db, { rows: ordered, ...others });
        }
      },
      async *readWindow(db, { from, offset, limit }) {
        let [start, skippedCount] = [from, offset];
        for (let left = limit; left > 0; left -= maxRows) {
          const count = Math.min(left, maxRows);
          const chunk = await read(db, window, maxPageBytes / count, start, count, skippedCount);
          yield* renderChunk(db, chunk);
          const last = chunk.rows.at(-1);
          if (last === undefined) return;
          [start, skippedCount] = [getRowId(last) + 1, 0];
        }
      },
    };
  };
}

/** A text of a row: a member that needs rendering, or members that the database renders, with their names. */
interface Segment<Owner, Related> {
  /** The name of a member that needs rendering, as JSON. */
  readonly start: string;
  readonly selects: ((dialect: Dialect) => string)[];
  readonly render: Member<Owner, Related>['render'];
}

function splitSegments<Owner, Related>({ members }: RecordRows<Owner, Related>) {
  const segments: Segment<Owner, Related>[] = [];
  for (const [name, { select, render }] of Object.entries(members)) {
    const start = `"${name}":`;
    const last = segments.at(-1);
    const selectNamed = (dialect: Dialect) => `'${start}', ${select(dialect)}`;
    if (render) segments.push({ start, selects: [select], render });
    else if (last && !last.render) last.selects.push(selectNamed);
    else segments.push({ start: '', selects: [selectNamed], render });
  }
  return segments;
}

function createRenderer<Owner, Related>(record: RecordRows<Owner, Related>) {
  const { fields, readRelated } = record;
  const segments = splitSegments(record);
  const renderRecord = (texts: readonly string[], context: RenderContext<Owner, Related>) => {
    let json = '';
    for (let index = 0; index < segments.length; index += 1) {
      const { start = '', render } = segments[index] ?? {};
      const text = texts[index] ?? '';
      const member = render ? render(text, context) : text;
      if (member !== undefined) json += (json === '' ? '{' : ',') + start + member;
    }
    return `${json}}`;
  };
  return async (
    { rows, hasForeignIds, ...others }: ReadRows,
    db: Database,
    owner: Owner,
  ): Promise<string[]> => {
    if (rows.length === 0) return [];
    const related = (await readRelated?.(db, rows.map(getRowId))) as Related; // undefined if there are none
    return withEncoders(db, hasForeignIds, (ids: Encoders) => {
      const context = {
        ids,
        fields: fields ? renderFields(others.fields, ids[fields.resource]) : [],
        owner,
        related,
      };
      return rows.map((row) => renderRecord(row, context));
    });
  };
}

function parseRows(
  result: { records: string | null; fields: string | null; hasForeignIds: number } | undefined,
): ReadRows {
  return {
    rows: result?.records?.split(separators.record).map((row) => row.split(separators.segment)) ?? [],
    fields: result?.fields ?? '',
    hasForeignIds: result?.hasForeignIds === 1,
  };
}

const buildSelects = <Owner, Related>(record: RecordRows<Owner, Related>) => ({
  single: buildSelect(record, sql`id = ${0} limit 1`),
  byId: buildSelect(record, sql`id = ${selectRow(record.resource, '')} limit 1`),
  lookup: buildSelect(record, sql`${record.lookup ?? sql`id = ${0}`} limit 1`),
  list: buildSelect(record, isIn('id', [])),
  window: buildSelect(record, sql`id >= ${0} order by id limit ${0} offset ${0}`),
});

/**
 * Returns a select statement for the rows of `selection` and their field definitions, with separators. The first value
 * of the statement is the maximum size of a row. A larger row is replaced by its id, so that several large rows are
 * never in memory together.
 */
function buildSelect<Owner, Related>(record: RecordRows<Owner, Related>, selection: Sql): Sql {
  const { table, fields, owner, condition } = record;
  const item = new EngineText((dialect) => {
    const segments = splitSegments(record).map(({ selects }) =>
      selects.map((select) => select(dialect)).join(", ',', "),
    );
    return `concat(${segments.join(`, '${separators.segment}', `)})`;
  });
  const conditions = [
    ...(owner === undefined ? [] : [sql`${raw(owner)} = ${0}`]),
    ...(condition === undefined ? [] : [raw(condition)]),
    selection,
  ];
  // Without the second limit, the engines would build each row twice, once only for its length.
  return sql`select string_agg(case when octet_length(item) <= ${unlimited} then item else cast(id as text) end,
        '${raw(separators.record)}') as records,
      ${fields ? selectFields(fields.select) : raw("''")} as fields, ${foreignIdsExist} as "hasForeignIds"
    from (
      select page.id, ${item} as item
      from (select * from ${raw(table)} where ${join(conditions, ' and ')}) as page
      limit ${raw(String(maxRows))}
    ) as items`;
}

import { type Database, textOf } from './database.ts';
import type { Tables } from './tables.ts';

type Value = string | number;

/** The largest page, in bytes of the texts in it. A single record may be larger. */
const maxPageBytes = 8 * 1024 * 1024;

/** Where the texts of a record are stored. */
export interface RecordTexts {
  readonly table: keyof Tables;
  readonly columns: readonly string[];
  /** Tables whose rows belong to a record, with the column that holds its id. */
  readonly parts?: readonly (readonly [table: keyof Tables, owner: string, columns: readonly string[]])[];
  /** The field definitions whose names each record repeats: a table and a condition. */
  readonly fields?: string;
}

/** Bytes of JSON around the value of a field, besides its name. */
const aroundValue = 60;

/**
 * Returns a query for the number of bytes of text in some records. `rest` selects the records, with a `?1`, `?2` for the
 * values. SQLite knows the length of a text without reading it.
 */
export function readingBytes<Asked extends readonly unknown[]>(
  { table, columns, parts = [], fields }: RecordTexts,
  rest: string,
  bound: (...asked: Asked) => readonly Value[],
): (db: Database, ...asked: Asked) => Promise<number> {
  const sums = [
    'select sum(bytes) from page',
    ...parts.map(
      ([part, owner, texts]) =>
        `select sum(${bytesOf(texts)}) from ${part} where ${owner} in (select id from page)`,
    ),
    ...(fields === undefined
      ? []
      : [`select count(*) * (select sum(octet_length(name) + ${aroundValue}) from ${fields}) from page`]),
  ];
  const total = sums.map((sum) => `ifnull((${sum}), 0)`).join(' + ');
  const sql = `with page as materialized (select id, ${bytesOf(columns)} as bytes from ${table} ${rest})
    select cast(${total} as text) as text`;
  return async (db, ...asked) => Number(await textOf(db, sql, bound(...asked)));
}

/** The same for the records of some rows. */
export const readingBytesOfRows = (texts: RecordTexts): CountBytes =>
  readingBytes(texts, 'where id in (select value from json_each(?1))', (rows) => [
    JSON.stringify(rows.map(({ id }) => id)),
  ]);

const bytesOf = (columns: readonly string[]) =>
  columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(' + ');

type CountBytes = (db: Database, rows: readonly { readonly id: number }[]) => Promise<number>;

/** Returns the first of some rows, as many as fit into a page. */
export async function fitRows<Row extends { readonly id: number }>(
  db: Database,
  rows: readonly Row[],
  countBytes: CountBytes,
): Promise<readonly Row[]> {
  return rows.slice(0, await fitLimit(rows.length, (limit) => countBytes(db, rows.slice(0, limit))));
}

/** Halves the number of records of a page until their texts fit into one; at least 1. */
export async function fitLimit(
  limit: number,
  countBytes: (limit: number) => Promise<number>,
): Promise<number> {
  let fitting = limit;
  while (fitting > 1 && (await countBytes(fitting)) > maxPageBytes) fitting = Math.floor(fitting / 2);
  return fitting;
}

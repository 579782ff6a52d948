import sql from 'sql-template-tag';
import type { Database } from './database.ts';
import { ids, type Resource } from './ids.ts';
import { isIn } from './render-sql.ts';

/** Encodes row numbers as ids. */
export interface Encoder {
  readonly encode: (row: number) => string;
}

export type Encoders = Readonly<Record<Resource, Encoder>>;

/** Tables of which one has rows as soon as a workspace has any record. */
const filledTables = ['contact', 'organization', 'list', 'custom_field', 'calendar_event'];

// The conditions make the engines search an index for the first row.
const inspection = sql([
  `select exists (select 1 from foreign_id where resource > '') as "isUsed",
    ${filledTables.map((table) => `exists (select 1 from ${table} where id > 0)`).join(' or ')} as "isFilled"`,
]);

/**
 * Whether records have ids of another service. The answer is cached per open database once the workspace has a record:
 * a restore needs a workspace without records.
 */
async function hasForeignIds(db: Database): Promise<boolean> {
  const { foreignIds } = db;
  if (foreignIds.areUsed !== undefined) return foreignIds.areUsed;
  const state = await db.first<{ isUsed: number; isFilled: number }>(inspection);
  if (state?.isUsed === 1) foreignIds.areUsed = true;
  else if (state?.isFilled === 1) foreignIds.areUsed = false;
  return state?.isUsed === 1;
}

/** Returns the row number of an id; undefined if the text is not the id of a row. The row may not exist. */
export async function decodeId(db: Database, resource: Resource, id: string): Promise<number | undefined> {
  const row = ids[resource].decode(id);
  // A path may contain U+0000, which PostgreSQL refuses in a text.
  if (id.includes('\0') || !(await hasForeignIds(db))) return row;
  const found = await db.first<{ row: number }>(
    sql`select row_id as row from foreign_id where resource = ${resource} and id = ${id}`,
  );
  if (found || row === undefined) return found?.row;
  const other = sql`select 1 as found from foreign_id where resource = ${resource} and row_id = ${row}`;
  return (await db.first(other)) ? undefined : row;
}

/** Returns the id of a row. */
export const encodeId = (db: Database, resource: Resource, row: number): Promise<string> =>
  withEncoders(db, (encoders) => encoders[resource].encode(row));

/**
 * Builds records with the ids of their rows. If the workspace has ids of another service, `build` runs twice: the first
 * time only to find the rows whose ids it needs.
 */
export async function withEncoders<T>(
  db: Database,
  build: (encoders: Encoders) => T | Promise<T>,
): Promise<T> {
  if (db.foreignIds.areUsed === false || !(await hasForeignIds(db))) return build(ids);
  const rows = new Map<Resource, Set<number>>();
  await build(
    mapResources((resource) => (row) => {
      rows.set(resource, (rows.get(resource) ?? new Set()).add(row));
      return String(row);
    }),
  );
  const foreign = new Map<Resource, ReadonlyMap<number, string>>();
  for (const [resource, needed] of rows)
    foreign.set(resource, await readForeignIds(db, resource, [...needed]));
  return build(
    mapResources((resource) => (row) => foreign.get(resource)?.get(row) ?? ids[resource].encode(row)),
  );
}

function mapResources(createEncode: (resource: Resource) => (row: number) => string): Encoders {
  const entries = Object.keys(ids).map((name) => {
    const resource = name as Resource; // a key of `ids`
    return [resource, { encode: createEncode(resource) }];
  });
  return Object.fromEntries(entries) as Encoders; // as above
}

async function readForeignIds(db: Database, resource: Resource, rows: readonly number[]) {
  const found = await db.all<{ row_id: number; id: string }>(
    sql`select row_id, id from foreign_id where resource = ${resource} and ${isIn('row_id', rows)}`,
  );
  return new Map(found.map(({ row_id, id }) => [row_id, id]));
}

import sql, { raw, type Sql } from 'sql-template-tag';
import type { Database } from './database.ts';
import { ids, type Resource } from './ids.ts';
import { isIn } from './render-sql.ts';

/** Encodes row numbers as ids. */
export interface Encoder {
  readonly encode: (row: number) => string;
}

export type Encoders = Readonly<Record<Resource, Encoder>>;

/**
 * The condition that records have ids of another service. It is part of each statement that reads records, because a
 * restore may have added such ids since the last request. The condition `resource > ''` makes the engines search an index.
 */
export const foreignIdsExist = raw("exists (select 1 from foreign_id where resource > '')");

/** Returns the values in the expression that `selectRow` returns. */
export function toRowValues(resource: Resource, id: string): readonly (string | number | null)[] {
  const row = ids[resource].decode(id) ?? null;
  // A path may contain U+0000, which PostgreSQL refuses in a text.
  return [id.includes('\0') ? null : id, row, row];
}

/** Returns the expression for the row number of an id; null if the text is not the id of a row. The row may not exist. */
export function selectRow(resource: Resource, id: string): Sql {
  const [text, row] = toRowValues(resource, id);
  const ofResource = raw(`from foreign_id where resource = '${resource}'`);
  return sql`coalesce((select row_id ${ofResource} and id = ${text} limit 1),
    case when not exists (select 1 ${ofResource} and row_id = ${row}) then cast(${row} as bigint) end)`;
}

/** Reads the row number of an id; undefined if the text is not the id of a row. The row may not exist. */
export async function decodeId(db: Database, resource: Resource, id: string): Promise<number | undefined> {
  const row = await db.first<{ row: number | null }>(sql`select ${selectRow(resource, id)} as row`);
  return row?.row ?? undefined;
}

export const encodeId = (db: Database, resource: Resource, row: number): Promise<string> =>
  withEncoders(db, true, (encoders) => encoders[resource].encode(row));

/**
 * Builds records with the ids of their rows. If the workspace may have ids of another service, `build` runs twice: the
 * first time only to find the rows whose ids it needs.
 */
export async function withEncoders<T>(
  db: Database,
  mayBeForeign: boolean,
  build: (encoders: Encoders) => T | Promise<T>,
): Promise<T> {
  if (!mayBeForeign) return build(ids);
  const rows = new Map<Resource, Set<number>>();
  await build(
    mapResources((resource) => (row) => {
      rows.set(resource, (rows.get(resource) ?? new Set()).add(row));
      return String(row);
    }),
  );
  const foreign = new Map<Resource, ReadonlyMap<number, string>>();
  for (const [resource, needed] of rows) {
    const found = await db.all<{ row_id: number; id: string }>(
      sql`select row_id, id from foreign_id where resource = ${resource} and ${isIn('row_id', [...needed])}`,
    );
    foreign.set(resource, new Map(found.map(({ row_id, id }) => [row_id, id])));
  }
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

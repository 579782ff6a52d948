import { randomBytes } from 'node:crypto';
import sql from 'sql-template-tag';
import type { Result } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import { hashSecret } from '../../http/bearer-token.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { getOnly } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp, formatTimestampOrNull } from '../db/timestamps.ts';

type KeyRow = Row<'api_key'>;

/** Creates a key. Its secret, 32 random bytes, is returned and not stored. */
export async function createKey(
  db: Database,
  { name, readOnly }: { readonly name: string; readonly readOnly: boolean },
  now: Date,
) {
  const key = `kith_${randomBytes(32).toString('base64url')}`;
  const rows = await db.all<KeyRow>(sql`insert into api_key (name, sha256, read_only, created_at)
    values (${name}, ${hashSecret(key)}, ${readOnly ? 1 : 0}, ${now.getTime()}) returning *`);
  return { ...toApiKey(getOnly(rows)), key };
}

/** Returns all keys, oldest first, including revoked ones. */
export async function listKeys(db: Database) {
  return (await db.all<KeyRow>(sql`select * from api_key order by id`)).map(toApiKey);
}

function toApiKey({ id, name, read_only, created_at, revoked_at }: KeyRow): Result<'key'> {
  return {
    id: ids.apiKey.encode(id),
    name,
    read_only: read_only === 1,
    created_at: formatTimestamp(created_at),
    revoked_at: formatTimestampOrNull(revoked_at),
  };
}

/** Returns the hashes of the valid keys that may write. */
export async function listWriteKeyHashes(db: Database): Promise<string[]> {
  const rows = await db.all<{ sha256: string }>(
    sql`select sha256 from api_key where revoked_at is null and not read_only`,
  );
  return rows.map(({ sha256 }) => sha256);
}

/** Revokes a key; does nothing if the key is already revoked. @throws {Failure} `not_found` */
export async function revokeKey(db: Database, id: string, now: Date) {
  const rowId = ids.apiKey.decode(id) ?? -1;
  const [row] = await db.all<KeyRow>(sql`update api_key
    set revoked_at = coalesce(revoked_at, ${now.getTime()}) where id = ${rowId} returning *`);
  if (!row) throw new Failure('not_found', `No API key has the id "${id}".`, { hint: 'kith keys list' });
  return toApiKey(row);
}

/** Milliseconds for which a refused key is refused without a query, and the number of such keys. */
const refusals = { milliseconds: 5000, keys: 1000 };

/**
 * Returns the function that finds the row of a valid key by its secret. A key that is created after its refusal is
 * refused for a few more seconds. Valid keys are not cached: a revocation takes effect at once.
 */
export function createKeyFinder(db: Database, readClock = () => performance.now()) {
  /** The time of the refusal of each hash, oldest first. */
  const refused = new Map<string, number>();
  return async (secret: string) => {
    const hash = hashSecret(secret);
    const time = refused.get(hash);
    if (time !== undefined && readClock() - time < refusals.milliseconds) return undefined;
    const key = await findValidKey(db, hash);
    refused.delete(hash);
    if (!key) refused.set(hash, readClock());
    const [oldest] = refused.size > refusals.keys ? refused.keys() : [];
    if (oldest !== undefined) refused.delete(oldest);
    return key;
  };
}

/** Finds the row of the valid key with this hash. */
export const findValidKey = (db: Database, hash: string) =>
  db.first<Pick<KeyRow, 'id' | 'read_only'>>(
    sql`select id, read_only from api_key where sha256 = ${hash} and revoked_at is null`,
  );

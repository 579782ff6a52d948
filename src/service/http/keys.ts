import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Failure } from '../../contract/errors.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { reading } from '../db/reading.ts';
import { formatTimestamp, formatTimestampOrNull } from '../db/timestamps.ts';

/** An API key as it is listed: without its secret. */
export type ApiKey = {
  id: string;
  name: string;
  read_only: boolean;
  created_at: string;
  revoked_at: string | null;
};

/** As it is kept in the file: SHA-256, in hexadecimal. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** What a header Authorization shows; undefined: no key. */
export const parseBearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

/** Makes a key. Its secret, 32 random bytes, is in the answer and nowhere else: the file holds its hash. */
export async function createKey(
  db: Database,
  { name, readOnly }: { readonly name: string; readonly readOnly: boolean },
  now: Date,
): Promise<ApiKey & { key: string }> {
  const key = `kith_${randomBytes(32).toString('base64url')}`;
  const row = await db
    .insertInto('api_key')
    .values({
      name,
      sha256: hashSecret(key),
      read_only: readOnly ? 1 : 0,
      created_at: now.getTime(),
      revoked_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const { id, created_at } = row;
  return {
    id: ids.apiKey.encode(id),
    name,
    read_only: readOnly,
    created_at: formatTimestamp(created_at),
    revoked_at: null,
    key,
  };
}

const allKeys = reading(
  'api_key',
  ['id', 'name', 'read_only', 'created_at', 'revoked_at'],
  'order by id',
  () => [],
);

/** All keys, oldest first, revoked ones too. */
export async function listKeys(db: Database): Promise<ApiKey[]> {
  return (await allKeys(db)).map((row) => ({
    id: ids.apiKey.encode(row.id),
    name: row.name,
    read_only: row.read_only === 1,
    created_at: formatTimestamp(row.created_at),
    revoked_at: formatTimestampOrNull(row.revoked_at),
  }));
}

const writingKeys = reading('api_key', ['sha256'], 'where revoked_at is null and read_only = 0', () => []);

/** The hashes of the keys that may write, in hexadecimal. */
export async function listWriteKeyHashes(db: Database): Promise<string[]> {
  return (await writingKeys(db)).map(({ sha256 }) => sha256);
}

/** Revokes the key with this id; the next request with it is refused. Throws `not_found`. */
export async function revokeKey(db: Database, id: string, now: Date): Promise<ApiKey> {
  await transact(db, async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('api_key')
      .set({ revoked_at: now.getTime() })
      .where('id', '=', ids.apiKey.decode(id) ?? -1)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n && !(await listKeys(db)).some((key) => key.id === id)) {
      throw new Failure('not_found', `No API key has the id "${id}".`, { hint: 'kith keys list' });
    }
  });
  const key = (await listKeys(db)).find((key) => key.id === id);
  if (!key) throw new Failure('not_found', `No API key has the id "${id}".`);
  return key;
}

/** Who has shown a key. */
export interface KeyHolder {
  readonly row: number;
  readonly readOnly: boolean;
}

const validKey = reading(
  'api_key',
  ['id', 'sha256', 'read_only'],
  'where sha256 = ? and revoked_at is null',
  (hash: string) => [hash],
);

/** What the bearer of a secret with this hash may do; undefined: nothing. */
export async function findBearer(db: Database, hash: string): Promise<KeyHolder | undefined> {
  const [row] = await validKey(db, hash);
  if (!row || !timingSafeEqual(Buffer.from(row.sha256, 'hex'), Buffer.from(hash, 'hex'))) return undefined;
  return { row: row.id, readOnly: row.read_only === 1 };
}

import { createHash } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect } from 'vitest';
import { hashSecret } from '../../../src/http/bearer-token.ts';
import {
  createKey,
  findValidKey,
  listKeys,
  listWriteKeyHashes,
  revokeKey,
} from '../../../src/service/http/keys.ts';
import { test } from '../engines.ts';
import { anyId, laterTime, openTestWorkspace, startTime, unknownId } from '../service.ts';

const [now, revokedAt] = [new Date(startTime), new Date(laterTime)];

test.each([
  ['laptop', false],
  ['laptop', true],
])('creates a key named %s, read-only %s, and stores only its hash', async (name, readOnly) => {
  const { db } = await openTestWorkspace();
  const { key, ...record } = await createKey(db, { name, readOnly }, now);
  expect(record).toEqual({ id: anyId, name, read_only: readOnly, created_at: startTime, revoked_at: null });
  expect(key).toMatch(/^kith_[\w-]{43}$/);
  expect(await listKeys(db)).toEqual([record]);
  expect(await findValidKey(db, hashSecret(key))).toEqual({ id: 1, read_only: Number(readOnly) });
  const rows = await db.all<{ sha256: string }>(sql`select * from api_key`);
  expect(rows.map(({ sha256 }) => sha256)).toEqual([createHash('sha256').update(key).digest('hex')]);
  expect(JSON.stringify(rows)).not.toContain(key.slice(5));
});

test('creates different keys and lists them oldest first', async () => {
  const { db } = await openTestWorkspace();
  const keys = [];
  for (const name of ['b', 'a', 'b']) keys.push(await createKey(db, { name, readOnly: false }, now));
  expect(new Set(keys.map(({ key }) => key)).size).toBe(3);
  expect((await listKeys(db)).map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
});

test('refuses a revoked key but lists it, and still accepts the others', async () => {
  const { db } = await openTestWorkspace();
  const { key: other, ...valid } = await createKey(db, { name: 'phone', readOnly: false }, now);
  const { key, ...record } = await createKey(db, { name: 'laptop', readOnly: false }, now);
  const revokedRecord = { ...record, revoked_at: laterTime };
  expect(await revokeKey(db, record.id, revokedAt)).toEqual(revokedRecord);
  expect(await findValidKey(db, hashSecret(key))).toBeUndefined();
  expect(await findValidKey(db, hashSecret(other))).toEqual({ id: 1, read_only: 0 });
  expect(await listKeys(db)).toEqual([valid, revokedRecord]);
});

test('keeps the time of the first revocation if a key is revoked again', async () => {
  const { db } = await openTestWorkspace();
  const { id } = await createKey(db, { name: 'laptop', readOnly: false }, now);
  const revokedRecord = await revokeKey(db, id, now);
  expect(await revokeKey(db, id, revokedAt)).toEqual(revokedRecord);
});

test('lists the hashes of the keys that may write, without revoked ones', async () => {
  const { db } = await openTestWorkspace();
  await createKey(db, { name: 'reader', readOnly: true }, now);
  const revoked = await createKey(db, { name: 'laptop', readOnly: false }, now);
  await revokeKey(db, revoked.id, revokedAt);
  const { key } = await createKey(db, { name: 'phone', readOnly: false }, now);
  expect(await listWriteKeyHashes(db)).toEqual([hashSecret(key)]);
});

test('throws not_found if an unknown key is revoked', async () => {
  const { db } = await openTestWorkspace();
  await expect(revokeKey(db, unknownId, now)).rejects.toMatchObject({
    code: 'not_found',
    message: `No API key has the id "${unknownId}".`,
  });
});

test.each([
  ['', 'nothing'],
  ['kith_', 'the prefix'],
  ['no key', 'any text'],
])('finds no key holder for "%s" (%s)', async (secret, _) => {
  const { db } = await openTestWorkspace();
  await createKey(db, { name: 'laptop', readOnly: false }, now);
  expect(await findValidKey(db, hashSecret(secret))).toBeUndefined();
});

import { createHash } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect } from 'vitest';
import { hashSecret } from '../../../src/http/bearer-token.ts';
import {
  createKey,
  createKeyFinder,
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

test('refuses a wrong key from memory for 5 seconds, and remembers 1,000 of them', async () => {
  const { db } = await openTestWorkspace();
  const { key } = await createKey(db, { name: 'laptop', readOnly: false }, now);
  const calls = { count: 0 };
  const first: typeof db.first = (...query) => {
    calls.count += 1;
    return db.first(...query);
  };
  let time = 0;
  const find = createKeyFinder({ ...db, first }, () => time);
  /** Returns how many statements the keys take, and whether they are valid. */
  const check = async (...secrets: string[]) => {
    calls.count = 0;
    const valid = new Set<boolean>();
    for (const secret of secrets) valid.add((await find(secret)) !== undefined);
    return [calls.count, ...valid];
  };
  expect(await check('wrong', 'wrong', 'wrong')).toEqual([1, false]);
  expect(await check(key, key)).toEqual([2, true]);
  time = 4999;
  expect(await check('wrong')).toEqual([0, false]);
  time = 5000;
  expect(await check('wrong', 'wrong')).toEqual([1, false]);
  const others = Array.from({ length: 1000 }, (_, index) => `other ${index}`);
  expect(await check(...others, ...others)).toEqual([1000, false]);
  expect(await check('wrong')).toEqual([1, false]);
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

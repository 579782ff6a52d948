import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey, findBearer, hashSecret, listKeys, revokeKey } from '../../../src/service/http/keys.ts';
import { anId, later, noId, start, workspace } from '../service.ts';

const [now, then] = [new Date(start), new Date(later)];

test.each([
  ['laptop', false],
  ['laptop', true],
])('a key named %s, read-only %s, is shown once and kept as its hash', async (name, readOnly) => {
  const { db } = workspace();
  const { key, ...shown } = await createKey(db, { name, readOnly }, now);
  expect(shown).toEqual({ id: anId, name, read_only: readOnly, created_at: start, revoked_at: null });
  expect(key).toMatch(/^kith_[\w-]{43}$/);
  expect(await listKeys(db)).toEqual([shown]);
  expect(await findBearer(db, hashSecret(key))).toEqual({ row: 1, readOnly });
  const rows = await db.selectFrom('api_key').selectAll().execute();
  expect(rows.map(({ sha256 }) => sha256)).toEqual([createHash('sha256').update(key).digest('hex')]);
  expect(JSON.stringify(rows)).not.toContain(key.slice(5));
});

test('keys differ, and are listed oldest first', async () => {
  const { db } = workspace();
  const made = [];
  for (const name of ['b', 'a', 'b']) made.push(await createKey(db, { name, readOnly: false }, now));
  expect(new Set(made.map(({ key }) => key)).size).toBe(3);
  expect((await listKeys(db)).map(({ id }) => id)).toEqual(made.map(({ id }) => id));
});

test('a revoked key is good for nothing, and stays in the list; the others stay good', async () => {
  const { db } = workspace();
  const { key: other, ...kept } = await createKey(db, { name: 'phone', readOnly: false }, now);
  const { key, ...shown } = await createKey(db, { name: 'laptop', readOnly: false }, now);
  const revoked = { ...shown, revoked_at: later };
  expect(await revokeKey(db, shown.id, then)).toEqual(revoked);
  expect(await findBearer(db, hashSecret(key))).toBeUndefined();
  expect(await findBearer(db, hashSecret(other))).toEqual({ row: 1, readOnly: false });
  expect(await listKeys(db)).toEqual([kept, revoked]);
});

test('revoking a key again changes nothing', async () => {
  const { db } = workspace();
  const { id } = await createKey(db, { name: 'laptop', readOnly: false }, now);
  const revoked = await revokeKey(db, id, now);
  expect(await revokeKey(db, id, then)).toEqual(revoked);
});

test('an unknown key cannot be revoked', async () => {
  const { db } = workspace();
  await expect(revokeKey(db, noId, now)).rejects.toMatchObject({
    code: 'not_found',
    message: `No API key has the id "${noId}".`,
  });
});

test.each([
  ['', 'nothing'],
  ['kith_', 'the prefix'],
  ['no key', 'any text'],
])('the bearer of "%s" may do nothing', async (secret) => {
  const { db } = workspace();
  await createKey(db, { name: 'laptop', readOnly: false }, now);
  expect(await findBearer(db, hashSecret(secret))).toBeUndefined();
});

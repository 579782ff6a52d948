import { join } from 'node:path';
import { backup, DatabaseSync } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { closeDatabase, openDatabase, transact } from '../../../src/service/db/database.ts';
import type { Service } from '../../../src/service/dispatch.ts';
import { createKey, revokeKey } from '../../../src/service/http/keys.ts';
import { memoryOf } from '../../../src/service/http/memory.ts';
import { createRateLimit } from '../../../src/service/http/rate-limit.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { temporaryFolder } from '../../support/kith.ts';
import { plainly } from '../server.ts';
import { start, workspace } from '../service.ts';

/** A served workspace in a file, with a key, and the paths that reached the service itself. */
async function served({ perMinute = 1000 } = {}) {
  const file = join(temporaryFolder(), 'kith.sqlite');
  const made = workspace(file);
  const now = new Date(start);
  const { key, id } = await createKey(made.db, { name: 'test', readOnly: false }, now);
  const reached: string[] = [];
  const hooks = { afterReading: async () => {} };
  const service: Service = async (request, caller) => {
    if (request.method === 'GET') reached.push(request.path);
    const answer = await made.service(request, caller);
    if (request.method === 'GET') await hooks.afterReading();
    return answer;
  };
  const log = (text: string) => {
    throw new Error(text);
  };
  const shell = { db: made.db, service, newId: () => 'id', log, version: '0.0.0' };
  const { url, stop } = await startServer(
    { ...shell, rateLimit: createRateLimit(perMinute, () => now) },
    plainly,
  );
  onTestFinished(stop);
  const send = async (method: string, path: string, body?: unknown, requestId = 'id', shown = key) => {
    const headers = {
      authorization: `Bearer ${shown}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(url + path, init);
    const { date, ...rest } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers: rest, text: await answer.text() };
  };
  const get = (path: string) => send('GET', path);
  const contact = await made.give<Contact>('POST /v1/contacts', { first_name: 'Ada' });
  const other = () => {
    const db = openDatabase(file);
    onTestFinished(() => closeDatabase(db));
    return db;
  };
  return {
    ...made,
    file,
    hooks,
    send,
    get,
    reached,
    id,
    now,
    contact,
    path: `/v1/contacts/${contact.id}`,
    other,
  };
}

test('what was answered once is answered again, byte for byte, with its own request id', async () => {
  const { get, send, reached, path } = await served();
  const paths = [path, '/v1/contacts', '/v1/contacts?first=1'];
  const first = await Promise.all(paths.map(get));
  expect(await Promise.all(paths.map(get))).toEqual(first);
  expect(reached).toEqual([path, '/v1/contacts', '/v1/contacts']);
  const { headers } = await send('GET', path, undefined, 'mine');
  expect(headers).toEqual({ ...first[0]?.headers, 'x-request-id': 'mine' });
});

test('a failure is not kept, nor an answer to anything but a GET', async () => {
  const { get, send, reached } = await served();
  for (const path of ['/v1/contacts/zzzzzz', '/v1/nothing', '/v1/contacts?page=1']) {
    expect((await get(path)).status).toBe((await get(path)).status);
  }
  expect(reached).toHaveLength(6);
  const made = await Promise.all(
    ['B', 'C'].map((first_name) => send('POST', '/v1/contacts', { first_name })),
  );
  expect(new Set(made.map(({ text }) => text)).size).toBe(2);
});

test('what one key was answered another good key is answered too, and no other', async () => {
  const { db, get, send, path, now, reached } = await served();
  const first = await get(path);
  const reader = await createKey(db, { name: 'reader', readOnly: true }, now);
  await get(path);
  for (let count = 0; count < 3; count += 1) {
    expect(await send('GET', path, undefined, 'id', reader.key)).toEqual(first);
  }
  expect(reached).toHaveLength(2);
  for (const wrong of ['kith_wrong', '']) {
    expect((await send('GET', path, undefined, 'id', wrong)).status).toBe(401);
  }
  expect((await send('PATCH', path, { first_name: 'B' }, 'id', reader.key)).status).toBe(403);
});

test('HEAD is answered as GET is, without the body', async () => {
  const { get, send, path } = await served();
  const first = await send('HEAD', path);
  const { status, headers } = await get(path);
  expect([first.status, first.text]).toEqual([status, '']);
  for (const name of ['content-type', 'x-request-id']) expect(first.headers[name]).toBe(headers[name]);
  expect(await send('HEAD', path)).toEqual(first);
});

test('a change by this process shows at once', async () => {
  const { get, send, path } = await served();
  await get(path);
  await send('PATCH', path, { first_name: 'Grace' });
  expect(JSON.parse((await get(path)).text)).toMatchObject({ first_name: 'Grace' });
  await send('DELETE', path);
  expect((await get(path)).status).toBe(404);
});

test('a change by another process shows at once, each time', async () => {
  const { get, path, other, reached } = await served();
  const db = other();
  for (const first_name of ['Grace', 'Edith', 'Grace']) {
    await get(path);
    await db.updateTable('contact').set({ first_name }).execute();
    expect(JSON.parse((await get(path)).text)).toMatchObject({ first_name });
  }
  await get(path);
  expect(reached).toHaveLength(4);
});

test('a backup that another program restores into the file shows at once, and VACUUM harms nothing', async () => {
  const { get, path, other, file } = await served();
  const before = await get(path);
  const copy = `${file}.copy`;
  await sql`vacuum into ${sql.lit(copy)}`.execute(other());
  await other().updateTable('contact').set({ first_name: 'Grace' }).execute();
  expect(JSON.parse((await get(path)).text)).toMatchObject({ first_name: 'Grace' });
  await sql`vacuum`.execute(other());
  expect(JSON.parse((await get(path)).text)).toMatchObject({ first_name: 'Grace' });
  const source = new DatabaseSync(copy);
  onTestFinished(() => source.close());
  await backup(source, file);
  expect(await get(path)).toEqual(before);
});

test.each(['this', 'another'])('a key that %s process revokes is good no more', async (which) => {
  const { get, path, other, db, id, now } = await served();
  await get(path);
  expect((await get(path)).status).toBe(200);
  await revokeKey(which === 'this' ? db : other(), id, now);
  expect((await get(path)).status).toBe(401);
});

test('a transaction under way is not seen, nor is one that is undone', async () => {
  const { db, get, path, other } = await served();
  const before = await get(path);
  const undone = transact(db, async (db) => {
    await db.updateTable('contact').set({ first_name: 'Nobody' }).execute();
    const during = get(path);
    await new Promise((resolve) => setTimeout(resolve, 10));
    throw Object.assign(new Error('undone'), { during });
  });
  const { during } = await undone.catch((error) => error);
  expect([await during, await get(path)]).toEqual([before, before]);
  const db2 = other();
  await sql`begin immediate`.execute(db2);
  await db2.updateTable('contact').set({ first_name: 'Grace' }).execute();
  expect(await get(path)).toEqual(before);
  await sql`commit`.execute(db2);
  expect(JSON.parse((await get(path)).text)).toMatchObject({ first_name: 'Grace' });
});

test('an answer that was read before another process wrote is not kept after that', async () => {
  const { get, path, other, hooks } = await served();
  const db = other();
  hooks.afterReading = () =>
    db
      .updateTable('contact')
      .set({ first_name: 'Grace' })
      .execute()
      .then(() => {});
  expect(JSON.parse((await get(path)).text)).toMatchObject({ first_name: 'Ada' });
  expect(JSON.parse((await get(path)).text)).toMatchObject({ first_name: 'Grace' });
});

test('an answer from memory counts as a request of its key', async () => {
  const { get, path } = await served({ perMinute: 2 });
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await get(path)).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test('memory is bounded: the oldest answers go, and what is larger than all of it is not kept', () => {
  const { db } = workspace();
  const body = Buffer.alloc(2000);
  const known = memoryOf(db, 5000)();
  const kept = () => ['a', 'b', 'c', 'd'].filter((url) => known.answer(url) === body);
  for (const url of ['a', 'b', 'c']) known.keep(url, body);
  expect(kept()).toEqual(['b', 'c']);
  known.keep('large', Buffer.alloc(20_000));
  expect([known.answer('large'), kept()]).toEqual([undefined, ['b', 'c']]);
  known.keep('b', body);
  known.keep('d', body);
  expect(kept()).toEqual(['c', 'd']);
});

test('an answer costs more than its bytes: very many short ones are bounded too', () => {
  const { db } = workspace();
  const known = memoryOf(db, 100_000)();
  const urls = Array.from({ length: 1000 }, (_, index) => String(index));
  for (const url of urls) known.keep(url, Buffer.alloc(0));
  expect(urls.filter((url) => known.answer(url) !== undefined).length).toBeLessThan(500);
});

import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/service/db/sqlite/open-workspace.ts';
import { createEmbeddedTransport } from '../../src/service/workspace.ts';
import { loadSqlite } from '../../src/sqlite/engine.ts';
import { createEmptyWorkspace, createTemporaryFolder } from '../support/kith.ts';

const create = { method: 'POST', path: '/v1/contacts', query: [], body: { first_name: 'Ada' } } as const;

/** Creates a workspace file that another program locks until `release` is called. */
async function heldWorkspace() {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  openDatabase(file).close();
  const { send, close } = await createEmbeddedTransport(file, () => new Date());
  onTestFinished(close);
  const other = new (loadSqlite())(file); // locks of another SQLite library in this process would have no effect
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  return { send, release: () => other.exec('commit') };
}

test.each([
  ['while it waits', () => wait(100)],
  ['before the event loop turns', async () => {}],
])('a signal ends a request that waits for a locked file: %s', async (_, before) => {
  const { send } = await heldWorkspace();
  const stop = new AbortController();
  const start = performance.now();
  const sent = send(create, stop.signal);
  await before();
  stop.abort(new Error('Interrupted.'));
  await expect(sent).rejects.toThrow('Interrupted.');
  // Without the signal it would wait for five seconds.
  expect(performance.now() - start).toBeLessThan(4000);
});

test('removes its signal listeners after a response', async () => {
  const { send, release } = await heldWorkspace();
  const { signal } = new AbortController();
  const sent = send(create, signal);
  await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(1);
  release();
  expect((await sent).status).toBe(201);
  await send({ method: 'GET', path: '/v1/contacts', query: [] }, signal);
  await wait(10);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each<[string, number, 413 | 422]>([
  ['x', 1024 * 1024, 422],
  ['x', 1024 * 1024 + 1, 413],
  ['é', 1024 * 1024, 422],
  ['é', 1024 * 1024 + 2, 413],
])('a body of "%s" with %i bytes returns %i, as over HTTP', async (letter, bytes, status) => {
  const { send, close } = await createEmbeddedTransport(createEmptyWorkspace(), () => new Date());
  onTestFinished(close);
  const frame = Buffer.byteLength(JSON.stringify({ first_name: '' }));
  const first_name = letter.repeat((bytes - frame) / Buffer.byteLength(letter));
  const response = await send({ ...create, body: { first_name } }, new AbortController().signal);
  expect(response.status).toBe(status);
  const details = {
    413: 'The body must have at most 1048576 bytes.',
    422: 'first_name must have at most 262,144 bytes of UTF-8.',
  };
  expect(response.body).toMatchObject({ detail: details[status] });
});

import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { connectInProcess } from './agent.ts';

test('negotiates the current revision of the protocol and offers its features', async () => {
  const { client } = await connectInProcess(createDemoMachine(), {});
  expect(client.getServerVersion()).toMatchObject({ name: 'kith' });
  expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, prompts: {}, completions: {} });
  // The transport keeps the negotiated revision only for HTTP: http.test.ts checks it.
});

/** Starts a service with 500 contacts, and returns an environment for it. */
async function startLongList() {
  const { url, requests } = await startTestService(({ url }, response) => {
    const query = new URL(url, 'http://x').searchParams;
    const after = Number(query.get('after') ?? 0);
    const first = Number(query.get('first') ?? 100);
    const data = Array.from({ length: Math.min(first, 500 - after) }, (_, index) => ({
      id: `c${after + index}`,
    }));
    const end_cursor = after + data.length;
    sendJson(response, 200, {
      data,
      pagination: { end_cursor, has_next_page: end_cursor < 500, total_count: 500 },
    });
  });
  return { env: { KITH_BASE_URL: url, KITH_API_KEY: 'a-key' }, requests };
}

test('reports progress with a progress token', async () => {
  const { env } = await startLongList();
  const { client } = await connectInProcess(createMachine(), env);
  const updates: { progress: number; message?: string | undefined }[] = [];
  const params = { name: 'records_list', arguments: { noun: 'contacts', where: 'id = c499' } };
  await client.callTool(params, undefined, { onprogress: (update) => void updates.push(update) });
  expect(updates[0]).toMatchObject({ progress: 1, message: expect.stringMatching(/^Loading contacts/) });
  const counts = updates.map(({ progress }) => progress);
  expect(counts).toEqual([...new Set(counts)].toSorted((a, b) => a - b));
});

test('of two calls at once, only the cancelled one ends', async () => {
  const release: (() => void)[] = [];
  const { url, requests } = await startTestService(({ url }, response) => {
    release.push(() => sendJson(response, 200, { id: url.split('/').at(-1) }));
  });
  const env = { KITH_BASE_URL: url, KITH_API_KEY: 'a-key' };
  const { client } = await connectInProcess(createMachine(), env);
  const cancelling = new AbortController();
  const get = (id: string, signal?: AbortSignal) =>
    client.callTool({ name: 'records_get', arguments: { noun: 'notes', id } }, undefined, {
      ...(signal && { signal }),
    });
  const cancelled = get('n1', cancelling.signal);
  const other = get('n2');
  await expect.poll(() => requests.length).toBe(2);
  cancelling.abort('enough');
  await expect(cancelled).rejects.toThrow('enough');
  for (const respond of release) respond();
  expect((await other).structuredContent).toMatchObject({ records: [{ id: 'n2' }] });
});

test('a failure that may pass is retryable', async () => {
  const { url } = await startTestService((_, response) =>
    sendJson(response, 503, { error: 'busy' }, { 'retry-after': '7' }),
  );
  const { call } = await connectInProcess(createMachine(), {
    KITH_BASE_URL: url,
    KITH_API_KEY: 'a-key',
    KITH_RETRIES: '0',
  });
  const { structured } = await call('records_get', { noun: 'notes', id: 'n1' });
  expect(structured.error).toMatchObject({ code: 'unavailable', retryable: true });
  expect(structured.error).not.toHaveProperty('exit_code');
});

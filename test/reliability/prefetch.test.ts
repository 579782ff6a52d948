import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createEnv, runShell } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';

test.each([
  [
    'a page that the service refuses',
    400,
    'kith contacts list --all --page-size 1 --format ndjson --debug >file',
  ],
  [
    'the reader has closed the pipe',
    200,
    'kith contacts list --all --page-size 1 --format ndjson --debug | head -1',
  ],
])(
  'cancels prefetched pages without retries if a page fails or the reader closes the pipe: after %s',
  async (_, status, line) => {
    const { url, requests } = await startTestService(({ url: path }, response) => {
      const after = Number(new URL(path, 'http://x').searchParams.get('after'));
      const pagination = { end_cursor: after + 1, has_next_page: true, total_count: 9 };
      const sendPage = { data: [{ id: `c${after}` }], pagination };
      if (after === 0) sendJson(response, 200, sendPage);
      // The other requests get no response.
      if (after === 1) setTimeout(() => sendJson(response, status, sendPage), 100);
    });
    const home = createTemporaryFolder();
    const env = createEnv(home, { KITH_BASE_URL: url, KITH_API_KEY: 'kith_key-asked-ahead' });
    const { err } = await runShell(line, { env, cwd: home });
    expect(requests.length).toBeGreaterThan(3);
    expect(err).not.toContain('retry in');
  },
);

test('does not wait for the Retry-After of a prefetched page once the output is complete', async () => {
  const { url } = await startTestService(({ url: path }, response) => {
    const after = Number(new URL(path, 'http://x').searchParams.get('after'));
    const pagination = { end_cursor: after + 1, has_next_page: true, total_count: 9 };
    const sendPage = () => sendJson(response, 200, { data: [{ id: `c${after}` }], pagination });
    if (after === 0) sendPage();
    else if (after === 1) setTimeout(sendPage, 1000);
    else sendJson(response, 503, {}, { 'retry-after': '20' });
  });
  const home = createTemporaryFolder();
  const env = createEnv(home, { KITH_BASE_URL: url, KITH_API_KEY: 'kith_key-asked-ahead' });
  const start = performance.now();
  await runShell('kith contacts list --all --page-size 1 --format ndjson | head -1', { env, cwd: home });
  expect(performance.now() - start).toBeLessThan(15_000);
});

test('ends a search at --max even if a regular expression would run for years on a prefetched text', async () => {
  const events = ['hello', 'a', 'b', 'c'].map((id) => ({
    id,
    title: id,
    start_at: '2026-05-01T09:00:00Z',
    recordings: [{ id: `r-${id}`, status: 'done' }],
  }));
  const pagination = { end_cursor: 4, has_next_page: false, total_count: 4 };
  const createRecording = (id: string, text: string) => {
    const words = [{ text, start_timestamp: { relative: 1 } }];
    return { data: { id, status: 'done', transcript: [{ participant: { name: 'Ada' }, words }] } };
  };
  const pendingResponses = new Map<string, ServerResponse>();
  const { url } = await startTestService(({ url: path }, response) => {
    const [, id = ''] = path.split('/recordings/');
    if (id === '') return sendJson(response, 200, { data: events, pagination });
    pendingResponses.set(id, response);
    if (pendingResponses.size < events.length) return;
    // All at the same time, so that the thread already has the others when it finds this one.
    for (const { recordings } of events) {
      for (const { id } of recordings) {
        const text = id === 'r-hello' ? 'hello' : `${'a'.repeat(60)}!`;
        sendJson(pendingResponses.get(id) ?? response, 200, createRecording(id, text));
      }
    }
  });
  const home = createTemporaryFolder();
  const env = createEnv(home, { KITH_BASE_URL: url, KITH_API_KEY: 'kith_key-asked-ahead' });
  const line = "kith events grep 'hello|(a+)+$' --regex --max 1 --format ndjson";
  const { out, code } = await runShell(line, { env, cwd: home });
  expect([JSON.parse(out), code]).toMatchObject([{ text: 'hello' }, 0]);
});

import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { type Behavior, createPage, sendJson, sendPage, startTestService } from '../client/loopback.ts';
import { createEnv, runShell } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { runAgainst } from './requests.ts';

/** The parameters of a request for a page. */
interface PageRequest {
  readonly first: number;
  readonly after: number;
  /** The number of previous requests. */
  readonly count: number;
}

interface Page {
  readonly ids: readonly number[];
  readonly pagination?: Readonly<Record<string, unknown>>;
}

/** Returns a service that responds with the pages of a function. */
const list =
  (formatPage: (request: PageRequest) => Page): Behavior =>
  ({ url }, response, count) => {
    const { searchParams } = new URL(url, 'http://any');
    const readNumber = (name: string) => Number(searchParams.get(name));
    const { ids, pagination } = formatPage({ first: readNumber('first'), after: readNumber('after'), count });
    sendJson(response, 200, { data: ids.map((id) => ({ id })), ...(pagination && { pagination }) });
  };

const createRange = (start: number, length: number) => Array.from({ length }, (_, index) => start + index);

/** Returns the requested page of a list of ten. */
const createTenPage = ({ first, after }: PageRequest, total = 10): Page => {
  const ids = createRange(after, Math.max(0, Math.min(first, 10 - after)));
  const end = after + ids.length;
  return { ids, pagination: { total_count: total, end_cursor: end, has_next_page: end < 10 } };
};

/** Lists all ids with three records per page. */
const readAll = (respond: Behavior) =>
  runAgainst(respond, 'contacts list --all --page-size 3 --format tsv --fields id --no-header');
const formatLines = (ids: readonly number[]) => ids.map((id) => `${id}\n`).join('');

test.each<readonly [title: string, page: (request: PageRequest) => Page]>([
  ['the total changes', (request) => createTenPage(request, [4, 10, 99, 0][request.count % 4])],
  [
    'pages overlap',
    (request) => {
      const after = Math.max(0, request.after - 2);
      const ids = createRange(after, Math.min(request.first + request.after - after, 10 - after));
      return { ...createTenPage(request), ids };
    },
  ],
  [
    'the service ignores the page size and sends no total',
    ({ after }) => {
      const ids = createRange(after, Math.min(7, 10 - after));
      return { ids, pagination: { end_cursor: after + ids.length, has_next_page: after + 7 < 10 } };
    },
  ],
  ['every page is the whole list', () => ({ ids: createRange(0, 10) })],
])('prints each record once and in order if %s', async (_, formatPage) => {
  const { code, out, err } = await readAll(list(formatPage));
  expect({ code, out, err }).toEqual({ code: 0, out: formatLines(createRange(0, 10)), err: '' });
});

test('prints the new records and exits with 1 if the service repeats a page', async () => {
  const { requests, waits, ...result } = await readAll(
    list(({ after }) => ({ ids: [0, 1, 2], pagination: { end_cursor: after + 3, has_next_page: true } })),
  );
  const message = 'The service says that the list has more records, but repeats earlier ones.';
  expect(result).toEqual({ code: 1, out: formatLines([0, 1, 2]), err: `kith: ${message}\n` });
  expect(waits).toEqual([]);
  expect(requests.length).toBeLessThan(4);
});

test.each(['contacts duplicates', 'contacts list --sort id', 'index update'])(
  'a command that reads a whole list stops with an error if the list never ends: %s',
  async (line) => {
    const endlessList = list(({ after }) => ({
      ids: createRange(after, 91),
      pagination: { end_cursor: after + 91, has_next_page: true, total_count: 3 },
    }));
    const { code, err } = await runAgainst(endlessList, `${line} --quiet`);
    const message = 'The list from the service does not end: kith received 1081 of 3 records.';
    expect({ code, err }).toEqual({ code: 1, err: `kith: ${message}\n` });
  },
);

test('retries a page in the middle of a list and prints each record once', async () => {
  const respond: Behavior = (requests, response, count) =>
    count % 2 === 1 ? response.req.socket.destroy() : list(createTenPage)(requests, response, count);
  const { code, out, err } = await readAll(respond);
  expect({ code, out, err }).toEqual({ code: 0, out: formatLines(createRange(0, 10)), err: '' });
});

test.each(['{"id":"b\u001b[2J"}', '{"id":"b"', '{"id":"b"}{"id":"c"}'])(
  'reports a page that is not JSON and prints nothing of it (exit code 1): %j',
  async (record) => {
    const formatPage = (data: string) =>
      `{"data":[${data}],"pagination":{"end_cursor":1,"has_next_page":true,"total_count":2}}`;
    const requestPage = (first: string) =>
      runAgainst(
        (_, response, count) => void response.end(formatPage(count === 0 ? first : record)),
        'contacts list --all --page-size 1 --format ndjson',
      );
    const message = expect.stringContaining('The response is damaged or truncated JSON.');
    expect(await requestPage(record)).toMatchObject({ code: 1, out: '', err: message });
    expect(await requestPage('{"id":"a"}')).toMatchObject({ code: 1, out: '{"id":"a"}\n', err: message });
  },
);

/** A list of nine contacts. */
const contacts = createRange(0, 9).map((id) => ({ id: `c${id}` }));

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
    const service = await startTestService(({ url }, response) => {
      const page = createPage(contacts, url);
      const after = page.pagination.end_cursor - 1;
      if (after === 0) sendJson(response, 200, page);
      // The other requests get no response.
      if (after === 1) setTimeout(() => sendJson(response, status, page), 100);
    });
    const home = createTemporaryFolder();
    const env = createEnv(home, service.env);
    const { err } = await runShell(line, { env, cwd: home });
    expect(service.requests.length).toBeGreaterThan(3);
    expect(err).not.toContain('retry in');
  },
);

test('does not wait for the Retry-After of a prefetched page once the output is complete', async () => {
  const service = await startTestService(({ url }, response) => {
    const page = createPage(contacts, url);
    const after = page.pagination.end_cursor - 1;
    if (after === 0) sendJson(response, 200, page);
    else if (after === 1) setTimeout(() => sendJson(response, 200, page), 1000);
    else sendJson(response, 503, {}, { 'retry-after': '20' });
  });
  const home = createTemporaryFolder();
  const env = createEnv(home, service.env);
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
  const createRecording = (id: string, text: string) => {
    const words = [{ text, start_timestamp: { relative: 1 } }];
    return { data: { id, status: 'done', transcript: [{ participant: { name: 'Ada' }, words }] } };
  };
  const pendingResponses = new Map<string, ServerResponse>();
  const service = await startTestService(({ url }, response) => {
    const [, id = ''] = url.split('/recordings/');
    if (id === '') return sendPage(response, url, events);
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
  const env = createEnv(home, service.env);
  const line = "kith events grep 'hello|(a+)+$' --regex --max 1 --format ndjson";
  const { out, code } = await runShell(line, { env, cwd: home });
  expect([JSON.parse(out), code]).toMatchObject([{ text: 'hello' }, 0]);
});

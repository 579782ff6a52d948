import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { createServerLog, type logFormats } from '../../../src/commands/serve/server-log.ts';
import { exchangeRaw } from '../../service/raw.ts';
import { serveTestWorkspace } from '../../service/serve.ts';
import { startTime } from '../../service/service.ts';
import { createEmptyWorkspace, createMachine } from '../../support/kith.ts';

type LogFormat = (typeof logFormats)[number];

/** Creates a log and the text that it has written. Each write waits for `reader`. */
function createTestLog(format: LogFormat, isTerminal = false, reader = Promise.resolve()) {
  const written: string[] = [];
  const write = (text: string) => {
    written.push(text);
    return reader;
  };
  const stderr = { isTerminal, columns: undefined, rows: undefined, write };
  const log = createServerLog({ stderr, now: () => new Date(startTime) }, format);
  return { log, written, readLines: () => written.map((line) => JSON.parse(line)) };
}

/** Serves a workspace with an organization and a note, and writes its log in a format. */
async function serveNote(format: LogFormat) {
  const { log, written, readLines } = createTestLog(format);
  const server = await serveTestWorkspace({ log });
  const { id } = JSON.parse((await server.send('POST /v1/organizations', { name: 'Acme' })).text);
  await server.send('POST /v1/notes', { organization_id: id, body: 'Called.' });
  written.length = 0;
  return { ...server, written, readLines };
}

test('the JSON log has one line with the same fields for each request', async () => {
  const { send, keyId, readLines, url } = await serveNote('json');
  await send('GET /v1/contacts/zzzzz1');
  await send('GET /v1/nothing');
  await send('GET /healthz', undefined, '');
  await send('GET /v1/contacts', undefined, 'kith_wrong');
  await exchangeRaw(url, ['nonsense\r\n\r\n']);
  const line = { time: startTime, level: 'info', request_id: 'made-here', milliseconds: expect.any(Number) };
  const get = { ...line, method: 'GET' };
  expect(readLines()).toEqual([
    { ...get, route: '/v1/contacts/:contact_id', status: 404, key_id: keyId },
    { ...get, route: null, status: 404, key_id: keyId },
    { ...get, route: '/healthz', status: 200, key_id: null },
    { ...get, route: '/v1/contacts', status: 401, key_id: null },
    { ...line, method: null, route: null, status: 400, milliseconds: null, key_id: null },
  ]);
});

test('the JSON log has an internal error and its request under the id of the request', async () => {
  const { db, url, key, keyId, readLines } = await serveNote('json');
  await db.run(sql`alter table note rename to lost`);
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'ask-7' };
  expect((await fetch(`${url}/v1/notes`, { headers })).status).toBe(500);
  const line = { time: startTime, level: 'error', request_id: 'ask-7' };
  const request = { method: 'GET', route: '/v1/notes', status: 500, key_id: keyId };
  expect(readLines()).toEqual([
    { ...line, message: expect.stringContaining('no such table: note') },
    { ...line, ...request, milliseconds: expect.any(Number) },
  ]);
});

test.each(['json', 'text'] as const)('the %s log has no key and no query', async (format) => {
  const { db, send, key, written } = await serveNote(format);
  await send('GET /v1/contacts?email=ada@example.com');
  await send('GET /v1/contacts?secret=ada');
  await send('GET /v1/ada@example.com');
  await db.run(sql`alter table note rename to lost`);
  await send('GET /v1/notes?first=77');
  expect(written.length).toBe(format === 'json' ? 5 : 1);
  const text = written.join('');
  expect(text).not.toContain(key);
  expect(text).not.toMatch(/ada|secret|first=/);
});

test('the text log has internal errors with the request id, and no requests', async () => {
  const { db, send, written } = await serveNote('text');
  await send('GET /v1/contacts');
  await db.run(sql`alter table note rename to lost`);
  await send('GET /v1/notes');
  expect(written).toEqual([expect.stringMatching(/^kith: request made-here: .*no such table: note/)]);
});

test('the log cannot control a terminal', () => {
  const text = createTestLog('text', true);
  text.log.write('error', '\u009b31mred\nat', 'a\u001b[2J');
  expect(text.written).toEqual(['kith: request a\\x1b[2J: \\x9b31mred\nat\n']);
  const json = createTestLog('json', true);
  json.log.write('error', '\u009b31mred', 'a');
  expect(json.readLines()).toEqual([
    { time: startTime, level: 'error', request_id: 'a', message: '\u009b31mred' },
  ]);
  expect(json.written.join('')).not.toContain('\u009b');
});

test('a reader that stops loses lines, and the log says how many', async () => {
  let resume = () => {};
  const { log, readLines } = createTestLog('json', false, new Promise<void>((resolve) => (resume = resolve)));
  const megabyte = 'x'.repeat(1024 * 1024);
  for (const text of [megabyte, 'lost', 'lost too']) log.write('error', text);
  expect(readLines()).toHaveLength(1);
  resume();
  await expect
    .poll(() => readLines().at(-1))
    .toMatchObject({
      level: 'warning',
      message: '2 log lines were dropped because stderr was read too slowly.',
    });
  log.write('info', 'next');
  expect(readLines().map(({ message }) => message)).toContain('next');
});

test('kith serve --log-format json writes every line of stderr as JSON', async () => {
  const line = ['serve', '--database', createEmptyWorkspace(), '--port', '0', '--metrics-port', '0'];
  const { code, err } = await createMachine()([...line, '--log-format', 'json'], {
    interruptAt: 'has no API key',
  });
  const lines = err.trimEnd().split('\n');
  expect(lines.map((text) => JSON.parse(text))).toEqual([
    expect.objectContaining({
      level: 'info',
      message: expect.stringMatching(
        /^Serving .*\.sqlite on http:\/\/127\.0\.0\.1:\d+, metrics on http:\/\/127\.0\.0\.1:\d+\/metrics$/,
      ),
    }),
    expect.objectContaining({ level: 'warning', message: expect.stringContaining('has no API key yet') }),
  ]);
  expect(code).toBe(0);
});

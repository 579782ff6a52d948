import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Behavior, findRefusingUrl, sendJson } from '../client/loopback.ts';
import { createMachine } from '../support/kith.ts';
import { createCredentials, runAgainst } from './requests.ts';

/** The exit code and the messages of a command. With 0, stdout has the record. */
type Outcome = readonly [code: number, message: string];

const record = '{"id":"a","name":"김"}';
const createRawResponse =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Behavior =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
const createMiddlePage =
  (after: (socket: { resetAndDestroy(): unknown; end(): unknown }) => void): Behavior =>
  (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"id":');
    setTimeout(() => after(response.req.socket), 20);
  };
const createRedirect =
  (location: string): Behavior =>
  ({ url }, response, count) =>
    url === '/here' && count > 0
      ? void response.end(record)
      : void response.writeHead(307, { location }).end();

const lookHint = `hint: kith contacts list --where 'name = "Ada"' --sort -created_at --limit 5\n`;
const baseUrlHint = 'hint: Check the base URL: kith auth status\n';
const noRecord = 'kith: Done. The service did not return the record.\n';
const success: Outcome = [0, ''];
const createLostOutcomes = (reason: string): readonly [Outcome, Outcome] => [
  [75, `kith: Cannot reach URL: ${reason}.\n`],
  [7, `kith: Cannot reach URL: ${reason}. The POST may have been processed.\n${lookHint}`],
];
const createUnreadableOutcomes = (reason: string): readonly [Outcome, Outcome] => [
  [1, `kith: The response is ${reason}.\n${baseUrlHint}`],
  [7, `kith: The response is ${reason}. The POST may have been processed.\n${lookHint}`],
];
const redirectOutcome: Outcome = [
  1,
  'kith: URL redirects to https://evil.example; kith does not send the key there.\nhint: Check --base-url: it must be the final address of the service.\n',
];

test.each<readonly [title: string, behave: Behavior, outcomes: readonly [Outcome, Outcome], reads: number]>([
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the connection is reset before the response',
    (_, { req }) => req.socket.resetAndDestroy(),
    createLostOutcomes('connection reset'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the connection is closed before the response',
    (_, { req }) => req.socket.end(),
    createLostOutcomes('the connection was closed before the response was complete'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the connection is reset in the middle of the response',
    createMiddlePage((socket) => socket.resetAndDestroy()),
    createLostOutcomes('connection reset'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the connection is closed in the middle of the response',
    createMiddlePage((socket) => socket.end()),
    createLostOutcomes('the connection was closed before the response was complete'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if there is no response within --timeout',
    () => {},
    createLostOutcomes('the request timed out'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if a response stops arriving for longer than --timeout',
    (_, response) => void response.writeHead(200).write('{"id":'),
    createLostOutcomes('the response timed out before it was complete'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the server does not speak HTTP, and says so',
    (_, { req }) => req.socket.end('SSH-2.0-OpenSSH_9.7\r\n'),
    createLostOutcomes('the server does not speak HTTP'),
    2,
  ],
  [
    'reports truncated JSON, and exits with 1 after a read and 7 after a write',
    createRawResponse('{"id":"a","name":"Ad'),
    createUnreadableOutcomes('damaged or truncated JSON'),
    1,
  ],
  [
    'reports an HTML page from a proxy, and exits with 1 after a read and 7 after a write',
    createRawResponse('<!DOCTYPE html><title>Sign in</title>'),
    createUnreadableOutcomes('an HTML page, not a record'),
    1,
  ],
  [
    'reports a response that is not UTF-8 without replacing any bytes, and exits with 1 after a read and 7 after a write',
    createRawResponse(Buffer.from('{"id":"\xe9"}', 'latin1')),
    createUnreadableOutcomes('not UTF-8'),
    1,
  ],
  [
    'reports a raw NUL in JSON, and exits with 1 after a read and 7 after a write',
    createRawResponse('{"id":"a\0"}'),
    createUnreadableOutcomes('damaged or truncated JSON'),
    1,
  ],
  [
    'reports a damaged gzip response, and exits with 1 after a read and 7 after a write',
    createRawResponse(Buffer.from('no gzip'), { 'content-encoding': 'gzip' }),
    createUnreadableOutcomes('not valid gzip data'),
    1,
  ],
  [
    'decompresses a gzip response that it did not ask for',
    createRawResponse(gzipSync(record), { 'content-encoding': 'gzip' }),
    [success, success],
    1,
  ],
  [
    'reads a JSON response whose content type is wrong',
    createRawResponse(record, { 'content-type': 'text/html' }),
    [success, success],
    1,
  ],
  [
    'waits for a response that arrives byte by byte',
    (_, response) => {
      const bytes = [...Buffer.from(record)];
      const timer = setInterval(() => {
        const byte = bytes.shift();
        if (byte !== undefined) return void response.write(Buffer.of(byte));
        clearInterval(timer);
        response.end();
      }, 4);
    },
    [success, success],
    1,
  ],
  [
    'follows a redirect within the service for a read, and does not retry a write (exit code 1)',
    createRedirect('/here'),
    [success, [1, 'kith: URL redirects a POST (307); it was not repeated.\n']],
    2,
  ],
  [
    'does not follow a redirect to another origin, and sends the key nowhere else (exit code 1)',
    createRedirect('https://evil.example/'),
    [redirectOutcome, redirectOutcome],
    1,
  ],
  [
    'exits with 7 after a write that is redirected with 303, because it may have been processed',
    ({ url }, response, count) =>
      url === '/here' && count > 0
        ? void response.end(record)
        : void response.writeHead(303, { location: '/here' }).end(),
    [success, [7, `kith: URL redirects a POST (303). The POST may have been processed.\n${lookHint}`]],
    2,
  ],
  [
    'does not follow a redirect to an invalid address (exit code 1)',
    createRedirect('javascript:alert(1)'),
    [
      [1, redirectOutcome[1].replace('https://evil.example', '"javascript:alert(1)"')],
      [1, redirectOutcome[1].replace('https://evil.example', '"javascript:alert(1)"')],
    ],
    1,
  ],
  [
    'reports the status of an error response whose gzip body is damaged',
    (_, response) => void response.writeHead(404, { 'content-encoding': 'gzip' }).end('no gzip'),
    [
      [3, 'kith: The service responded with 404.\n'],
      [3, 'kith: The service responded with 404.\n'],
    ],
    2, // a word that is no id may be a name
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if interim responses keep arriving for longer than --timeout',
    (_, { req }) => {
      const timer = setInterval(() => req.socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 50);
      req.socket.on('close', () => clearInterval(timer));
    },
    createLostOutcomes('the response timed out: it arrives too slowly'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the response is shorter than its Content-Length',
    (_, { req }) =>
      void req.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 90\r\nconnection: close\r\n\r\n{"id":"a"'),
    createLostOutcomes('the response does not have the length that its header says'),
    2,
  ],
  [
    'stops after five redirects if a redirect leads to itself (exit code 1)',
    createRedirect('?'),
    [
      [1, 'kith: URL redirects too many times.\n'],
      [1, 'kith: URL redirects a POST (307); it was not repeated.\n'],
    ],
    6,
  ],
])('%s', async (_, respond, [read, write], readCount) => {
  // A busy machine may take more than a second to respond.
  const timeout = /timed out/.test(read[1]) ? 1 : 20;
  const flags = `--format ndjson --timeout ${timeout} --retries 1`;
  const [readResult, writeResult] = await Promise.all([
    runAgainst(respond, `contacts get a ${flags}`),
    runAgainst(respond, `contacts create --first-name Ada ${flags}`),
  ]);
  const pickResult = ({ code, out, err }: typeof readResult) => ({ code, out, err });
  const formatOutcome = ([code, err]: Outcome) => ({ code, out: code === 0 ? `${record}\n` : '', err });
  expect(pickResult(readResult)).toEqual(formatOutcome(read));
  expect(pickResult(writeResult)).toEqual(formatOutcome(write));
  expect(readResult.requests.length).toBe(readCount);
  // In every case, nothing is written twice.
  expect(writeResult.requests).toEqual(['POST /v1/contacts']);
});

test('escapes the control characters of an invalid redirect address', async () => {
  const location = 'javascript:\u009b31mred\u0085';
  const redirectBehavior: Behavior = (_, { req }) =>
    void req.socket.end(`HTTP/1.1 307 Away\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`, 'latin1');
  const { code, err } = await runAgainst(redirectBehavior, 'contacts get a');
  expect(code).toBe(1);
  expect(err).toContain(String.raw`kith: URL redirects to "javascript:\x9b31mred`);
  expect(err.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test('reports an empty response to a read (exit code 1), and accepts one to a write as success, with a note that it has no record', async () => {
  const [read, writeResult] = await Promise.all([
    runAgainst(createRawResponse(''), 'contacts get a'),
    runAgainst(createRawResponse(''), 'contacts create --first-name Ada --jq .'),
  ]);
  expect(read).toMatchObject({ code: 1, out: '', err: `kith: The response is empty.\n${baseUrlHint}` });
  // The specification shows no response to a write.
  expect(writeResult).toMatchObject({ code: 0, out: 'null\n', err: noRecord });
});

test('retries a read and a write if nothing listens at the address, then exits with 75', async () => {
  const url = await findRefusingUrl();
  const kith = createMachine();
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => void waits.push(milliseconds);
  const connectionRefused = { code: 75, out: '', err: `kith: Cannot reach ${url}: connection refused.\n` };
  for (const line of ['contacts get a', 'contacts create --first-name Ada']) {
    expect(await kith(`${line} --retries 1`, { env: createCredentials(url), sleep })).toEqual(
      connectionRefused,
    );
  }
  expect(waits).toHaveLength(2);
});

test('prints all of a 50 MB response', async () => {
  const body = `{"id":"a","text":"${'다'.repeat(50 * 350_000)}"}`;
  const { code, out, err } = await runAgainst(createRawResponse(body), 'contacts get a --format ndjson');
  expect({ code, err, isWhole: out === `${body}\n` }).toEqual({ code: 0, err: '', isWhole: true });
});

test('keeps every digit and the notation of numbers, even beyond 2^53', async () => {
  const text = '{"id":12345678901234567890,"a":1.10,"b":1e400,"c":-0,"d":9007199254740993}';
  const list = createRawResponse(`{"data":[${text}]}`);
  expect((await runAgainst(createRawResponse(text), 'contacts get a --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(list, 'contacts list --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(list, 'contacts list --format ndjson --fields id,d')).out).toBe(
    '{"id":12345678901234567890,"d":9007199254740993}\n',
  );
});

test('keeps NUL, escape sequences and lone surrogates in JSON output', async () => {
  const text = '{"id":"\\u0000\\u001b[2J\\ud800\u202e\u009b"}';
  expect((await runAgainst(createRawResponse(text), 'contacts get a --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(createRawResponse(text), 'contacts get a --fields id --no-header')).out).toBe(
    '\0\u001b[2J\ud800\u202e\u009b\n',
  );
});

test('exits with 4 if the service refuses the key, and redacts the key in the message', async () => {
  const respond: Behavior = ({ headers }, response) =>
    sendJson(response, 401, { error: `${headers.authorization} is unknown` });
  expect(await runAgainst(respond, 'contacts list')).toEqual({
    code: 4,
    out: '',
    err: 'kith: Bearer [key] is unknown\nhint: See kith auth status, then kith auth login.\n',
    requests: ['GET /v1/contacts?first=25&after=0'],
    waits: [],
  });
});

import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Behavior, findRefusingUrl, sendJson } from '../client/loopback.ts';
import { createMachine } from '../support/kith.ts';
import { createCredentials, runAgainst } from './requests.ts';

/** The exit code and the messages of a command. With 0, stdout has the record. */
type Outcome = readonly [code: number, told: string];

const record = '{"id":"a","name":"김"}';
const raw =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Behavior =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
const inTheMiddle =
  (after: (socket: { resetAndDestroy(): unknown; end(): unknown }) => void): Behavior =>
  (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"id":');
    setTimeout(() => after(response.req.socket), 20);
  };
const redirect =
  (location: string): Behavior =>
  ({ url }, response, count) =>
    url === '/here' && count > 0
      ? void response.end(record)
      : void response.writeHead(307, { location }).end();

const lookHint = 'hint: Check whether the change was made before you run the command again.\n';
const isItHint = 'hint: Check the base URL: kith auth status\n';
const noRecord = 'kith: Done. The service did not return the record.\n';
const good: Outcome = [0, ''];
const lost = (reason: string): readonly [Outcome, Outcome] => [
  [75, `kith: Cannot reach URL: ${reason}.\n`],
  [7, `kith: Cannot reach URL: ${reason}. The POST may have been processed.\n${lookHint}`],
];
const unreadable = (what: string): readonly [Outcome, Outcome] => [
  [1, `kith: The response is ${what}.\n${isItHint}`],
  [7, `kith: The response is ${what}. The POST may have been processed.\n${lookHint}`],
];
const elsewhere: Outcome = [
  1,
  'kith: URL redirects to https://evil.example; kith does not send the key there.\nhint: Check --base-url: it must be the final address of the service.\n',
];

test.each<readonly [title: string, behave: Behavior, outcomes: readonly [Outcome, Outcome], reads: number]>([
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the connection is reset before the response',
    (_, { req }) => req.socket.resetAndDestroy(),
    lost('connection reset'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the connection is closed before the response',
    (_, { req }) => req.socket.end(),
    lost('the connection was closed before the response was complete'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the connection is reset in the middle of the response',
    inTheMiddle((socket) => socket.resetAndDestroy()),
    lost('connection reset'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the connection is closed in the middle of the response',
    inTheMiddle((socket) => socket.end()),
    lost('the connection was closed before the response was complete'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if there is no response within --timeout',
    () => {},
    lost('the request timed out'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if a response stops arriving for longer than --timeout',
    (_, response) => void response.writeHead(200).write('{"id":'),
    lost('the response timed out before it was complete'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the server does not speak HTTP, and says so',
    (_, { req }) => req.socket.end('SSH-2.0-OpenSSH_9.7\r\n'),
    lost('the server does not speak HTTP'),
    2,
  ],
  [
    'reports truncated JSON, and exits with 1 after a read and 7 after a write',
    raw('{"id":"a","name":"Ad'),
    unreadable('damaged or truncated JSON'),
    1,
  ],
  [
    'reports an HTML page from a proxy, and exits with 1 after a read and 7 after a write',
    raw('<!DOCTYPE html><title>Sign in</title>'),
    unreadable('an HTML page, not a record'),
    1,
  ],
  [
    'reports a response that is not UTF-8 without replacing any bytes, and exits with 1 after a read and 7 after a write',
    raw(Buffer.from('{"id":"\xe9"}', 'latin1')),
    unreadable('not UTF-8'),
    1,
  ],
  [
    'reports a raw NUL in JSON, and exits with 1 after a read and 7 after a write',
    raw('{"id":"a\0"}'),
    unreadable('damaged or truncated JSON'),
    1,
  ],
  [
    'reports a damaged gzip response, and exits with 1 after a read and 7 after a write',
    raw(Buffer.from('no gzip'), { 'content-encoding': 'gzip' }),
    unreadable('not valid gzip data'),
    1,
  ],
  [
    'decompresses a gzip response that it did not ask for',
    raw(gzipSync(record), { 'content-encoding': 'gzip' }),
    [good, good],
    1,
  ],
  [
    'reads a JSON response whose content type is wrong',
    raw(record, { 'content-type': 'text/html' }),
    [good, good],
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
    [good, good],
    1,
  ],
  [
    'follows a redirect within the service for a read, and does not retry a write (exit code 1)',
    redirect('/here'),
    [good, [1, 'kith: URL redirects a POST (307); it was not repeated.\n']],
    2,
  ],
  [
    'does not follow a redirect to another origin, and sends the key nowhere else (exit code 1)',
    redirect('https://evil.example/'),
    [elsewhere, elsewhere],
    1,
  ],
  [
    'exits with 7 after a write that is redirected with 303, because it may have been processed',
    ({ url }, response, count) =>
      url === '/here' && count > 0
        ? void response.end(record)
        : void response.writeHead(303, { location: '/here' }).end(),
    [good, [7, `kith: URL redirects a POST (303). The POST may have been processed.\n${lookHint}`]],
    2,
  ],
  [
    'does not follow a redirect to an invalid address (exit code 1)',
    redirect('javascript:alert(1)'),
    [
      [1, elsewhere[1].replace('https://evil.example', '"javascript:alert(1)"')],
      [1, elsewhere[1].replace('https://evil.example', '"javascript:alert(1)"')],
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
    1,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if interim responses keep arriving for longer than --timeout',
    (_, { req }) => {
      const timer = setInterval(() => req.socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 50);
      req.socket.on('close', () => clearInterval(timer));
    },
    lost('the response timed out: it arrives too slowly'),
    2,
  ],
  [
    'retries a read (exit code 75) but not a write (exit code 7) if the response is shorter than its Content-Length',
    (_, { req }) =>
      void req.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 90\r\nconnection: close\r\n\r\n{"id":"a"'),
    lost('the response does not have the length that its header says'),
    2,
  ],
  [
    'stops after five redirects if a redirect leads to itself (exit code 1)',
    redirect('?'),
    [
      [1, 'kith: URL redirects too many times.\n'],
      [1, 'kith: URL redirects a POST (307); it was not repeated.\n'],
    ],
    6,
  ],
])('%s', async (_, behave, [read, write], reads) => {
  // A busy machine may take more than a second to respond.
  const timeout = /timed out/.test(read[1]) ? 1 : 20;
  const flags = `--format ndjson --timeout ${timeout} --retries 1`;
  const [got, made] = await Promise.all([
    runAgainst(behave, `contacts get a ${flags}`),
    runAgainst(behave, `contacts create --first-name Ada ${flags}`),
  ]);
  const ended = ({ code, out, err }: typeof got) => ({ code, out, err });
  const expected = ([code, err]: Outcome) => ({ code, out: code === 0 ? `${record}\n` : '', err });
  expect(ended(got)).toEqual(expected(read));
  expect(ended(made)).toEqual(expected(write));
  expect(got.requests.length).toBe(reads);
  // In every case, nothing is written twice.
  expect(made.requests).toEqual(['POST /v1/contacts']);
});

test('escapes the control characters of an invalid redirect address', async () => {
  const location = 'javascript:\u009b31mred\u0085';
  const redirects: Behavior = (_, { req }) =>
    void req.socket.end(`HTTP/1.1 307 Away\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`, 'latin1');
  const { code, err } = await runAgainst(redirects, 'contacts get a');
  expect(code).toBe(1);
  expect(err).toContain(String.raw`kith: URL redirects to "javascript:\x9b31mred`);
  expect(err.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test('reports an empty response to a read (exit code 1), and accepts one to a write as success, with a note that it has no record', async () => {
  const [read, written] = await Promise.all([
    runAgainst(raw(''), 'contacts get a'),
    runAgainst(raw(''), 'contacts create --first-name Ada --json'),
  ]);
  expect(read).toMatchObject({ code: 1, out: '', err: `kith: The response is empty.\n${isItHint}` });
  // The specification shows no answer to a write.
  expect(written).toMatchObject({ code: 0, out: 'null\n', err: noRecord });
});

test('retries a read and a write if nothing listens at the address, then exits with 75', async () => {
  const url = await findRefusingUrl();
  const kith = createMachine();
  const told = { code: 75, out: '', err: `kith: Cannot reach ${url}: connection refused.\n` };
  for (const line of ['contacts get a', 'contacts create --first-name Ada']) {
    expect(await kith(`${line} --retries 1`, { env: createCredentials(url) })).toEqual(told);
  }
});

test('prints all of a 50 MB response', async () => {
  const body = `{"id":"a","text":"${'다'.repeat(50 * 350_000)}"}`;
  const { code, out, err } = await runAgainst(raw(body), 'contacts get a --format ndjson');
  expect({ code, err, isWhole: out === `${body}\n` }).toEqual({ code: 0, err: '', isWhole: true });
});

test('keeps every digit and the notation of numbers, even beyond 2^53', async () => {
  const text = '{"id":12345678901234567890,"a":1.10,"b":1e400,"c":-0,"d":9007199254740993}';
  const list = raw(`{"data":[${text}]}`);
  expect((await runAgainst(raw(text), 'contacts get a --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(list, 'contacts list --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(list, 'contacts list --format ndjson --fields id,d')).out).toBe(
    '{"id":12345678901234567890,"d":9007199254740993}\n',
  );
});

test('keeps NUL, escape sequences and lone surrogates in JSON output', async () => {
  const text = '{"id":"\\u0000\\u001b[2J\\ud800\u202e\u009b"}';
  expect((await runAgainst(raw(text), 'contacts get a --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(raw(text), 'contacts get a --fields id --no-header')).out).toBe(
    '\0\u001b[2J\ud800\u202e\u009b\n',
  );
});

test('exits with 4 if the service refuses the key, and redacts the key in the message', async () => {
  const behave: Behavior = ({ headers }, response) =>
    sendJson(response, 401, { error: `${headers.authorization} is unknown` });
  expect(await runAgainst(behave, 'contacts list')).toEqual({
    code: 4,
    out: '',
    err: 'kith: Bearer [key] is unknown\nhint: See kith auth status, then kith auth login.\n',
    requests: ['GET /v1/contacts?first=25&after=0'],
  });
});

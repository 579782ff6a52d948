import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Behavior, findRefusingUrl, sendJson } from '../client/loopback.ts';
import { createMachine } from '../support/kith.ts';
import { runAgainst } from './requests.ts';

/** The exit code and the messages of a command. With 0, stdout has the record. */
type Outcome = readonly [code: number, message: string];

const record = '{"id":"a","name":"김"}';
const send =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): Behavior =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
/** Sends the first part of a response, and then ends the connection. */
const sendPart =
  (end: (socket: Socket) => void): Behavior =>
  (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"id":');
    setTimeout(() => end(response.req.socket), 20);
  };
const redirect =
  (location: string, status = 307): Behavior =>
  ({ url }, response, count) =>
    url === '/here' && count > 0
      ? void response.end(record)
      : void response.writeHead(status, { location }).end();

/** Runs a read and a write, and checks their outcomes, the number of requests of the read, and that the write sends one. */
async function expectOutcomes(behave: Behavior, read: Outcome, write: Outcome, readCount: number) {
  // A busy machine may take more than a second to respond.
  const flags = `--format ndjson --timeout ${/timed out/.test(read[1]) ? 1 : 20} --retries 1`;
  const [readResult, writeResult] = await Promise.all([
    runAgainst(behave, `contacts get a ${flags}`),
    runAgainst(behave, `contacts create --first-name Ada ${flags}`),
  ]);
  const formatOutcome = ([code, err]: Outcome) => ({ code, out: code === 0 ? `${record}\n` : '', err });
  expect(readResult).toMatchObject(formatOutcome(read));
  expect(writeResult).toMatchObject(formatOutcome(write));
  expect(readResult.requests.length).toBe(readCount);
  expect(writeResult.requests).toEqual(['POST /v1/contacts']);
}

const lookHint = `hint: kith contacts list --where 'name = "Ada"' --sort -created_at --limit 5\n`;
const baseUrlHint = 'hint: Check the base URL: kith auth status\n';
const closed = 'the connection was closed before the response was complete';
const done = 'The POST may have been processed.';

async function expectLost(behave: Behavior, reason: string) {
  const read: Outcome = [75, `kith: Cannot reach URL: ${reason}.\n`];
  await expectOutcomes(behave, read, [7, `kith: Cannot reach URL: ${reason}. ${done}\n${lookHint}`], 2);
}

test.each<readonly [title: string, behave: Behavior, reason: string]>([
  ['the connection is reset', (_, { req }) => req.socket.resetAndDestroy(), 'connection reset'],
  ['the connection is closed', (_, { req }) => req.socket.end(), closed],
  [
    'it is reset in the middle of the response',
    sendPart((socket) => socket.resetAndDestroy()),
    'connection reset',
  ],
  ['it is closed in the middle of the response', sendPart((socket) => socket.end()), closed],
  [
    'the server does not speak HTTP',
    (_, { req }) => req.socket.end('SSH-2.0-OpenSSH_9.7\r\n'),
    'the server does not speak HTTP',
  ],
  [
    'the response is shorter than its Content-Length',
    (_, { req }) =>
      void req.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 90\r\nconnection: close\r\n\r\n{"id":"a"'),
    'the response does not have the length that its header says',
  ],
])('retries a read (exit code 75), but not a write (exit code 7), if %s', (_, ...row) => expectLost(...row));

test('retries a read (exit code 75), but not a write (exit code 7), if a response takes longer than --timeout', () =>
  Promise.all([
    expectLost(() => {}, 'the request timed out'),
    expectLost(
      (_, response) => void response.writeHead(200).write('{"id":'),
      'the response timed out before it was complete',
    ),
    // Interim responses keep arriving.
    expectLost((_, { req }) => {
      const timer = setInterval(() => req.socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 50);
      req.socket.on('close', () => clearInterval(timer));
    }, 'the response timed out: it arrives too slowly'),
  ]));

test.each<readonly [behave: Behavior, reason: string]>([
  [send('{"id":"a","name":"Ad'), 'damaged or truncated JSON'],
  [send('{"id":"a\0"}'), 'damaged or truncated JSON'],
  [send('<!DOCTYPE html><title>Sign in</title>'), 'an HTML page, not a record'],
  [send(Buffer.from('{"id":"\xe9"}', 'latin1')), 'not UTF-8'],
  [send(Buffer.from('no gzip'), { 'content-encoding': 'gzip' }), 'not valid gzip data'],
])(
  'exits with 1 after a read and 7 after a write if the response is unreadable: %#',
  async (behave, reason) => {
    const read: Outcome = [1, `kith: The response is ${reason}.\n${baseUrlHint}`];
    await expectOutcomes(behave, read, [7, `kith: The response is ${reason}. ${done}\n${lookHint}`], 1);
  },
);

const success: Outcome = [0, ''];
const formatAway = (origin: string): Outcome => [
  1,
  `kith: URL redirects to ${origin}; kith does not send the key there.\nhint: Check --base-url: it must be the final address of the service.\n`,
];
const notRepeated: Outcome = [1, 'kith: URL redirects a POST (307); it was not repeated.\n'];
const notFound: Outcome = [3, 'kith: The service responded with 404.\n'];

test.each<readonly [title: string, behave: Behavior, read: Outcome, write: Outcome, reads: number]>([
  [
    'a gzip response that it did not ask for',
    send(gzipSync(record), { 'content-encoding': 'gzip' }),
    success,
    success,
    1,
  ],
  ['JSON whose content type is wrong', send(record, { 'content-type': 'text/html' }), success, success, 1],
  [
    'a response that arrives byte by byte',
    (_, response) => {
      const bytes = [...Buffer.from(record)];
      const timer = setInterval(() => {
        const byte = bytes.shift();
        if (byte !== undefined) return void response.write(Buffer.of(byte));
        clearInterval(timer);
        response.end();
      }, 4);
    },
    success,
    success,
    1,
  ],
  ['a redirect within the service', redirect('/here'), success, notRepeated, 2],
  [
    'a redirect after which the write may have been processed',
    redirect('/here', 303),
    success,
    [7, `kith: URL redirects a POST (303). ${done}\n${lookHint}`],
    2,
  ],
  [
    'a redirect to itself, five times',
    redirect('?'),
    [1, 'kith: URL redirects too many times.\n'],
    notRepeated,
    6,
  ],
  [
    'a redirect to another origin',
    redirect('https://evil.example/'),
    formatAway('https://evil.example'),
    formatAway('https://evil.example'),
    1,
  ],
  [
    'a redirect to an invalid address',
    redirect('http://['),
    formatAway('"http://["'),
    formatAway('"http://["'),
    1,
  ],
  // A word that is no id may be a name: two reads.
  ['a damaged error response', send('no gzip', { 'content-encoding': 'gzip' }, 404), notFound, notFound, 2],
])('handles %s', (_, behave, read, write, reads) => expectOutcomes(behave, read, write, reads));

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
    runAgainst(send(''), 'contacts get a'),
    runAgainst(send(''), 'contacts create --first-name Ada --jq .'),
  ]);
  expect(read).toMatchObject({ code: 1, out: '', err: `kith: The response is empty.\n${baseUrlHint}` });
  // The specification shows no response to a write.
  expect(writeResult).toMatchObject({
    code: 0,
    out: 'null\n',
    err: 'kith: Done. The service did not return the record.\n',
  });
});

test('retries a read and a write if nothing listens at the address, then exits with 75', async () => {
  const url = await findRefusingUrl();
  const kith = createMachine();
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => void waits.push(milliseconds);
  const connectionRefused = { code: 75, out: '', err: `kith: Cannot reach ${url}: connection refused.\n` };
  for (const line of ['contacts get a', 'contacts create --first-name Ada']) {
    expect(
      await kith(`${line} --retries 1`, {
        env: { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' },
        sleep,
      }),
    ).toEqual(connectionRefused);
  }
  expect(waits).toHaveLength(2);
});

test('prints all of a 50 MB response', async () => {
  const body = `{"id":"a","text":"${'다'.repeat(50 * 350_000)}"}`;
  const { code, out, err } = await runAgainst(send(body), 'contacts get a --format ndjson');
  expect({ code, err, isWhole: out === `${body}\n` }).toEqual({ code: 0, err: '', isWhole: true });
});

test('keeps every digit and the notation of numbers, even beyond 2^53', async () => {
  const text = '{"id":12345678901234567890,"a":1.10,"b":1e400,"c":-0,"d":9007199254740993}';
  const list = send(`{"data":[${text}]}`);
  expect((await runAgainst(send(text), 'contacts get a --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(list, 'contacts list --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(list, 'contacts list --format ndjson --fields id,d')).out).toBe(
    '{"id":12345678901234567890,"d":9007199254740993}\n',
  );
});

test('keeps NUL, escape sequences and lone surrogates in JSON output', async () => {
  const text = '{"id":"\\u0000\\u001b[2J\\ud800\u202e\u009b"}';
  expect((await runAgainst(send(text), 'contacts get a --format ndjson')).out).toBe(`${text}\n`);
  expect((await runAgainst(send(text), 'contacts get a --fields id --no-header')).out).toBe(
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

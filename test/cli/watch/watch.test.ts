import { expect, test } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { lockWorkspace } from '../../service/db/sqlite/lock-workspace.ts';
import {
  createDemoMachine,
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  type MachineOptions,
  writeStoredSettings,
} from '../../support/kith.ts';

const key = 'key-for-tests';

type Reply = readonly [status: number, body: unknown, headers?: Record<string, string>];

const page = (...names: string[]): Reply => [
  200,
  { data: names.map((first_name, index) => ({ id: `c${index + 1}`, first_name })) },
];

/** Watches a service that replies to each request in turn, until `end` is printed; `waits`: the milliseconds of each wait. */
async function watchReplies(
  line: string,
  replies: readonly Reply[],
  end: string,
  { onSleep, ...options }: MachineOptions & { readonly onSleep?: (milliseconds: number) => void } = {},
) {
  const { url, requests } = await startTestService((_, response, count) => {
    const [status, body, headers] = replies[Math.min(count, replies.length - 1)] ?? [500, {}];
    sendJson(response, status, body, headers);
  });
  const env = { KITH_BASE_URL: url, KITH_API_KEY: key, NO_COLOR: '1', ...options.env };
  const stop = new AbortController();
  let printed = '';
  const onOut = (text: string) => {
    printed += text;
    if (printed.includes(end)) stop.abort(new Failure('interrupted', 'Interrupted.'));
  };
  const waits: number[] = [];
  const sleep = async (milliseconds: number, signal: AbortSignal) => {
    signal.throwIfAborted();
    waits.push(milliseconds);
    onSleep?.(milliseconds);
  };
  const result = await createMachine()(line, { ...options, env, onOut, sleep, signal: stop.signal });
  return { ...result, requests: requests.length, waits };
}

const list = 'contacts list --fields id,first_name';
/** The end of a frame. */
const frameEnd = '\u001b[?7h';

/** Returns the lines that a terminal without automatic wrapping shows after a frame; the screen was full of dots. */
function showFrame(frame: string, columns: number): string[] {
  const screen: string[][] = [];
  const createLine = () => Array<string>(columns).fill('.');
  let [line, column] = [createLine(), 0];
  screen.push(line);
  const print = (character: string) => {
    if (character === '\r') column = 0;
    else if (character === '\n') {
      line = createLine();
      screen.push(line);
    } else {
      line[column] = character;
      column = Math.min(column + 1, columns - 1); // the last column is overwritten
    }
  };
  for (const piece of frame.split('\u001b[').slice(1)) {
    const [code = ''] = /^[?\d]*[A-Za-z]/.exec(piece) ?? [];
    if (/[JK]/.test(code)) line.fill('', column);
    for (const character of piece.slice(code.length)) print(character);
  }
  return screen.map((line) => line.join(''));
}

test('a pipe gets each result that differs from the one before', async () => {
  const { code, out, err, requests, waits } = await watchReplies(
    `${list} --watch 2`,
    [page('Ada'), page('Ada'), page('Ada', 'Bo')],
    'Bo',
  );
  expect(code).toBe(130);
  expect(out).toBe('id\tfirst_name\nc1\tAda\nid\tfirst_name\nc1\tAda\nc2\tBo\n');
  expect(err).not.toContain('failed');
  expect(requests).toBe(3);
  expect(waits).toEqual([1000, 1000, 1000, 1000]);
});

test('NDJSON has only the records that are new or changed', async () => {
  const { out } = await watchReplies(
    `${list} --format ndjson --watch 1`,
    [page('Ada', 'Bo'), page('Ada'), page('Ada', 'Cy')],
    'Cy',
  );
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).first_name),
  ).toEqual(['Ada', 'Bo', 'Cy']);
});

test.each([
  [[503, { error: 'down' }], 'retrying: down'],
  [[429, { error: 'slow' }, { 'retry-after': '0' }], 'retrying: slow'],
] as const)('%j does not end --watch, and is reported once', async (reply, message) => {
  const { out, err, requests } = await watchReplies(`${list} --watch 1`, [reply, reply, page('Ada')], 'Ada');
  expect(out).toBe('id\tfirst_name\nc1\tAda\n');
  expect(err.split('\n').filter((line) => line.includes('The last run failed; retrying: '))).toHaveLength(1);
  expect(err).toContain(message);
  expect(requests).toBe(3);
});

test('Retry-After postpones the next run', async () => {
  const { waits, requests } = await watchReplies(
    `${list} --watch 1`,
    [[429, { error: 'slow' }, { 'retry-after': '3' }], page('Ada')],
    'Ada',
  );
  expect(waits).toEqual([1000, 1000, 1000]);
  expect(requests).toBe(2);
});

test('Retry-After with a time postpones the next run by the rest of that time', async () => {
  const start = Date.parse('2026-05-04T12:00:00Z');
  const headers = { 'retry-after': new Date(start + 5000).toUTCString(), date: 'unknown' };
  const replies = [page('Ada'), [429, { error: 'slow' }, headers], page('Bo')] as const;
  let passed = 0;
  const { waits } = await watchReplies(`${list} --watch 2`, replies, 'Bo', {
    now: () => new Date(start + passed),
    onSleep: (milliseconds) => {
      passed += milliseconds;
    },
  });
  expect(waits.length).toBe(2 + 3);
});

test('the statuses 401, 404 and 422 end --watch', async () => {
  const watchUntil = (status: number) =>
    watchReplies(`${list} --watch 1`, [page('Ada'), [status, { error: 'no' }]], 'never');
  const results = await Promise.all([401, 404, 422].map(watchUntil));
  expect(results.map(({ code }) => code)).toEqual([4, 3, 5]);
  for (const result of results)
    expect(result).toMatchObject({ requests: 2, out: 'id\tfirst_name\nc1\tAda\n' });
});

test('a terminal is repainted in place, truncated to its height, with a failure above the last output', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `N${index}`);
  const { out, err } = await watchReplies(
    `${list} --watch 1`,
    [page(...names), [503, { error: 'down' }], page('Zed', `Zoe ${'x'.repeat(80)}`)],
    'Zed',
    { terminal: 60, rows: 7 },
  );
  const frames = out
    .split(frameEnd)
    .slice(0, -1)
    .map((frame) => showFrame(frame.slice(frame.indexOf('\u001b[?7l')), 60));
  expect(out.startsWith('\n'.repeat(6))).toBe(true);
  const clock = expect.stringMatching(/^Every 1 s: kith contacts li.* \d\d:\d\d:\d\d, next in 1 s$/);
  const rows = ['ID  FIRST NAME', ...names.slice(0, 3).map((name) => expect.stringContaining(name))];
  expect(frames).toEqual([
    [clock, '', ...rows, '(6 more lines)'],
    [clock, 'The last run failed: down', ...rows, '(6 more lines)'],
    [
      clock,
      '',
      'ID  FIRST NAME',
      expect.stringContaining('Zed'),
      expect.stringMatching(/^c2 {2}Zoe x{51}…$/),
    ],
  ]);
  for (const [header = ''] of frames) expect(header).toHaveLength(60);
  expect(out.endsWith(`${frameEnd}\n`)).toBe(true);
  expect(err).not.toContain('failed');
});

test('notes are below the output', async () => {
  const data = Array.from({ length: 3 }, (_, index) => ({ id: `c${index}` }));
  const pagination = { first: 2, after: 0, total_count: 3 };
  const { out } = await watchReplies(
    'contacts list --limit 2 --fields id --watch 1',
    [[200, { data: data.slice(0, 2), pagination }]],
    frameEnd,
    { terminal: 40, rows: 20 },
  );
  expect(showFrame(out.slice(out.indexOf('\u001b'), out.indexOf(frameEnd)), 40).slice(-2)).toEqual([
    'c1',
    'kith: 1 more record. Use --all or a lar…',
  ]);
});

test('--wide does not make lines wider than the screen, which cannot scroll sideways', async () => {
  const records = [{ id: 'c1', first_name: 'Ada', emails: [`ada@${'x'.repeat(60)}.example`] }];
  const { out } = await watchReplies('contacts list --wide --watch 1', [[200, { data: records }]], frameEnd, {
    terminal: 40,
    rows: 20,
  });
  const lines = showFrame(out.slice(out.indexOf('\u001b'), out.indexOf(frameEnd)), 40);
  expect(lines.find((line) => line.includes('Ada'))).toMatch(/…$/);
});

test('a failure of the service cannot control the terminal', async () => {
  const down = [503, { error: 'do\u001b[2Jwn' }] as const;
  const { out } = await watchReplies(`${list} --watch 1`, [page('Ada'), down], 'failed', {
    terminal: 60,
    rows: 7,
  });
  expect(out).toContain('The last run failed: do\\x1b[2Jwn');
});

test('with TERM=dumb or --debug, a terminal gets one result after another', async () => {
  const results = await Promise.all(
    [
      { line: list, env: { TERM: 'dumb' } },
      { line: `${list} --debug`, env: {} },
    ].map(({ line, env }) =>
      watchReplies(`${line} --watch 1`, [page('Ada'), page('Bo')], 'Bo', { terminal: 60, rows: 9, env }),
    ),
  );
  for (const { out } of results) {
    expect(out).not.toContain('\u001b[');
    expect(out.match(/FIRST NAME/g)).toHaveLength(2);
  }
});

test('--jq and reports can be watched', async () => {
  const stop = new AbortController();
  const onOut = () => stop.abort();
  const kith = createDemoMachine();
  const once = await kith('lists report "Sales pipeline"');
  const result = await kith('lists report "Sales pipeline" --watch 1', { onOut, signal: stop.signal });
  expect(result.out).toBe(once.out);
  const { out } = await watchReplies(`${list} --jq length --watch 1`, [page('Ada'), page('Ada', 'Bo')], '2');
  expect(out).toBe('1\n2\n');
});

test.each([
  ['contacts list --watch 0', '--watch: "0" is not an integer from 1 to 86400.'],
  ['contacts list --watch 1 -o list.csv', '--watch and --output cannot be used together.'],
  ['auth status --watch 1', '--watch is not supported by `kith auth status`.'],
  ['schedule print --hourly 1 -- contacts list --watch 5', 'The job: --watch never ends.'],
  ['contacts list --watch 1 --fields nothing', 'nothing'],
])('%s is a usage error', async (line, message) => {
  const { code, err } = await createDemoMachine()(line);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

test('a workspace file can be watched while another program locks and changes it', async () => {
  const folder = createTemporaryFolder();
  const database = createSampleWorkspace(folder);
  writeStoredSettings(folder, { active: 'demo', profiles: { demo: { database } } });
  const kith = createMachine(folder);
  const stop = new AbortController();
  const texts: string[] = [];
  let release = () => {};
  const steps = [
    async () => {
      release = lockWorkspace(database);
    },
    async () => {
      release();
      await kith('lists create Later --entry-type Contact');
    },
    async () => stop.abort(new Failure('interrupted', 'Interrupted.')),
  ];
  const result = await kith('lists list --fields name --watch 1', {
    onOut: (text) => texts.push(text),
    sleep: async () => steps.shift()?.(),
    signal: stop.signal,
    lockTimeout: 100,
  });
  expect(result).toMatchObject({ code: 130, err: 'kith: Interrupted.\n' });
  expect(texts).toEqual([expect.not.stringContaining('Later'), expect.stringContaining('\nLater\n')]);
});

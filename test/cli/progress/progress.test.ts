import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../../src/cli/progress/activity.ts';
import { describeRequest } from '../../../src/cli/progress/observe-requests.ts';
import { formatSteps } from '../../../src/cli/progress/progress.ts';
import { run } from '../../../src/cli/run.ts';
import { sendJson, sendPage, startTestService } from '../../client/loopback.ts';
import { startControlledService } from '../../import/controlled-service.ts';
import { createEnv } from '../../support/binary.ts';
import {
  createContext,
  createSampleWorkspace,
  createTemporaryFolder,
  type MachineOptions,
  splitWords,
} from '../../support/kith.ts';
import { runInTerminal } from '../../support/terminal.ts';

const esc = '\u001b';
const erasesLine = `${esc}[0K`;

/** A clock on which 10 ms pass with each turn of the event loop, so that tests do not depend on the speed of the machine. */
function createTurnClock(): Clock {
  const timers = new Set<{ readonly at: number; readonly work: () => void }>();
  let time = 0;
  let isTurning = false;
  const advance = () => {
    time += 10;
    for (const timer of [...timers].filter(({ at }) => at <= time)) if (timers.delete(timer)) timer.work();
    isTurning = timers.size > 0;
    if (isTurning) setImmediate(advance);
  };
  return {
    now: () => time,
    schedule: (work, delay) => {
      const timer = { at: time + delay, work };
      timers.add(timer);
      if (!isTurning) setImmediate(advance);
      isTurning = true;
      return () => void timers.delete(timer);
    },
  };
}

/** Returns a terminal of 80 columns with a progress line, in which a test can wait for a text. */
function createLine(folder = createTemporaryFolder()) {
  const output = { out: '', err: '' };
  return {
    /** Runs a command line and returns its exit code and output. */
    run: async (line: string, options: MachineOptions = {}) => {
      Object.assign(output, { out: '', err: '' });
      const context = createContext(
        folder,
        { terminal: 80, progressClock: createTurnClock(), ...options },
        output,
      );
      const code = await run(splitWords(line), context);
      return { code, ...output, texts: listTexts(output.err) };
    },
    /** Waits until the line has shown a text that matches. */
    showing: async (text: string | RegExp) => {
      await expect
        .poll(() => listTexts(output.err), { interval: 1 })
        .toContainEqual(expect.stringMatching(text));
    },
  };
}

/** Returns the texts that the line showed, each once. */
const listTexts = (err: string) => [
  ...new Set(
    err
      .split(new RegExp(`${esc}\\[(?:1G|0K)`))
      .map((text) => stripVTControlCharacters(text).replace(/^\W /, '').trim())
      .filter((text) => text !== ''),
  ),
];

/** Serves 250 contacts, after one failed response for each of `statuses`. `before` is called before each page. */
async function startListService(
  before: (page: number) => Promise<void> | void,
  statuses: readonly number[] = [],
) {
  const service = await startTestService(async ({ url }, response, count) => {
    const status = statuses[count];
    if (status !== undefined) return sendJson(response, status, {}, { 'retry-after': '1' });
    const { searchParams } = new URL(url, 'http://x');
    const [first, after] = [Number(searchParams.get('first')), Number(searchParams.get('after'))];
    await before(1 + Math.round(after / first));
    sendPage(response, url, { length: 250, at: (index) => ({ id: `c${index}` }) });
  });
  return { ...service.env, NO_COLOR: '1' };
}

test('shows what is requested, and removes it before the result', async () => {
  const line = createLine();
  const env = await startListService(() => line.showing('Loading contacts'));
  const { out, err, texts } = await line.run('contacts list --limit 1', { env });
  expect(texts).toEqual([
    'Loading contacts',
    'kith: 249 more records. Use --all or a larger --limit to see them.',
  ]);
  expect(out).toMatch(/^ID .*\nc0\n$/);
  expect(err.indexOf('kith: ')).toBeGreaterThan(err.lastIndexOf(erasesLine));
});

test('counts the pages and records of a list', async () => {
  const line = createLine();
  const pages = [
    'Loading contacts',
    'Loading contacts: page 2, 100 of 250',
    'Loading contacts: page 3, 199 of 250',
  ];
  const env = await startListService((page) => line.showing(`^${pages[page - 1]}$`));
  const { texts } = await line.run('contacts list --all --page-size 100', { env });
  expect(texts).toEqual(pages);
});

test('shows the reason of a retry and a countdown', async () => {
  const line = createLine();
  const reasons = [
    'Loading contacts: rate limited, retrying in 1 s (1 of 4)',
    'Loading contacts: service unavailable, retrying in 1 s (2 of 4)',
  ];
  const waits = [...reasons];
  const env = await startListService(() => {}, [429, 503]);
  const sleep = () => line.showing(waits.shift()?.replace(/[()]/g, '.') ?? '');
  const { texts } = await line.run('contacts list --limit 250', { env, sleep });
  expect(texts).toEqual(expect.arrayContaining(reasons));
});

test('counts down the seconds before a retry', async () => {
  const line = createLine();
  const service = await startTestService((_, response, count) =>
    sendJson(response, count === 0 ? 429 : 200, { data: [] }, { 'retry-after': '2' }),
  );
  const env = { ...service.env, NO_COLOR: '1' };
  const sleep = () => line.showing('retrying in 0 s');
  const { texts } = await line.run('contacts list', { env, sleep });
  const countdown = [2, 1, 0].map(
    (seconds) => `Loading contacts: rate limited, retrying in ${seconds} s (1 of 4)`,
  );
  expect(texts.filter((text) => text.includes('retrying'))).toEqual(countdown);
});

test('in a narrow terminal, shows only the wait before a retry', async () => {
  const line = createLine();
  const env = await startListService(() => {}, [429]);
  const sleep = () => line.showing('^rate limited, retrying in 1 s .1 of 4.$');
  expect((await line.run('contacts list --limit 1', { env, terminal: 45, sleep })).code).toBe(0);
});

test.each([
  ['--quiet', ' -q', {}],
  ['TERM=dumb', '', { TERM: 'dumb' }],
  ['CI', '', { CI: '1' }],
])('shows nothing with %s', async (_, flag, more) => {
  const line = createLine();
  const service = await startListService(() => wait(50), [429]); // otherwise the line would appear after a few milliseconds
  const sleep = () => wait(50);
  const env = { ...service, ...more };
  expect((await line.run(`contacts list --limit 250${flag}`, { env, sleep })).err).toBe('');
});

/** Returns a pattern of a bar with the share, the count, the rate and the time remaining. */
const createBarPattern = (verb: string, unit: string) =>
  new RegExp(`^${verb} ━*─* \\d+%, [\\d,]+ of [\\d,]+ ${unit}, [\\d,.]+/s, \\d+ s left$`);

test('imports and their undo show a bar with the rate and the time remaining', async () => {
  const folder = createTemporaryFolder();
  const line = createLine(folder);
  const { env, control } = await startControlledService();
  const file = join(folder, 'people.csv');
  const rows = Array.from({ length: 40 }, (_, index) => `p${index}@new.example,P${index}\n`);
  writeFileSync(file, `email,first_name\n${rows.join('')}`);
  /** Waits for the bar before the 20th write. */
  const waitForBar = (pattern: RegExp) => {
    let writes = 0;
    control.before = async ({ method }) => {
      if (method !== 'GET' && ++writes === 20) await line.showing(pattern);
      return false;
    };
  };
  waitForBar(createBarPattern('Importing', 'rows'));
  expect((await line.run(`contacts import ${file}`, { env })).code).toBe(0);
  waitForBar(createBarPattern('Undoing', 'writes'));
  const undo = `contacts import --undo ${join(folder, 'people.report.csv')} --yes`;
  expect((await line.run(undo, { env })).code).toBe(0);
});

test('workspace copy shows a bar with the rate and the time remaining', async () => {
  const folder = createTemporaryFolder();
  const line = createLine(folder);
  const env = await startListService(() => line.showing('Loading contacts'));
  await line.run('contacts list --limit 1', { env }); // loads the library for the progress line
  // The database pauses every 50 ms. With this clock, it pauses before each query.
  let time = 0;
  const clock = vi.spyOn(process, 'hrtime').mockImplementation(() => {
    time += 60;
    return [0, time * 1_000_000];
  });
  onTestFinished(() => clock.mockRestore());
  const copy = `workspace copy ${createSampleWorkspace(folder)} ${join(folder, 'copy.sqlite')}`;
  const { code, texts } = await line.run(copy);
  expect(code).toBe(0);
  for (const verb of ['Copying', 'Comparing'])
    expect(texts).toContainEqual(expect.stringMatching(createBarPattern(verb, 'rows')));
});

test('in a terminal the line appears and leaves only the result; in a pipe it never appears', async () => {
  const env = { ...createEnv(createTemporaryFolder()), ...(await startListService(() => wait(500))) };
  const run = (line: string) => runInTerminal(line, { env, columns: 80, hasProgress: true });
  const { out } = await run('kith contacts list --limit 250 --json >/dev/null');
  expect(out).toContain('Loading contacts');
  expect(stripVTControlCharacters(out.split(erasesLine).at(-1) ?? '').trim()).toBe('');
  const piped = await run(
    'kith contacts list --limit 1 -q | cat; kith contacts list --limit 1 --json 2>/dev/null',
  );
  expect(piped.out).toContain('c0');
  expect(piped.out).not.toContain('Loading');
  expect(piped.out).not.toContain(esc);
});

/** The columns that the line has in a terminal, next to the spinner. */
const getRoom = (columns: number) => columns - 4;

test.each([
  [200, 'Importing ━━━━━━━━━─────────── 45%, 45,250 of 100,000 rows, 1,200/s, 46 s left'],
  [80, 'Importing ━━━━━───── 45%, 45,250 of 100,000 rows, 1,200/s, 46 s left'],
  [70, 'Importing 45%, 45,250 of 100,000 rows, 1,200/s, 46 s left'],
  [60, 'Importing 45,250 of 100,000 rows, 1,200/s, 46 s left'],
  [52, 'Importing 45,250 of 100,000, 1,200/s, 46 s left'],
  [45, '45,250 of 100,000, 1,200/s, 46 s left'],
  [40, '45,250 of 100,000, 46 s left'],
])('at %d columns, progress shows the parts that fit', (columns, expected) => {
  const steps = { verb: 'Importing', unit: 'row', done: 45_250, total: 100_000 };
  const text = formatSteps(steps, 1200, getRoom(columns));
  expect(text).toBe(expected);
  expect(text.length).toBeLessThanOrEqual(getRoom(columns));
});

test.each([
  [{ done: 45, total: 100 }, 0.5, 'Importing 45%, 45 of 100 rows, 0.5/s, 2 min left'],
  [{ done: 0, total: 100 }, 0, 'Importing ──────────────────── 0%, 0 of 100 rows'],
  [{ done: 100, total: 100 }, 7, 'Importing ━━━━━━━━━━ 100%, 100 of 100 rows, 7/s'],
  [{ done: 1, total: 43_201 }, 2, 'Importing 0%, 1 of 43,201 rows, 2/s, 6 h 0 min left'],
  [{ done: 1234, total: undefined }, 2000, 'Importing: 1,234 rows, 2,000/s'],
])('formats the steps %o at %d per second', (steps, rate, expected) => {
  expect(formatSteps({ verb: 'Importing', unit: 'row', ...steps }, rate, 52)).toBe(expected);
});

test('formats bytes as megabytes', () => {
  const steps = { verb: 'Copying', unit: 'byte', done: 2_500_000, total: 10_000_000 };
  expect(formatSteps(steps, 1_500_000, 50)).toBe('Copying 25%, 2.5 MB of 10.0 MB, 1.5 MB/s, 5 s left');
});

test.each([
  ['GET /v1/contacts', 'Loading contacts'],
  ['GET /v1/contacts/c1', 'Loading contact c1'],
  ['GET /v1/lists/l1/entries', 'Loading entries'],
  ['POST /v1/organizations', 'Creating an organization'],
  ['POST /v1/notes', 'Creating a note'],
  ['PATCH /v1/lists/l1/entries/e1', 'Updating entry e1'],
  ['DELETE /v1/notes/n1', 'Deleting note n1'],
  ['DELETE /v1/contacts/c1/emails', 'DELETE /v1/contacts/c1/emails'],
  ['GET /healthz', 'GET /healthz'],
])('describes %s as %s', (line, text) => {
  const [method = '', path = ''] = line.split(' ');
  expect(describeRequest({ method, path, query: [] })).toBe(text);
});

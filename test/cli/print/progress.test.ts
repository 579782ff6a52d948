import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { describeRequest } from '../../../src/cli/print/observe-requests.ts';
import { formatSteps } from '../../../src/cli/print/progress.ts';
import { fillContacts } from '../../bench/workspaces.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createEnv } from '../../support/binary.ts';
import {
  createDemoMachine,
  createEmptyWorkspace,
  createMachine,
  createTemporaryFolder,
} from '../../support/kith.ts';
import { runInTerminal } from '../../support/terminal.ts';

const esc = '\u001b';
const erasesLine = `${esc}[0K`;

/** A list of 250 contacts whose pages take a while, after as many throttled responses as there are statuses. */
async function startSlowService(milliseconds: number, statuses: readonly number[] = []) {
  const { url } = await startTestService(({ url }, response, count) => {
    const status = statuses[count];
    if (status !== undefined) return sendJson(response, status, {}, { 'retry-after': '1' });
    const { searchParams } = new URL(url, 'http://x');
    const [first, after] = [Number(searchParams.get('first')), Number(searchParams.get('after'))];
    const end = Math.min(250, after + first);
    const data = Array.from({ length: end - after }, (_, index) => ({ id: `c${after + index}` }));
    const pagination = { total_count: 250, end_cursor: end, has_next_page: end < 250 };
    setTimeout(() => sendJson(response, 200, { data, pagination }), milliseconds);
  });
  return { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests', NO_COLOR: '1' };
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

test('shows what is requested, and removes it before the result', async () => {
  const env = await startSlowService(300);
  const { out, err } = await createMachine()('contacts list --limit 1', {
    env,
    terminal: 80,
    progressDelay: 0,
  });
  expect(listTexts(err)).toEqual([
    'Loading contacts',
    'kith: 249 more records. Use --all or a larger --limit to see them.',
  ]);
  expect(out).toMatch(/^ID .*\nc0\n$/);
  expect(err.indexOf('kith: ')).toBeGreaterThan(err.lastIndexOf(erasesLine));
});

test('counts the pages and records of a list', async () => {
  const env = await startSlowService(150);
  const { err } = await createMachine()('contacts list --all --page-size 100', {
    env,
    terminal: 80,
    progressDelay: 0,
  });
  const [first, second] = listTexts(err); // a slow machine also shows the third page
  expect([first, second]).toEqual(['Loading contacts', 'Loading contacts: page 2, 100 of 250']);
});

/** Waits until the line has been drawn, instead of the whole second before a retry. */
const sleep = () => wait(200);

test('shows the reason of a retry and a countdown', async () => {
  const env = await startSlowService(0, [429, 503]);
  const { err } = await createMachine()('contacts list --limit 1 -q', { env, terminal: 80, sleep });
  expect(err).toBe('');
  const again = await startSlowService(0, [429, 503]);
  const shown = await createMachine()('contacts list --limit 250', {
    env: again,
    terminal: 80,
    progressDelay: 0,
    sleep,
  });
  expect(listTexts(shown.err)).toEqual(
    expect.arrayContaining([
      'Loading contacts: rate limited, retrying in 1 s (1 of 4)',
      'Loading contacts: service unavailable, retrying in 1 s (2 of 4)',
    ]),
  );
});

test('in a narrow terminal, shows only the wait before a retry', async () => {
  const env = await startSlowService(0, [429]);
  const { err } = await createMachine()('contacts list --limit 1', {
    env,
    terminal: 45,
    progressDelay: 0,
    sleep,
  });
  expect(listTexts(err)).toContain('rate limited, retrying in 1 s (1 of 4)');
});

test.each([
  ['--quiet', ' -q', {}],
  ['TERM=dumb', '', { TERM: 'dumb' }],
  ['CI', '', { CI: '1' }],
])('shows nothing with %s', async (_, flag, more) => {
  const env = { ...(await startSlowService(200)), ...more };
  const line = `contacts list --limit 250${flag}`;
  expect((await createMachine()(line, { env, terminal: 80, progressDelay: 0 })).err).toBe('');
});

// A timer draws the bar. On a fast machine the work may end before the timer fires.
test('imports, their undo and copies show a bar with the rate and the time remaining', {
  retry: 5,
}, async () => {
  const folder = createTemporaryFolder();
  const kith = await createDemoMachine();
  const file = join(folder, 'people.csv');
  const rows = Array.from({ length: 1500 }, (_, index) => `p${index}@new.example,P${index}\n`);
  writeFileSync(file, `email,first_name\n${rows.join('')}`);
  const show = async (line: string) => {
    const { code, err } = await kith(line, { terminal: 80, progressDelay: 0 });
    expect(code).toBe(0);
    return listTexts(err);
  };
  const createPattern = (verb: string, unit: string) =>
    expect.stringMatching(`^${verb} ━*─* \\d+%, [\\d,]+ of [\\d,]+ ${unit}, [\\d,.]+/s, \\d+ s left$`);
  expect(await show(`contacts import ${file}`)).toContainEqual(createPattern('Importing', 'rows'));
  expect(await show(`contacts import --undo ${join(folder, 'people.report.csv')} --yes`)).toContainEqual(
    createPattern('Undoing', 'writes'),
  );
  // The copy of a small workspace ends before the bar appears.
  const large = createEmptyWorkspace(folder, 'large.sqlite');
  await fillContacts(large, 30_000);
  expect(await show(`workspace copy ${large} ${join(folder, 'copy.sqlite')}`)).toContainEqual(
    createPattern('(Copying|Comparing)', 'rows'),
  );
});

test('in a terminal the line appears and leaves only the result; in a pipe it never appears', async () => {
  const env = { ...createEnv(createTemporaryFolder()), ...(await startSlowService(500)) };
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

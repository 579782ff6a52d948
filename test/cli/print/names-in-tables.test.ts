import { setImmediate } from 'node:timers/promises';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import { findResponse, sendJson, sendPage, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';

const noColor = { NO_COLOR: '1' };

/** Creates `count` entries of as many organizations. */
const createEntries = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `e${index}`, key: `D-${index}`, list_id: 'l1', contact_id: null, list_fields: {} },
    ...{ entryable_id: `o${index}`, entryable_type: 'Organization', status: index % 2 ? 'Open' : 'Won' },
    ...{
      one_time_value_cents: 120_000 + index,
      recurring_value_cents: 9900,
      recurring_value_period: 'monthly',
    },
  }));

interface EntryService {
  readonly count: number;
  /** The response to a request for an organization: a status, or undefined for none. */
  readonly status?: number | undefined;
  readonly getName?: (index: number) => string;
}

/** Runs command lines on a service that has a process whose entries are organizations. */
async function startEntryService({ count, status = 200, getName = (index) => `Org ${index}` }: EntryService) {
  const recordsByPath: Readonly<Record<string, readonly object[]>> = {
    '/v1/lists/l1/entries': createEntries(count),
    '/v1/organizations': Array.from({ length: count }, (_, index) => ({
      id: `o${index}`,
      name: getName(index),
    })),
  };
  const service = await startTestService((request, response) => {
    const { pathname } = new URL(request.url, 'http://service');
    if (pathname.startsWith('/v1/organizations') && status !== 200) {
      if (status > 0) sendJson(response, status, {});
      return;
    }
    sendJson(response, ...findResponse(request.url, recordsByPath));
  });
  const env = { ...service.env, ...noColor };
  const kith = createMachine();
  return {
    kith: (line: string, more = {}) => kith(line, { env, ...more }),
    listPaths: () => service.requests.splice(0).map((request) => request.url),
  };
}

const noMore = 'kith: 22 more records. Use --all or a larger --limit to see them.\n';

const same = 'kith: In all rows: recurring 99.00/mo.\n';

test('shows the entries of a process with names and values in 80 columns', async () => {
  const { kith, listPaths } = await startEntryService({ count: 25 });
  expect(await kith('entries list l1 --limit 3', { terminal: 80 })).toEqual({
    code: 0,
    out:
      'KEY  ORGANIZATION  STATUS  ONE-TIME\n' +
      'D-0  Org 0         Won     1,200.00\n' +
      'D-1  Org 1         Open    1,200.01\n' +
      'D-2  Org 2         Won     1,200.02\n',
    err: same + noMore,
  });
  expect(listPaths()).toEqual([
    '/v1/lists/l1/entries?first=3&after=0',
    '/v1/organizations?first=100&after=0',
  ]);
});

test.each(['--json', '--format ndjson', '--format tsv', '', '--jq .[].id'])(
  'requests no names with %s in a pipe',
  async (format) => {
    const { kith, listPaths } = await startEntryService({ count: 25 });
    const { out } = await kith(`entries list l1 -q ${format}`);
    expect(out).not.toContain('Org 1');
    expect(listPaths()).toEqual(['/v1/lists/l1/entries?first=25&after=0']);
  },
);

test('shows ids if requests for names fail', async () => {
  const { kith } = await startEntryService({ count: 20, status: 503 });
  const { code, out, err } = await kith('entries list l1', { terminal: 80 });
  expect({ code, err }).toEqual({ code: 0, err: same });
  expect(out).toMatch(/^D-19 +o19 +Open/m);
});

test('stops on an interrupt while names are loading', async () => {
  const { kith } = await startEntryService({ count: 2, status: 0 });
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Failure('interrupted', 'Interrupted.')), 200);
  const result = await kith('entries list l1', { terminal: 80, signal: controller.signal });
  clearTimeout(timer);
  expect(result).toMatchObject({ code: 130, out: '' });
});

test('aligns and sanitizes names in every script', async () => {
  const hostileNames = ['한빛물류', 'شركة النيل للتبريد', '東雲フィルムアーカイブ', 'a\u001b[2Jb\nc\u202e'];
  const { kith } = await startEntryService({ count: 4, getName: (index) => hostileNames[index] ?? '' });
  const { out } = await kith('entries list l1', { terminal: 80 });
  const [header = '', ...rows] = out.trimEnd().split('\n');
  const column = header.indexOf('STATUS');
  expect(rows.map((row) => stringWidth(row.slice(0, row.search(/Open|Won/))))).toEqual(
    rows.map(() => column),
  );
  expect(out).toContain('a\\x1b[2Jb c\\u202e');
});

test('lists hidden columns in a note, except with --quiet, with --wide and in a pipe', async () => {
  const kith = createDemoMachine();
  const line = 'notes list --limit 60';
  const note = 'kith: Hidden column: deal. Use --wide to show it.\n';
  const options = { terminal: 80, env: noColor };
  expect((await kith(line, options)).err).toBe(note);
  expect((await kith(`${line} --quiet`, options)).err).toBe('');
  expect((await kith(line)).err).toBe('');
  expect((await kith(`${line} --format table`)).err).toBe('');
  const wide = await kith(`${line} --wide`, options);
  expect(wide.err).toBe('');
  expect(wide.out).toMatch(/^ID +ORGANIZATION +BODY +DEAL +CREATED$/m);
  expect(wide.out).not.toContain('…');
});

test('shows the attendees of meetings by name and count, and times in the zone of --tz', async () => {
  const kith = createDemoMachine();
  const now = new Date('2026-11-18T06:30:00.000Z');
  const options = { terminal: 120, env: noColor, now };
  const { out } = await kith('events list --limit 3 --tz Asia/Seoul -q', options);
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['START', 'TITLE', 'ATTENDEES'],
    ['2 h ago', '七つ目の印', 'kenji, 中村直子 +2'],
    ['20 h ago', 'Les quatre pour cent', 'rui, Hélène Jacquemin +2'],
    ['Nov 16 16:00', 'Partner call: air freight, Dubai and Nairobi', 'layla, عمر صديقي +1'],
    [''],
  ]);
});

test('shows attendees by name if their addresses are written in another case', async () => {
  const names = ['Ada', 'Bo', 'Cy'];
  const contacts = names.map((first_name) => ({
    id: first_name,
    first_name,
    emails: [`${first_name.toLowerCase()}@x.example`],
  }));
  const attendees = names.map((name) => ({ email: `${name}@X.example` }));
  const service = await startTestService((request, response) => {
    const data = request.url.startsWith('/v1/contacts') ? contacts : [{ id: 'm1', attendees }];
    sendPage(response, request.url, data);
  });
  const env = { ...service.env, ...noColor };
  const { out } = await createMachine()('events list --wide', { terminal: 120, env });
  expect(out).toContain('Ada <Ada@X.example>, Bo <Bo@X.example>, Cy <Cy@X.example>');
});

/** Counts the timers that run for some time, unlike those of the test runner. */
async function countTimers(): Promise<number> {
  const end = performance.now() + 1000;
  let least = Number.POSITIVE_INFINITY;
  while (least > 0 && performance.now() < end) {
    await setImmediate();
    least = Math.min(least, process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length);
  }
  return least;
}

test('leaves no timer for names, which would delay the end of the program', async () => {
  const kith = createDemoMachine();
  const before = await countTimers();
  const { out } = await kith('contacts list', { terminal: 120, env: noColor });
  expect(out).toContain('한빛물류');
  expect(await countTimers()).toBeLessThanOrEqual(before);
});

test('shows the records of an entry by name in its details', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('entries get "Sales pipeline" m7lwpy', { terminal: 80, env: noColor });
  for (const line of [
    /^List +Sales pipeline$/m,
    /^Organization +한빛물류$/m,
    /^Contact +김지우$/m,
    /^Champion +문태식$/m,
    /^One-time +10,920\.00$/m,
    /^Recurring +420\.00\/mo$/m,
  ])
    expect(out).toMatch(line);
});

test('shows a recording without JSON, and its transcript as text on request', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('recordings get nk63yk', { terminal: 80, env: noColor });
  expect(out).not.toMatch(/[{}[\]"]/);
  expect(out).toMatch(/^Transcript +28 utterances; kith meetings transcript nk63yk$/m);
  expect(out).toMatch(/^Summary +## Summary$/m);
  expect(out).toMatch(/^ +### 月末までの段取り$/m);
  for (const format of ['table', 'csv', 'tsv']) {
    const { out: text } = await kith(`recordings get nk63yk --fields transcript --format ${format}`);
    expect(text).toContain('吉田恵: 三番目です。');
    expect(text).not.toContain('{');
  }
});

test('names in CSV take one request for a list of organizations', async () => {
  const { kith, listPaths } = await startEntryService({ count: 25 });
  const { out } = await kith('entries list l1 --format csv');
  expect(out).toContain(',o24,Org 24,');
  expect(listPaths().map((path) => path.split('?')[0])).toEqual([
    '/v1/lists/l1/entries',
    '/v1/organizations',
  ]);
});

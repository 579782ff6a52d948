import { expect, test } from 'vitest';
import { measureWidth } from '../../../src/render/text/width.ts';
import { createDemoMachine, createMachine, type MachineOptions } from '../../support/kith.ts';
import { connectInProcess } from '../mcp/agent.ts';
import {
  createContact,
  createMeeting,
  smallWorkspace,
  startRelationshipService,
} from '../show/relationship-service.ts';

const now = new Date('2026-11-27T10:00:00Z');
const user = '--user mina@tidewater.example';

test('shows the meetings, due deals, action items and stale deals of a day', async () => {
  const kith = createDemoMachine();
  const line = `today ${user} --date 2026-11-12 --tz Asia/Seoul --stale 60 --limit 2`;
  const { code, out, err } = await kith(line, { now, terminal: 80, env: { NO_COLOR: '1' } });
  expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('error') });
  expect(`\n${out}`).toBe(`
Thursday, 2026-11-12
mina@tidewater.example

No due deals.

Meetings
  11:00-11:30  k0kw50  인천, 한 장으로
    mina@tidewater.example, 김지우 (한빛물류), 오민재 (한빛물류)
  18:00-18:45  804exn  دفتر المازوت واستمارة المؤسسة
    layla@tidewater.example, رنا بو حمدان (مستشفى وادي الأرز), طوني معلوف
    (مستشفى وادي الأرز)

Open action items
  [ ] Mina lends Daniel one sensor for a week in the squid shop.
      4ggreg733q 2026-10-21 A grown-up for the alarm list
  and 107 of others: kith actions list --open

Deals not updated for 60 days
  DEAL-29  2026-07-01  가온혈액원  Negotiation  4,700.00 + 2,280.00/yr
  RES-17   2026-07-13  조현우      Applied      150.00/yr
  and 4 more
`);
});

test.each([`today ${user} --date 2026-11-12 --stale`, 'events show k0kw50', 'recordings summary latest'])(
  '%s prints no line that is longer than the terminal',
  async (line) => {
    const kith = createDemoMachine();
    for (const terminal of [40, 60]) {
      const { out } = await kith(line, { now, terminal, env: { NO_COLOR: '1' } });
      expect(out.split('\n').filter((text) => measureWidth(text) > terminal)).toEqual([]);
    }
  },
);

test('prints one document in a pipe, and rows with their kind in other formats', async () => {
  const kith = createDemoMachine();
  const { code, out } = await kith(`today ${user} --stale`, { now });
  const document = JSON.parse(out);
  expect({ code, names: Object.keys(document) }).toEqual({
    code: 0,
    names: ['date', 'user', 'meetings', 'deals', 'actions', 'stale', 'followups', 'more'],
  });
  expect(document).toMatchObject({
    date: '2026-11-27',
    user: 'mina@tidewater.example',
    meetings: [],
    deals: [{ key: 'DEAL-29', due: [{ field: 'Expected close', value: '2026-11-27', is_overdue: false }] }],
    more: { actions: expect.any(Number) },
  });
  const rows = (await kith(`today ${user} --stale --format ndjson`, { now })).out.trim().split('\n');
  const kinds = rows.map((row) => JSON.parse(row).kind);
  expect([...new Set(kinds)]).toEqual(['deal', 'action', 'stale', 'followup']);
  const { deals, actions, stale, followups } = document;
  expect(rows.length).toBe([...deals, ...actions, ...stale, ...followups].length);
  const { out: csv } = await kith(`today ${user} --format csv --fields kind,date,title,state`, { now });
  expect(csv).toMatch(/^kind,date,title,state\r\ndeal,2026-11-27,DEAL-29,due\r\naction,/);
  const { out: meetings } = await kith(`today ${user} --date 2026-11-18 --format tsv --no-header`, { now });
  expect(meetings.split('\n')[0]).toBe(
    'meeting\t2026-11-18T13:30:00.000+09:00\t20dz7n\t七つ目の印\tkenji@tidewater.example;中村直子;加藤翔太;吉田恵\t潮見総合病院\t\t\t\t\t',
  );
});

test('ends with the first three follow-ups, without snoozed ones; another day has none', async () => {
  const kith = createDemoMachine();
  const read = async (line: string) => JSON.parse((await kith(`${line} ${user}`, { now })).out);
  const lines = await read('followup --limit 4 --json');
  const { followups, more } = await read('today');
  expect(followups).toEqual(lines.slice(0, 3));
  expect(more.followups).toBeGreaterThan(0);
  expect((await read('today --limit 1')).followups.length).toBe(1);
  expect(await read('today --date tomorrow')).not.toHaveProperty('followups');
  const { out } = await kith(`today ${user}`, { now, terminal: 80, env: { NO_COLOR: '1' } });
  const end = out.slice(out.indexOf('Follow up'));
  expect(end.split('\n').slice(0, 2)).toEqual([
    'Follow up',
    `  ${lines[0].name} (${lines[0].contact}) ${lines[0].id}`,
  ]);
  expect(end).toContain(`and ${more.followups} more: kith followup ${user}\n`);
  await kith(`followup --snooze 7d --${lines[0].kind} ${lines[0].id}`, { now });
  expect((await read('today')).followups).toEqual(lines.slice(1));
  await kith('config set followup-weights promise=0,close=0,rhythm=0,date=0', { now });
  expect((await read('today')).followups).toEqual([]);
});

test('lists your own action items before those of others, and omits done items', async () => {
  const kith = createDemoMachine();
  const read = async () => JSON.parse((await kith(`today ${user}`, { now })).out);
  const {
    actions: [first, second],
    more,
  } = await read();
  expect([first.person, second.person]).toEqual([
    'mina@tidewater.example',
    expect.not.stringContaining('mina'),
  ]);
  expect((await kith(`actions done ${first.id}`, { now })).code).toBe(0);
  const after = await read();
  expect(after.actions[0].id).toBe(second.id);
  expect(after.more.actions).toBe(more.actions - 1);
});

const createEntry = (number: number, listId: string, fields: object, more: object = {}) => ({
  id: `e${number}`,
  key: `${listId.toUpperCase()}-${number}`,
  list_id: listId,
  entryable_id: 'o1',
  entryable_type: 'Organization',
  status: 'Open',
  assignee: { email: 'Ada@x.example' },
  list_fields: fields,
  created_at: '2026-01-02T03:04:05.000Z',
  updated_at: '2026-11-26T10:00:00.000Z',
  ...more,
});
const closeDate = (value: string | null) => ({ f1: { name: 'Close', data_type: 'date', value } });
const visitTime = (value: string) => ({ f2: { name: 'Visit', data_type: 'datetime', value } });

const createProcess = (id: string, fields: readonly object[], more: object = {}) => ({
  id,
  name: `List ${id}`,
  process: true,
  entry_type: 'Organization',
  statuses: [
    { name: 'Open', type: 'active' },
    { name: 'Won', type: 'won' },
  ],
  fields,
  archived_at: null,
  ...more,
});
const close = { name: 'Close', data_type: 'date' };
const visit = { name: 'Visit', data_type: 'datetime' };

const records = {
  ...smallWorkspace,
  '/v1/contacts': [createContact(1, { organization_id: null })],
  '/v1/lists': [
    createProcess('l1', [close, visit]),
    createProcess('l2', [{ name: 'Text', data_type: 'text' }]),
    createProcess('l3', [close]),
    createProcess('l4', [close], { archived_at: '2026-01-02T03:04:05.000Z' }),
    { id: 'l5', name: 'Newsletter', process: false, entry_type: 'Contact', fields: [close] },
  ],
  '/v1/lists/l1/entries': [
    createEntry(1, 'l1', closeDate('2026-11-27')),
    createEntry(2, 'l1', { ...closeDate('2026-11-26'), ...visitTime('2026-11-20T10:00:00Z') }),
    createEntry(3, 'l1', closeDate('2026-11-28')),
    createEntry(4, 'l1', closeDate('2026-11-01'), { status: 'Won' }),
    createEntry(5, 'l1', closeDate('2026-11-01'), { assignee: { email: 'bob@x.example' } }),
    createEntry(6, 'l1', visitTime('2026-11-27T09:59:00Z')),
    createEntry(7, 'l1', visitTime('2026-11-27T10:01:00Z')),
    createEntry(8, 'l1', {}, { updated_at: '2026-10-01T10:00:00.000Z' }),
  ],
  '/v1/lists/l2/entries': [createEntry(9, 'l2', {}, { updated_at: '2026-10-02T10:00:00.000Z' })],
  '/v1/lists/l3/entries': [
    createEntry(10, 'l3', closeDate('2026-11-25'), { entryable_id: 'c1', entryable_type: 'Contact' }),
  ],
  '/v1/lists/l4/entries': [],
  '/v1/lists/l5/entries': [],
  '/v1/calendar_events': [createMeeting(1, '2026-11-27T23:30:00Z')],
  '/v1/recordings': [{ id: 'r1', status: 'done', summary: { action_items: ['Send the offer'] } }],
};

async function startDayService(override?: Parameters<typeof startRelationshipService>[1]) {
  const { env, requests } = await startRelationshipService(records, override);
  const kith = createMachine();
  const run = (line: string, options: MachineOptions = {}) => kith(line, { env, now, ...options });
  const readKeys = async (flags = '') =>
    JSON.parse((await run(`today --user ada@x.example ${flags}`)).out).deals.map(
      ({ key, due }: { key: string; due: { field: string; is_overdue: boolean }[] }) =>
        `${key} ${due.map(({ field, is_overdue }) => (is_overdue ? `overdue ${field}` : field)).join(', ')}`,
    );
  return { env, requests, run, readKeys };
}

test('finds due and overdue deals of the user by every date of all processes', async () => {
  const { readKeys, requests } = await startDayService();
  expect(await readKeys('--tz UTC')).toEqual([
    'L1-2 overdue Visit, overdue Close',
    'L3-10 overdue Close',
    'L1-1 Close',
    'L1-6 overdue Visit',
    'L1-7 Visit',
  ]);
  expect(await readKeys('--tz UTC --field close')).toEqual([
    'L3-10 overdue Close',
    'L1-2 overdue Close',
    'L1-1 Close',
  ]);
  expect(await readKeys('--tz UTC --date 2026-11-25')).toEqual(['L1-2 overdue Visit', 'L3-10 Close']);
  requests.length = 0;
  await readKeys('--tz UTC --max-age 365d');
  expect(requests.map(({ url }) => url.replace(/\?.*/, '')).sort()).toEqual([
    '/v1/calendar_events',
    '/v1/lists',
    '/v1/lists/l1/entries',
    '/v1/lists/l2/entries',
    '/v1/lists/l3/entries',
  ]);
});

test('--stale adds deals of all processes that have not been updated', async () => {
  const { run } = await startDayService();
  const read = async (flags: string) => JSON.parse((await run(`today --user ada@x.example ${flags}`)).out);
  expect((await read('')).stale).toBeUndefined();
  const listKeys = ({ stale }: { stale: { key: string; name: string }[] }) =>
    stale.map(({ key, name }) => `${key} ${name}`);
  expect(listKeys(await read('--stale'))).toEqual(['L1-8 Acme', 'L2-9 Acme']);
  expect(listKeys(await read('--stale 56'))).toEqual(['L1-8 Acme']);
  expect((await run('today --user ada@x.example --stale=0')).code).toBe(2);
});

test('me is the address that config set user stores', async () => {
  const { run } = await startDayService();
  expect(await run('today --user me')).toEqual({
    code: 2,
    out: '',
    err: 'kith: "me" stands for your email address, which is not set.\nhint: Use an email address instead; `kith workspace info` lists the assignees. To set yours: kith config set user ADDRESS\n',
  });
  const everyone = await run('today');
  expect(JSON.parse(everyone.out)).toMatchObject({ user: null, deals: expect.any(Array) });
  await run('config set user ada@x.example');
  expect(JSON.parse((await run('today')).out)).toMatchObject({ user: 'ada@x.example', deals: { length: 5 } });
});

test('without a user, shows the deals of everyone with their assignees, and all action items', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('today --limit 3', { now, terminal: 100, env: { NO_COLOR: '1' } });
  expect(out).toMatch(/^Everyone\. For your own day: kith config set user ADDRESS$/m);
  expect(out).toMatch(/^ {2}DEAL-38 +2026-11-25 +overdue .+ rui /m);
  expect(out).not.toContain('of others');
});

test('does not call the action items of others empty', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('today --user none@x.example', { now, terminal: 80, env: { NO_COLOR: '1' } });
  expect(out).toMatch(
    /\n\nNo meetings, due deals, or follow-ups\.\n\nOpen action items\n {2}\d+ of others: kith actions list --open\n$/,
  );
});

test('a day without records exits with 0 and says so', async () => {
  const kith = createMachine();
  const { env } = await startRelationshipService(smallWorkspace);
  expect(await kith('today --user ada@x.example --stale --format table', { env, now })).toEqual({
    code: 0,
    out: 'Friday, 2026-11-27\nada@x.example\n\nNo meetings, due deals, open action items, stale deals, or follow-ups.\n',
    err: expect.any(String),
  });
  const { out } = await kith('today --user ada@x.example', { env, now });
  expect(JSON.parse(out)).toEqual({
    ...{ date: '2026-11-27', user: 'ada@x.example', meetings: [], deals: [], actions: [] },
    ...{ followups: [], more: {} },
  });
});

test('shows the other sections if one cannot be read, and exits with 6', async () => {
  const { run } = await startDayService((path) =>
    path === '/v1/lists/l3/entries' ? { status: 400, body: { message: 'Broken.' } } : undefined,
  );
  const { code, out, err } = await run('today --user ada@x.example --stale --tz UTC');
  expect({ code, err }).toEqual({
    code: 6,
    err: expect.stringContaining('Not shown: deals (Broken.); stale (Broken.); followups (Broken.)'),
  });
  expect(JSON.parse(out)).toMatchObject({
    meetings: [{ id: 'm1' }],
    deals: null,
    stale: null,
    followups: null,
  });
  const { out: screen } = await run('today --user ada@x.example --tz UTC --format table');
  expect(screen).toContain('\nDue deals\n  Not available: Broken.\n');
});

test('exits with the code of the failure if no section can be read', async () => {
  const { run } = await startDayService(() => ({ status: 401, body: { message: 'Unknown key.' } }));
  expect(await run('today --user ada@x.example --format table')).toMatchObject({
    code: 4,
    out: expect.stringContaining('Meetings\n  Not available: Unknown key.\n'),
    err: expect.stringContaining('kith: Unknown key.'),
  });
});

test.each([
  ['--user nobody', '--user: "nobody" is not an email address.'],
  ['--date someday', '--date: "someday" is not a time.'],
  ['--date "last week" --user a@x.example', '--date: 2026-11-16 to 2026-11-22 is more than one day.'],
  ['--stale x', '--stale: "x" is not an integer from 1 to 36500.'],
])('today %s is a usage error', async (flags, message) => {
  const { code, err } = await createDemoMachine()(`today ${flags}`, { now });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`kith: ${message}`) });
});

test('lists the fields that --field accepts if no process has the field', async () => {
  const { run } = await startDayService();
  expect(await run('today --user ada@x.example --field nope')).toMatchObject({
    code: 2,
    err: 'kith: --field: no process has a field "nope" of type date or datetime.\nhint: Available fields: Close, Visit.\n',
  });
});

test('the MCP server returns the document of a day', async () => {
  const { call } = await connectInProcess(createDemoMachine(), {});
  const { text, isError } = await call('today', {
    user: 'mina@tidewater.example',
    date: '2026-11-18',
    stale: 30,
  });
  expect(isError).toBe(false);
  expect(JSON.parse(text)).toMatchObject({ date: '2026-11-18', meetings: [{ id: '20dz7n' }] });
});

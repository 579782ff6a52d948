import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measureWidth } from '../../../src/render/text/width.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';
import {
  acme,
  createContact,
  createMeeting,
  createNote,
  smallWorkspace,
  startRelationshipService,
} from '../show/relationship-service.ts';

const now = new Date('2026-11-27T10:00:00Z');
const times = { created_at: '2026-01-02T03:04:05.000Z', updated_at: '2026-01-02T03:04:05.000Z' };

/** Creates an utterance that begins at a second, with one word a second. */
const createUtterance = (name: string, start: number, text: string) => ({
  participant: { name },
  words: text.split(' ').map((word, index) => ({ text: word, start_timestamp: { relative: start + index } })),
});

const createDeal = (id: string, fields: object = {}) => ({
  id,
  list_id: 'l1',
  key: `DEAL-${id}`,
  status: 'Proposal',
  entryable_id: 'o1',
  entryable_type: 'Organization',
  one_time_value_cents: 120_000,
  list_fields: {
    f1: { name: 'Next step', data_type: 'text', value: 'Present the offer for sensors' },
    f2: { name: 'Expected close', data_type: 'date', value: '2026-12-11' },
  },
  ...times,
  ...fields,
});

const meeting = {
  ...createMeeting(1, '2026-11-20T09:00:00Z'),
  attendees: ['person1@acme.example', 'stranger@acme.example', 'mina@us.example'].map((email) => ({ email })),
};

/** Starts a service with an organization, a contact, four deals (one won, one in an archived process), and two meetings (one recorded). */
async function startBriefService(
  override?: Parameters<typeof startRelationshipService>[1],
  records: Parameters<typeof startRelationshipService>[0] = {},
) {
  const statuses = [
    { name: 'Proposal', type: 'active' },
    { name: 'Won', type: 'won' },
  ];
  const service = await startRelationshipService(
    {
      ...smallWorkspace,
      '/v1/organizations': [acme, { ...acme, id: 'o2', name: 'Empty', domains: [] }],
      '/v1/contacts': [createContact(1), createContact(2, { organization_id: null })],
      '/v1/lists': [
        { id: 'l1', name: 'Sales', process: true, statuses, archived_at: null, ...times },
        {
          id: 'l2',
          name: 'Old sales',
          process: true,
          statuses,
          archived_at: '2026-02-01T00:00:00Z',
          ...times,
        },
      ],
      '/v1/lists/l2/entries': [createDeal('4', { list_id: 'l2' })],
      '/v1/lists/l1/entries': [
        createDeal('1'),
        createDeal('2', { updated_at: '2026-11-21T00:00:00Z' }),
        createDeal('3', { status: 'Won', closed_at: '2026-11-21T00:00:00Z' }),
      ],
      '/v1/notes': [createNote('n1', '2026-11-22T00:00:00Z', { updated_at: '2026-11-22T00:00:00Z' })],
      '/v1/calendar_events': [
        meeting,
        { ...createMeeting(2, '2026-10-01T09:00:00Z', 'mina@us.example'), recordings: [] },
      ],
      '/v1/recordings': [
        {
          id: 'r1',
          status: 'done',
          summary: { action_items: ['Person: call the landlord'] },
          transcript: [
            createUtterance('Mina', 10, 'It is what we have. I will send you the offer by Friday.'),
            createUtterance('Person', 40, 'And the sensors are what we have in this room, for 1,200 euros.'),
          ],
        },
      ],
      ...records,
    },
    override,
  );
  const machine = createMachine(createTemporaryFolder());
  const sleep = async () => {};
  return { ...service, kith: (line: string) => machine(line, { now, sleep, env: service.env }) };
}

test('shows each quote with its recording, second and rule, and lists unclear points', async () => {
  const { kith } = await startBriefService();
  const { code, out } = await kith('brief Acme --json');
  const brief = JSON.parse(out);
  expect({ code, ...brief }).toMatchObject({
    code: 0,
    kind: 'organization',
    name: 'Acme',
    people: [
      { id: 'c1', name: 'Person 1', email: 'person1@acme.example', last_met_at: '2026-11-20T09:00:00.000Z' },
    ],
    deals: [
      { key: 'DEAL-2', next_step: 'Present the offer for sensors', expected_close: '2026-12-11' },
      { key: 'DEAL-1', status: 'Proposal', status_since: null, one_time_value_cents: 120_000 },
    ],
    actions: [{ text: 'Person: call the landlord', event_id: 'm1' }],
    last_contact: { us: { kind: 'note', id: 'n1' }, them: { kind: 'meeting', id: 'm1' } },
    unclear: [
      'stranger@acme.example is an attendee of "Meeting 1", but not a contact.',
      'Several open deals in one process: DEAL-2, DEAL-1.',
    ],
  });
  expect(brief.passages).toEqual([
    expect.objectContaining({
      quote: 'I will send you the offer by Friday.',
      speaker: 'Mina',
      event_id: 'm1',
      recording_id: 'r1',
      start: 15,
      time: '00:15',
      reason: 'promise',
      reasons: ['promise', 'date', 'deal'],
    }),
    expect.objectContaining({ speaker: 'Person', start: 40, reason: 'deal', reasons: ['deal', 'amount'] }),
  ]);
  expect(brief.changes.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`)).toEqual([
    'note n1',
    'deal 2',
  ]);
});

test('shows a new contact whom nobody has met, and the note that was written last', async () => {
  const { kith } = await startBriefService(undefined, {
    '/v1/contacts': [1, 2, 3, 4].map((number) =>
      createContact(
        number,
        number === 4 ? { created_at: '2026-11-23T00:00:00Z', updated_at: '2026-11-23T00:00:00Z' } : {},
      ),
    ),
    '/v1/calendar_events': [
      {
        ...meeting,
        attendees: [1, 2, 3].map((number) => ({ email: `person${number}@acme.example` })),
      },
    ],
    '/v1/notes': [
      createNote('old', '2026-01-01T00:00:00Z', { updated_at: '2026-11-25T00:00:00Z' }),
      createNote('new', '2026-11-22T00:00:00Z', { updated_at: '2026-11-22T00:00:00Z' }),
    ],
  });
  const brief = JSON.parse((await kith('brief Acme --limit 2 --json')).out);
  expect(brief.people.map(({ id }: { id: string }) => id)).toEqual(['c1', 'c2']);
  expect(brief.changes.map(({ id }: { id: string }) => id)).toEqual(['old', 'c4']);
  expect(brief.last_contact.us).toMatchObject({ id: 'new' });
  expect(brief.more).toMatchObject({ people: 2, changes: 2 });
});

test('lists a deal that was won since the last meeting as a change, not as a deal', async () => {
  const at = '2026-11-23T00:00:00Z';
  const { kith } = await startBriefService(undefined, {
    '/v1/lists/l1/entries': [createDeal('3', { status: 'Won', closed_at: at, updated_at: at })],
  });
  const { deals, changes } = JSON.parse((await kith('brief Acme --json')).out);
  expect(deals).toEqual([]);
  expect(changes[0]).toMatchObject({ kind: 'deal', id: '3', text: 'DEAL-3: Won' });
});

test('exits with 3 and names the argument if WHO is omitted and nobody was met', async () => {
  const { kith } = await startBriefService(undefined, { '/v1/calendar_events': [] });
  expect(await kith('brief')).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringMatching(/No meeting with a contact has started yet\.\nhint: kith brief NAME\n$/),
  });
});

test('reads only the records that it shows, once the index exists', async () => {
  const { kith, requests } = await startBriefService();
  await kith('index update');
  requests.length = 0;
  await kith('brief o1 --json');
  expect(requests.map(({ url }) => url).toSorted()).toEqual([
    ...['/v1/calendar_events/m1', '/v1/contacts/c1', '/v1/lists/l1', '/v1/lists/l1/entries/1'],
    ...['/v1/lists/l1/entries/2', '/v1/lists/l2', '/v1/notes/n1'],
    ...['/v1/organizations/o1', '/v1/recordings/r1'],
  ]);
  requests.length = 0;
  expect(JSON.parse((await kith('brief o1 --limit 1 --json')).out).more).toMatchObject({ deals: 1 });
  expect(requests.filter(({ url }) => url?.includes('entries')).map(({ url }) => url)).toEqual([
    '/v1/lists/l1/entries/2',
  ]);
});

test.each([
  ['Person1@acme.example', 'contact Person 1'],
  ['"Person 1"', 'contact Person 1'],
  ['"Person 2"', 'contact Person 2'],
  ['c2', 'contact Person 2'],
  ['https://crm.example/organizations/o1', 'organization Acme'],
  ['acme.example', 'organization Acme'],
  ['DEAL-1', 'deal DEAL-1: Acme'],
  ['latest', 'meeting Meeting 1'],
  ['"Meeting 2"', 'meeting Meeting 2'],
  ['2026-11-20', 'meeting Meeting 1'],
  ['', 'organization Acme'],
])('finds the subject of `brief %s`', async (who, subject) => {
  const { kith } = await startBriefService();
  const { out, err } = await kith(`brief ${who} --jq '.kind + " " + .name'`);
  expect({ out, err }).toEqual({ out: `${subject}\n`, err: expect.anything() });
});

test.each([
  ['DEAL-1', ['DEAL-1', 'DEAL-2']],
  ['DEAL-3', ['DEAL-3', 'DEAL-2', 'DEAL-1']], // won
  ['DEAL-4', ['DEAL-4', 'DEAL-2', 'DEAL-1']], // in an archived process
])('shows the deal of `brief %s` before the open ones', async (key, keys) => {
  const { kith } = await startBriefService();
  const { out } = await kith(`brief ${key} --jq '[.deals[].key]'`);
  expect(JSON.parse(out)).toEqual(keys);
});

test.each([
  ['/v1/recordings/r1', 404, 'brief Acme', { code: 0, out: '0\n' }],
  ['/v1/recordings/r1', 503, 'brief Acme', { code: 75, out: '' }],
  [
    '/v1/contacts/c1',
    404,
    'brief c1',
    { code: 3, err: expect.stringContaining('The contact c1 no longer exists') },
  ],
])('if %s has status %d, `%s` skips only a record that was deleted', async (path, status, line, expected) => {
  let failing = '';
  const { kith } = await startBriefService((requested) =>
    requested === failing ? { status, body: {} } : undefined,
  );
  await kith('index update');
  failing = path;
  expect(await kith(`${line} --jq '.passages | length'`)).toMatchObject(expected);
});

test('escapes names in Markdown and HTML', async () => {
  const { kith } = await startBriefService((path) => {
    const body = { id: 'o1', name: 'A\u001b[1m<b>\u202e&amp;', domains: [], custom_fields: {}, ...times };
    return path === '/v1/organizations/o1' ? { status: 200, body } : undefined;
  });
  expect((await kith('brief o1 --format md')).out).toMatch(/^# A\\\[1m\\<b\\>\\&amp;\n/);
  expect((await kith('brief o1 --format html')).out).toContain('<h1><bdi>A[1m&lt;b&gt;&amp;amp;</bdi></h1>');
});

test.each([
  [
    'brief c2',
    'Person 2\nPeople  Person 2 (person2@acme.example)\n\nChanges\n  New contact, 2026-01-02: Person 2\n',
  ],
  ['brief o2', 'Empty\nNo people, deals, notes or meetings.\n'],
])('shows a record with few others: %s', async (line, screen) => {
  const { env } = await startBriefService();
  const kith = createMachine(createTemporaryFolder());
  expect(await kith(line, { now, terminal: 80, env: { ...env, NO_COLOR: '1' } })).toMatchObject({
    out: screen,
  });
});

test('fails with code 3 if the index has no such record', async () => {
  const { kith } = await startBriefService();
  expect(await kith('brief Nobody')).toMatchObject({
    code: 3,
    err: expect.stringContaining('No organization, contact, deal or meeting has the id or name "Nobody".'),
  });
});

test('fails with code 2 if too many records match', async () => {
  const kith = createDemoMachine();
  expect(await kith('brief b')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Too many organizations match "b".\nhint: kith search b'),
  });
});

test('fits in the terminal, and prints rows, Markdown and an HTML page', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  for (const terminal of [40, 80]) {
    const { out } = await kith('brief 한빛물류', { now, terminal, env: { NO_COLOR: '1' } });
    expect(out.split('\n').filter((text) => measureWidth(text) > terminal)).toEqual([]);
    expect(out).toMatch(
      /^한빛물류\nAbout .*\nSaid and promised\n {2}“.*kith recordings transcript\s\w+ --at \d\d:\d\d\n$/s,
    );
  }
  const { out: longest } = await kith('brief DEAL-4', { now, terminal: 80 });
  expect(longest.split('\n').length).toBeLessThan(45);
  const { out: csv } = await kith('brief 한빛물류 --format csv --fields section,date,text', { now });
  expect(csv).toMatch(/^section,date,text\r\npeople,2026-11-12T02:00:00.000Z,김지우\r\n/);
  const { out: markdown } = await kith('brief 한빛물류 --format md', { now });
  expect(markdown).toMatch(/^# 한빛물류\n.*\n## Said and promised\n\n- “.*” {2}\n {2}\S/s);
  const file = join(folder, 'brief.html');
  expect(await kith(`brief 한빛물류 --html ${file}`, { now })).toMatchObject({ code: 0, out: '' });
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('<h2>Said and promised</h2>');
  expect((await kith('brief 한빛물류 --format html', { now })).out).toBe(page);
  for (const text of [markdown, page]) expect(text).toContain('and 11 more');
});

test('shows for how long a deal has had its status at least, from the change log', async () => {
  const kith = createDemoMachine();
  const env = { NO_COLOR: '1', KITH_UNDO: 'on' };
  await kith('deals update DEAL-73 --status Lead --field Rooms=3', {
    env,
    now: new Date('2026-11-01T10:00:00Z'),
  });
  await kith('deals update DEAL-73 --field Rooms=4', { env, now: new Date('2026-11-20T10:00:00Z') });
  await kith('deals update DEAL-29 --field Rooms=4', { env, now: new Date('2026-11-01T10:00:00Z') });
  const { out } = await kith('brief DEAL-73', { now, terminal: 120, env });
  expect(out).toContain('DEAL-73 · Lead for at least 26 days');
  // A change of another field does not say since when the deal has its status.
  expect((await kith('brief DEAL-29', { now, terminal: 120, env })).out).toContain('DEAL-29 · Negotiation ·');
});

import { expect, test } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { connectInProcess } from '../mcp/agent.ts';
import {
  createContact,
  createMeeting,
  createNote,
  smallWorkspace,
  startRelationshipService,
} from './relationship-service.ts';

const now = new Date('2026-11-20T10:00:00Z');

test('lists the empty sections of a contact in one line', async () => {
  const kith = createDemoMachine();
  const { out: id } = await kith('contacts create --first-name مريم --last-name حداد --jq .id');
  expect(await kith(`contacts show ${id.trim()}`)).toEqual({
    code: 0,
    err: '',
    out: `مريم حداد\nID  ${id}\nNo open entries, notes, or past meetings.\n`,
  });
});

test('prints one JSON document with the records as the service sent them', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('organizations show rl16pk --json', { now });
  const document = JSON.parse(out);
  expect(Object.keys(document)).toEqual([
    'organization',
    'contacts',
    'entries',
    'notes',
    'upcoming',
    'meetings',
    'more',
  ]);
  const { out: contacts } = await kith(
    `contacts list --all --jq 'map(select(.organization_id == "rl16pk"))'`,
  );
  expect(document.contacts).toEqual(JSON.parse(contacts));
  expect(document.organization).toEqual(JSON.parse((await kith('organizations get rl16pk --json')).out));
  const [meeting] = document.meetings;
  const { out: summary } = await kith(`recordings summary ${meeting.recordings[0].id} --json`);
  const { summary: text, action_items } = JSON.parse(summary);
  expect(meeting).toMatchObject({ id: 'k0kw50', summary: text, action_items });
});

test('keeps the digits, the order and the unknown fields of records in JSON', async () => {
  const text = '{"score":1.10,"big":12345678901234567890,"id":"c1","emails":[],"organization_id":null}';
  const { env } = await startRelationshipService(smallWorkspace, (path) =>
    path === '/v1/contacts/c1' ? { status: 200, body: text } : undefined,
  );
  const { out } = await createMachine()('contacts show c1 --json', { env });
  expect(out.replaceAll(/\s/g, '')).toBe(
    `{"contact":${text},"organization":null,"entries":[],"notes":[],"upcoming":[],"meetings":[],"more":{}}`,
  );
});

test('shows 25 of 200 people, counts the others, and sends at most 8 requests at a time', async () => {
  const people = Array.from({ length: 200 }, (_, index) => createContact(index + 1));
  const foreign = [
    createContact(900, { organization_id: 'o2' }),
    createContact(901, { organization_id: null }),
  ];
  const lists = Array.from({ length: 20 }, (_, index) => ({ id: `l${index}`, name: `List ${index}` }));
  const { env, load } = await startRelationshipService({
    ...smallWorkspace,
    '/v1/contacts': [...foreign, ...people],
    '/v1/lists': lists,
    ...Object.fromEntries(lists.map(({ id }) => [`/v1/lists/${id}/entries`, []])),
  });
  const kith = createMachine();
  const { out } = await kith('organizations show o1 --page-size 20', { env });
  const lines = out.split('\n');
  expect(lines.slice(4, 7)).toEqual([
    'People',
    '  c1   Person 1   person1@acme.example',
    '  c2   Person 2   person2@acme.example',
  ]);
  expect(lines.slice(29, 31)).toEqual(['  c25  Person 25  person25@acme.example', '  and 175 more']);
  expect(out).not.toContain('c900');
  expect(load.most).toBeLessThanOrEqual(8);
  expect((await kith('organizations show o1 --jq .more', { env })).out).toBe('{"contacts":175}\n');
});

test('shows the latest notes of a list in any order', async () => {
  const dates = ['2026-03-01', '2026-05-01', '2026-01-01', '2026-04-01', '2026-02-01', '2025-12-31'];
  const { env } = await startRelationshipService({
    ...smallWorkspace,
    '/v1/notes': [
      ...dates.map((date) => createNote(date, `${date}T10:00:00.000Z`)),
      createNote('foreign', '2026-06-01T10:00:00.000Z', { organization_id: 'o2' }),
    ],
  });
  const kith = createMachine();
  const listNotes = async (flags: string) =>
    JSON.parse((await kith(`organizations show o1 --jq [[.notes[].id],.more] ${flags}`, { env })).out);
  expect(await listNotes('')).toEqual([dates.toSorted().reverse().slice(0, 5), { notes: 1 }]);
  expect(await listNotes('--limit 2 --page-size 2')).toEqual([['2026-05-01', '2026-04-01'], { notes: 4 }]);
  expect(await listNotes('--since 2026-03-01T10:00:00Z')).toEqual([
    ['2026-05-01', '2026-04-01', '2026-03-01'],
    {},
  ]);
});

test('shows the other sections and exits with 6 if one of them cannot be read', async () => {
  const broken = { status: 500, body: { message: 'Out of notes.' } };
  const { env } = await startRelationshipService(
    { ...smallWorkspace, '/v1/calendar_events': [createMeeting(1, '2026-05-01T10:00:00.000Z')] },
    (path) => (path === '/v1/notes' || path === '/v1/recordings/r1' ? broken : undefined),
  );
  const kith = createMachine();
  expect(await kith('organizations show o1', { env, now })).toEqual({
    code: 6,
    err: 'kith: Not shown: notes (Out of notes.); summary of "Meeting 1" (Out of notes.)\n',
    out: `Acme
ID       o1
Domains  acme.example

People
  c1  Person 1  person1@acme.example

Notes
  Not available: Out of notes.

Past meetings
  m1  2026-05-01 10:00  Meeting 1
    Summary not available: Out of notes.

No open entries.
`,
  });
  const { out, code } = await kith('organizations show o1 --json', { env, now });
  expect({ code, notes: JSON.parse(out).notes, contacts: JSON.parse(out).contacts.length }).toEqual({
    code: 6,
    notes: null,
    contacts: 1,
  });
});

test('shows the reason in place of an organization that cannot be read', async () => {
  const { env } = await startRelationshipService({ ...smallWorkspace, '/v1/organizations': [] });
  const { code, out } = await createMachine()('contacts show c1', { env });
  expect({ code, out }).toEqual({
    code: 6,
    out: `Person 1
ID            c1
Organization  Not available: Not found: /v1/organizations/o1.
Emails        person1@acme.example

No open entries, notes, or past meetings.
`,
  });
});

test.each([
  ['organization', 'Organization'],
  ['contact', 'Contact'],
])('shows an entry whose %s cannot be read, and exits with 6', async (name, type) => {
  const entry = { id: 'e1', key: 'K-1', list_id: 'l1', entryable_id: 'x1', entryable_type: type };
  const { env } = await startRelationshipService({
    ...smallWorkspace,
    '/v1/lists': [{ id: 'l1', name: 'Sales' }],
    '/v1/lists/l1/entries': [entry],
  });
  const { code, out, err } = await createMachine()('entries show l1 e1', { env });
  expect(out).toMatch(
    new RegExp(`^K-1\\nID +e1\\nList +Sales\\n${type} +Not available: Not found: .*x1\\.\\n`),
  );
  expect({ code, err }).toEqual({ code: 6, err: expect.stringMatching(`^kith: Not shown: ${name} `) });
});

test('shows the open entries of all lists but archived ones, latest first, and counts closed ones', async () => {
  const list = (id: string, fields: object) => ({ id, name: `List ${id}`, archived_at: null, ...fields });
  const entry = (id: string, status: string, fields: object = {}) => ({
    ...{ id, key: `K-${id}`, list_id: 'l1', entryable_id: 'o1', entryable_type: 'Organization', status },
    ...{ contact_id: null, created_at: `2026-05-0${id.slice(1)}T10:00:00.000Z`, ...fields },
  });
  const ofContact = { entryable_type: 'Contact', entryable_id: 'c1', key: null, status: null };
  const { env } = await startRelationshipService({
    ...smallWorkspace,
    '/v1/lists': [
      list('l1', { process: true, entry_type: 'Organization', statuses: [{ name: 'Done', type: 'lost' }] }),
      list('l2', { process: false, entry_type: 'Contact' }),
      list('l3', { process: false, entry_type: 'Organization', archived_at: '2026-05-01T10:00:00.000Z' }),
    ],
    '/v1/lists/l1/entries': [
      entry('e1', 'Talks'),
      entry('e2', 'Talks', { closed_at: '2026-05-01T10:00:00.000Z' }),
      entry('e3', 'Done'),
      entry('e4', 'Talks', { entryable_id: 'o2', contact_id: 'c1', one_time_value_cents: 5 }),
      entry('e5', 'Talks', { entryable_id: 'o2' }),
    ],
    '/v1/lists/l2/entries': [
      entry('e6', '', ofContact),
      entry('e7', '', { ...ofContact, entryable_id: 'c2' }),
    ],
    '/v1/lists/l3/entries': [entry('e8', 'Talks')],
  });
  const kith = createMachine();
  const { out } = await kith('contacts show c1', { env });
  expect(out).toContain(`
Open entries
  e4  K-e4  Talks  0.05  List l1
  e1  K-e1  Talks        List l1
  e6  List l2

`);
  expect(out).toContain('Closed entries  1 Talks, 1 Done\n');
  const ids = '--jq .entries|map(.id+.list_name)|join("-")';
  expect((await kith(`organizations show o1 ${ids}`, { env })).out).toBe('e1List l1\n');
  expect((await kith(`entries show l1 e1 ${ids}`, { env })).out).toBe('\n');
});

test('skips meetings that a service without filters returns for others', async () => {
  const { env, requests } = await startRelationshipService({
    ...smallWorkspace,
    '/v1/calendar_events': [
      createMeeting(9, '2026-12-24T10:00:00.000Z', 'PERSON1@Acme.example'),
      createMeeting(8, '2026-12-01T10:00:00.000Z'),
      createMeeting(7, '2026-10-01T10:00:00.000Z', 'other@x.example'),
      createMeeting(6, '2026-09-01T10:00:00.000Z'),
      { ...createMeeting(3, '2026-08-15T10:00:00.000Z'), attendees: [], recordings: [] },
      createMeeting(5, '2026-08-01T10:00:00.000Z'),
      createMeeting(4, '2026-07-01T10:00:00.000Z'),
    ],
    '/v1/recordings': [6, 5, 4].map((number) => ({
      id: `r${number}`,
      status: 'done',
      summary: { overview: `We met Dr. Kim.  It was meeting ${number}. More.`, action_items: [] },
    })),
  });
  const kith = createMachine();
  const { out } = await kith('contacts show c1 --since 2026-08-01', { env, now });
  expect(out).toContain(`
Upcoming meetings
  m8  2026-12-01 10:00  Meeting 8
  m9  2026-12-24 10:00  Meeting 9

Past meetings
  m6  2026-09-01 10:00  Meeting 6
    We met Dr. Kim.
  m3  2026-08-15 10:00  Meeting 3
  m5  2026-08-01 10:00  Meeting 5
    We met Dr. Kim.

`);
  expect(requests.filter(({ url }) => url.startsWith('/v1/recordings/')).length).toBe(2);
  const { out: limited } = await kith('organizations show o1 --limit 1 --jq [[.meetings[].id],.more]', {
    env,
    now,
  });
  expect(JSON.parse(limited)).toEqual([['m6'], { meetings: null, upcoming: 1 }]);
});

test('returns the JSON document to an agent, in parts by cursor', async () => {
  const kith = createDemoMachine();
  const { call } = await connectInProcess(kith, {});
  const { text, isError, structured } = await call('records_show', {
    noun: 'organizations',
    id: '한빛물류',
    limit: 2,
  });
  expect(isError).toBe(false);
  const { contacts, more } = JSON.parse(text);
  expect([contacts.length, more]).toEqual([2, { contacts: 3, notes: 1 }]);
  expect(structured).toEqual({
    notice: expect.stringContaining('untrusted'),
    truncated: 'TRUNCATED: contacts (3), notes (1) omitted; repeat the call with a higher limit.',
    value: JSON.parse(text),
  });
  const limited = await connectInProcess(kith, {}, '--max-chars', '1000');
  const values = { noun: 'organizations', id: 'rl16pk', limit: 2 };
  const start = await limited.call('records_show', values);
  expect(start.text).toBe(text.slice(0, 1000));
  const rest = await limited.call('records_show', { ...values, cursor: start.structured.pagination?.next });
  expect(rest.text).toBe(text.slice(1000, 2000));
  expect(await call('records_show', { noun: 'contacts', id: 'nobody' })).toMatchObject({ isError: true });
});

test('stops on an interrupt', async () => {
  const interrupt = new AbortController();
  const { env, requests } = await startRelationshipService(smallWorkspace, (path) => {
    if (path === '/v1/notes') interrupt.abort(new Failure('interrupted', 'Interrupted.'));
    return undefined;
  });
  const { code, out } = await createMachine()('organizations show o1', { env, signal: interrupt.signal });
  expect({ code, out }).toEqual({ code: 130, out: '' });
  expect(requests.length).toBeLessThan(7);
});

import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createMachine } from '../../support/kith.ts';

const createMeeting = (id: string, start_at: string, updated_at: string, ...emails: string[]) => ({
  id,
  title: `Meeting ${id}`,
  start_at,
  updated_at,
  attendees: emails.map((email) => ({ email })),
  recordings: [{ id: `r${id}`, status: 'done' }],
});

const meetings = [
  createMeeting(
    'm1',
    '2026-10-03T09:00:00+09:00',
    '2026-10-04T00:00:00Z',
    'us@tidewater.example',
    'Ada@acme.example',
    'late@acme.example',
  ),
  createMeeting(
    'm2',
    '2026-10-02T09:00:00+09:00',
    '2026-10-03T00:00:00Z',
    'us@tidewater.example',
    'bob@acme.example',
  ),
  createMeeting(
    'm3',
    '2026-10-01T09:00:00+09:00',
    '2026-10-02T00:00:00Z',
    'us@tidewater.example',
    'eve@other.example',
  ),
];

const contacts = [
  { id: 'c1', emails: ['old@acme.example', 'ada@acme.example'], organization_id: 'o1' },
  { id: 'c2', emails: ['bob@acme.example'], organization_id: 'o1' },
  { id: 'c3', emails: ['eve@other.example'], organization_id: 'o2' },
];

const transcript = [
  { participant: { name: 'Ada' }, words: [{ text: 'ice', start_timestamp: { relative: 1 } }] },
];

/** Starts a service that ignores the filters of meetings. */
async function startUnfilteredService() {
  const { requests, env } = await startTestService(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    const [, , noun, id] = pathname.split('/');
    if (noun === 'calendar_events') return sendJson(response, 200, { data: meetings });
    if (noun === 'recordings') return sendJson(response, 200, { id, status: 'done', transcript });
    if (noun === 'organizations') return sendJson(response, 200, { id, name: 'Acme', domains: [] });
    if (id !== undefined)
      return sendJson(
        response,
        200,
        contacts.find((one) => one.id === id),
      );
    const email = searchParams.get('email') ?? '';
    sendJson(response, 200, { data: contacts.filter(({ emails }) => emails.includes(email)) });
  });
  const kith = createMachine();
  const listIds = async (...flags: string[]) => {
    const { code, out, err } = await kith(['events', 'list', '--jq', '[.[].id] | join(" ")', ...flags], {
      env,
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out.trim();
  };
  const findQuery = () => requests.find((one) => one.url.includes('calendar_events'))?.url.split('?')[1];
  return { listIds, findQuery, requests, run: (line: string) => kith(line, { env }) };
}

test.each([
  [['--contact', 'c1'], 'm1', 'contact_id=c1'],
  [['--organization', 'o1'], 'm1 m2', 'organization_id=o1'],
  [['--organization', 'o1', '--contact', 'c2'], 'm2', 'organization_id=o1&contact_id=c2'],
  [['--updated-after', '2026-10-03T00:00:00Z'], 'm1', 'updated_after=1790985600'],
  [['--updated-after', '2026-10-05', '--tz', 'UTC'], '', 'updated_after=1791158400'],
  [['--where', 'contact != c1'], 'm2 m3', undefined],
  [['--where', 'contact = c1 or organization = o2'], 'm1 m3', undefined],
  [['--where', 'not organization = o1'], 'm3', undefined],
  [
    ['--where', 'start_at = 2026-10-02', '--tz', 'Asia/Seoul'],
    'm2',
    'starts_after=1790866800&starts_before=1790953200',
  ],
  [
    ['--where', 'updated_at >= 2026-10-03T00:00:00Z and organization = o1'],
    'm1 m2',
    'updated_after=1790985599&organization_id=o1',
  ],
])(
  'events list %j prints no meeting that a service returns in spite of the filter',
  async (flags, ids, query) => {
    const { listIds, findQuery } = await startUnfilteredService();
    expect(await listIds(...flags)).toBe(ids);
    const sent = findQuery()?.replace(/&?first=\d+&after=0/, '');
    expect(sent).toBe(query ?? '');
  },
);

test.each([
  ['c1', '/v1/contacts/c1', 'm1'],
  ['bob@acme.example', '/v1/contacts?email=bob%40acme.example', 'm2'],
])('--contact %s reads the contact once, with its addresses', async (reference, url, ids) => {
  const { listIds, requests } = await startUnfilteredService();
  expect(await listIds('--contact', reference)).toBe(ids);
  expect(requests.map((request) => request.url).filter((one) => one.includes('/contacts'))).toEqual([url]);
});

test('--organization looks up each attendee once, and none after a match', async () => {
  const { listIds, requests } = await startUnfilteredService();
  expect(await listIds('--organization', 'o1')).toBe('m1 m2');
  const lookups = requests.flatMap(({ url }) => new URL(url, 'http://x').searchParams.getAll('email'));
  expect(lookups.sort()).toEqual([
    'ada@acme.example',
    'bob@acme.example',
    'eve@other.example',
    'us@tidewater.example',
  ]);
});

test('events grep searches no meeting that a service returns in spite of the filter', async () => {
  const { run, requests } = await startUnfilteredService();
  expect(JSON.parse((await run('events grep ice --organization o2 --jq map(.event_id)')).out)).toEqual([
    'm3',
  ]);
  expect(requests.filter(({ url }) => url.startsWith('/v1/recordings/'))).toHaveLength(1);
  expect(JSON.parse((await run('events grep ice --contact c1 --jq map(.event_id)')).out)).toEqual(['m1']);
});

test('requests pages of --limit records if the service applies all filters; a dropped meeting makes the total unknown', async () => {
  const { run, requests } = await startUnfilteredService();
  expect(await run('events list --organization o1 --limit 1 --fields id --no-header')).toEqual({
    code: 0,
    out: 'm1\n',
    err: 'kith: The list may have more matches. Use --all or a larger --limit to see them.\n',
  });
  expect(requests.find(({ url }) => url.includes('calendar_events'))?.url).toContain('first=1&');
});

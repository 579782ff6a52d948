import { expect, test } from 'vitest';
import {
  createMeeting,
  smallWorkspace,
  startRelationshipService,
} from '../../commands/show/relationship-service.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';

const now = new Date('2026-11-20T10:00:00Z');

test.each([
  ['an ISO date', '2026-11-18', '20dz7n'],
  ['a day name', 'wednesday', '20dz7n'],
  ['an age', '2d', '20dz7n'],
  ['a distance in words', '2 days ago', '20dz7n'],
  ['a time on the day', '2026-11-18T23:00', '20dz7n'],
  ['the latest meeting that has started', 'latest', '20dz7n'],
  ['the word latest in capitals', 'Latest', '20dz7n'],
])('events get finds a meeting by %s', async (_, reference, id) => {
  const kith = createDemoMachine();
  const found = await kith(['events', 'get', reference, '--jq', '.id'], { now });
  expect(found).toEqual({ code: 0, out: `${id}\n`, err: '' });
});

test('prints in a terminal which meeting `latest` stands for', async () => {
  const { err } = await createDemoMachine()('events show latest', { now, terminal: 80 });
  expect(err).toBe('kith: "latest" matches the meeting 七つ目の印 (20dz7n).\n');
});

test('latest ignores meetings that start later', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('events get latest --jq .start_at', { now: new Date('2026-11-12T14:59:59Z') });
  expect(out).toBe('2026-11-12T11:00:00.000+02:00\n');
});

test('the days of --tz begin in its zone', async () => {
  const kith = createDemoMachine();
  const show = (zone: string) => kith(`events show 2026-11-18 --tz ${zone} --jq .event.id`, { now });
  expect(await show('Asia/Seoul')).toEqual({ code: 0, out: '20dz7n\n', err: '' });
  const message = 'kith: No meeting starts on 2026-11-18.\nhint: kith meetings list\n';
  expect(await show('America/Los_Angeles')).toEqual({ code: 3, out: '', err: message });
});

test('lists a command for each meeting of a day with several meetings', async () => {
  const { code, err } = await createDemoMachine()('recordings summary 2026-11-12', { now });
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(
      /^kith: 3 meetings match "2026-11-12": w0o5wr \(A ideia do senhor Baltazar, 2026-11-12 15:00\), .*\nhint: kith recordings summary w0o5wr\n {6}kith recordings summary 804exn\n {6}kith recordings summary k0kw50\n$/,
    ),
  });
});

/** A service that ignores the filters of its list of meetings. */
const startService = (...meetings: readonly object[]) =>
  startRelationshipService({ ...smallWorkspace, '/v1/calendar_events': meetings });

test('finds a meeting by the day in its title if none starts on that day', async () => {
  const friday = { ...createMeeting(1, '2026-11-11T10:00:00Z'), title: 'Friday demo' };
  const { env } = await startService(createMeeting(2, '2026-11-18T10:00:00Z'), friday);
  const kith = createMachine();
  expect((await kith('events get friday --jq .id', { env, now })).out).toBe('m1\n');
  expect((await kith('events get wednesday --jq .id', { env, now })).out).toBe('m2\n');
  expect(await kith('events get tomorrow', { env, now })).toMatchObject({
    code: 3,
    err: 'kith: No meeting has the date or title "tomorrow".\nhint: kith meetings list\n',
  });
});

test('sends one request for latest or a day, and none with the word as an id', async () => {
  const { env, requests } = await startService(
    createMeeting(3, '2026-11-21T10:00:00Z'),
    createMeeting(2, '2026-11-18T10:00:00Z'),
    createMeeting(1, '2026-11-17T10:00:00Z'),
  );
  const kith = createMachine();
  for (const [reference, id] of [
    ['latest', 'm2'],
    ['2026-11-17', 'm1'],
  ]) {
    requests.length = 0;
    expect((await kith(['events', 'get', reference ?? '', '--jq', '.id'], { env, now })).out).toBe(`${id}\n`);
    expect(requests.map(({ url }) => url.replace(/\?.*/, ''))).toEqual([
      '/v1/calendar_events',
      `/v1/calendar_events/${id}`,
    ]);
  }
});

test('next is the first meeting that has not started', async () => {
  const { env } = await startService(
    createMeeting(4, '2026-11-22T10:00:00Z'),
    createMeeting(3, '2026-11-20T10:00:01Z'),
    createMeeting(2, '2026-11-20T09:59:59Z'),
  );
  const kith = createMachine();
  expect((await kith('meetings next --jq .event.id', { env, now })).out).toBe('m3\n');
  expect(await kith('meetings next', { env, now: new Date('2026-11-23') })).toMatchObject({
    code: 3,
    err: 'kith: There is no upcoming meeting.\nhint: kith meetings show latest\n',
  });
});

test('latest is not found if no meeting has started', async () => {
  const { env } = await startService(createMeeting(3, '2026-11-21T10:00:00Z'));
  expect(await createMachine()('events show latest', { env, now })).toEqual({
    code: 3,
    out: '',
    err: 'kith: No recorded meeting has started yet.\nhint: kith meetings list\n',
  });
});

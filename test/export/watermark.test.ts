import { expect, test } from 'vitest';
import type { ExportOptions } from '../../src/export/export.ts';
import {
  createMeeting,
  emptyResult,
  laterRequests,
  listRequest,
  newestMeeting,
  startHost,
  startSeconds,
  updatedMeeting,
  updateTime,
} from './export-host.ts';

/** Lists all meetings. */
const all = listRequest();
/** Lists the meetings since the first run, which was at 10:00: five minutes before it, and the overlap. */
const sinceFirst = laterRequests(startSeconds - 300)[0];
/** Lists the meetings since the second run, at 12:00. */
const sinceSecond = laterRequests(startSeconds + 7200 - 300)[0];

const contents = { transcript: true, with: [] } as const;
const filter = { contact_id: 'a@x.org' };
const since = { before: updateTime - 3600, after: startSeconds };

// What the last run lists first: a run moves the watermark only if it saw all meetings up to it.
test.each<[string, runs: readonly Partial<ExportOptions>[], string | undefined]>([
  ['one run', [{}, {}], sinceFirst],
  ['two runs', [{}, {}, {}], sinceSecond],
  ['--full', [{}, { full: true }, {}], sinceSecond],
  ['only --since', [{ since: since.after }, {}], all],
  ['--since before the watermark', [{}, { since: since.before }, {}], sinceSecond],
  ['--since after the watermark', [{}, { since: since.after }, {}], sinceFirst],
  ['other contents', [{}, { contents }], all],
  ['the same contents again', [{}, { contents }, { contents }], sinceSecond],
  ['--since with other contents', [{}, { contents, since: since.before }, { contents }], all],
  ['another layout', [{}, { layout: 'by-month' }], all],
  ['a filter, and then none', [{ filter }, {}], all],
  ['none, then a filter, and then none', [{}, { filter }, {}], sinceFirst],
])('after %s, lists the meetings that the runs before may have missed', async (_, runs, expected) => {
  const { run, service, takeRequests } = await startHost([
    updatedMeeting('new', 'New', '2026-11-20T09:59:00.000Z'),
    createMeeting('old', 'Old'),
  ]);
  for (const [index, options] of runs.entries()) {
    takeRequests();
    expect(await run(options)).toMatchObject({ failed: [] });
    if (index > 0) continue;
    service.clock = new Date('2026-11-20T12:00:00Z');
    service.meetings.push(updatedMeeting('b', 'Two', '2026-11-20T11:59:00.000Z'));
  }
  expect(takeRequests()[0]).toBe(expected);
});

test('keeps a separate watermark for each filter', async () => {
  const { run, takeRequests, service } = await startHost(
    ['x', 'y'].map((email) => createMeeting(email, 'One', 'done', { attendees: [{ email }] })),
  );
  const runOf = (contact_id: string) => run({ filter: { contact_id } });
  expect(await runOf('x')).toEqual({ ...emptyResult, new: 1 });
  service.clock = new Date('2026-11-20T12:00:00Z');
  expect(await runOf('y')).toEqual({ ...emptyResult, new: 1, unchanged: 1 });
  takeRequests();
  await runOf('x');
  await runOf('y');
  const later = laterRequests(updateTime, startSeconds + 7200);
  const ofContact = (contact: string) => later.map((url) => url.replace('?', `?contact_id=${contact}&`));
  expect(takeRequests()).toEqual([...ofContact('x'), ...ofContact('y')]);
});

test('fetches only the events that were updated during or after the last run', async () => {
  const { run, takeRequests, service } = await startHost(
    [1, 2, 3].map((n) => createMeeting(`m${n}`, 'Weekly')),
  );
  const update = (n: number, time: string) => {
    service.meetings[n] = updatedMeeting(`m${n + 1}`, 'Moved', time);
  };
  service.onResponse = (url) => {
    if (url.includes('recordings')) update(0, '2026-11-20T10:00:01.000Z');
  };
  await run();
  service.onResponse = () => {};
  service.clock = new Date('2026-11-20T11:00:00Z');
  update(2, '2026-11-20T10:30:00.000Z');
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, updated: 2, unchanged: 1 });
  expect(takeRequests().sort()).toEqual(
    [...laterRequests(updateTime, startSeconds + 3600), '/v1/recordings/r-m1', '/v1/recordings/r-m3'].sort(),
  );
  expect(await run()).toEqual({ ...emptyResult, unchanged: 3 });
  expect(takeRequests()).toEqual(laterRequests(startSeconds + 1800, startSeconds + 3600));
});

test("misses nothing if this machine's clock is a year ahead", async () => {
  const { run, service } = await startHost([createMeeting('a', 'One')]);
  const ahead = { clock: () => new Date('2027-11-20T10:00:00Z') };
  await run(ahead);
  service.clock = new Date('2026-11-21T10:00:00Z');
  service.meetings = [
    updatedMeeting('a', 'Other', '2026-11-20T10:00:00.000Z'),
    createMeeting('b', 'Two', 'done', { updated_at: '2026-11-20T18:00:00.000Z' }),
  ];
  expect(await run(ahead)).toEqual({ ...emptyResult, new: 1, updated: 1 });
});

test("recovers within two runs after the service's clock was ahead", async () => {
  const { run, service, takeRequests } = await startHost([
    updatedMeeting('a', 'One', '2027-11-20T09:00:00.000Z'),
  ]);
  const clock = () => new Date('2026-11-20T10:00:00Z');
  service.clock = new Date('2027-11-20T10:00:00Z');
  await run({ clock });
  service.clock = new Date('2026-11-20T12:00:00Z');
  service.meetings.push(updatedMeeting('b', 'Two', '2026-11-20T11:00:00.000Z'));
  await run({ clock });
  takeRequests();
  expect(await run({ clock })).toEqual({ ...emptyResult, new: 1, unchanged: 1 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/recordings/r-b']);
});

test('lists all meetings once a day, and finds one that appeared late with an old updated_at', async () => {
  const { run, service, takeRequests } = await startHost([createMeeting('a', 'One')]);
  await run();
  service.meetings.push(updatedMeeting('b', 'Two', '2026-09-01T00:00:00.000Z'));
  service.clock = new Date('2026-11-21T09:00:00Z');
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  service.clock = new Date('2026-11-21T10:00:00Z');
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, new: 1, unchanged: 1 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/recordings/r-b']);
});

test("lists all meetings even after this machine's clock was set back", async () => {
  const { run, takeRequests } = await startHost([createMeeting('a', 'One')]);
  await run({ clock: () => new Date('2027-11-20T10:00:00Z') });
  takeRequests();
  await run();
  expect(takeRequests()).toEqual([listRequest()]);
});

test('neither moves the watermark nor marks meetings as deleted if a list is incomplete', async () => {
  const { run, service, takeRequests } = await startHost([createMeeting('b', 'Two')]);
  await run({ filter: { contact_id: 'a@x.org' } });
  takeRequests();
  service.responses.set('/v1/calendar_events', [
    200,
    {
      data: [createMeeting('a', 'One')],
      pagination: { end_cursor: 1, has_next_page: false, total_count: 2 },
    },
  ]);
  await run();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(takeRequests().filter((url) => !url.includes('recordings'))).toEqual([listRequest(), listRequest()]);
});

test.each<[string, string, string, boolean]>([
  ['with an update that is older than the newest one seen', '2026-11-20T08:15:00.000Z', '2026-10-01', true],
  [
    'three days after it started, though it was updated weeks ago',
    '2026-10-01T00:00:00.000Z',
    '2026-11-18',
    true,
  ],
  ['later than that, though it was updated weeks ago', '2026-10-01T00:00:00.000Z', '2026-11-16', false],
])('exports a meeting that becomes visible %s: %s, %s', async (_, updated_at, day, isNext) => {
  const { run, service } = await startHost([newestMeeting]);
  await run();
  service.clock = new Date('2026-11-20T11:00:00Z');
  const late = createMeeting('a', 'Late', 'done', { updated_at, start_at: `${day}T09:00:00.000+09:00` });
  service.meetings.push(late);
  expect((await run()).new).toBe(isNext ? 1 : 0);
  service.clock = new Date('2026-11-21T10:00:00Z');
  expect((await run()).new).toBe(isNext ? 0 : 1);
});

test("lists recently started meetings by the service's clock and with the filter", async () => {
  const attendees = [{ email: 'x' }];
  const { run, takeRequests, service } = await startHost([createMeeting('a', 'One', 'done', { attendees })]);
  const options = { filter: { contact_id: 'x' }, clock: () => new Date('2027-11-20T10:00:00Z') };
  await run(options);
  const lately = { start_at: '2026-11-20T09:00:00.000+09:00', updated_at: '2026-09-01T00:00:00.000Z' };
  service.meetings.push(
    createMeeting('b', 'Two', 'done', { ...lately, attendees }),
    createMeeting('c', 'Three', 'done', lately),
  );
  takeRequests();
  expect(await run(options)).toEqual({ ...emptyResult, new: 1, unchanged: 1 });
  expect(takeRequests()[1]).toBe(
    `/v1/calendar_events?contact_id=x&starts_after=${startSeconds - 3 * 86_400}&first=100&after=0`,
  );
});

test('lists all meetings again after a list that changed while it was read', async () => {
  const many = Array.from({ length: 25 }, (_, n) => createMeeting(`m${n}`, 'Weekly', ''));
  for (const later of [many.slice(1), [createMeeting('new', 'Weekly', ''), ...many]]) {
    const { run, service, takeRequests } = await startHost(many);
    service.maxPageSize = 10;
    service.onResponse = (url) => {
      if (url.endsWith('after=0')) service.meetings = later;
    };
    expect((await run()).failed).toEqual([]);
    service.onResponse = () => {};
    takeRequests();
    expect(await run()).toMatchObject({ new: later.length > 25 ? 1 : 0, updated: 0 });
    expect(takeRequests()[0]).toBe(listRequest());
    expect(await run()).toMatchObject({ new: 0, updated: 0 });
    expect(takeRequests()).toContain(listRequest(updateTime - 3600));
  }
});

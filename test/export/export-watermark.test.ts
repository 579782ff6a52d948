import { expect, test } from 'vitest';
import {
  createAccess,
  createMeeting,
  emptyResult,
  laterRequests,
  listRequest,
  newestMeeting,
  newestTime,
  readTexts,
  startHost,
  startSeconds,
  updatedMeeting,
  updateTime,
} from './export-host.ts';

test('a second run with nothing new sends two requests for events and none for recordings', async () => {
  const { run, takeRequests } = await startHost(
    Array.from({ length: 30 }, (_, n) => createMeeting(`m${n}`, 'Weekly')),
  );
  await run();
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 30 });
  expect(takeRequests()).toEqual(laterRequests(updateTime));
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

test('refuses the folder of another workspace, and removes nothing', async () => {
  const { run, folder } = await startHost([createMeeting('a', 'One')]);
  await run();
  const texts = readTexts(folder);
  const other = await startHost([createMeeting('z', 'Other')]);
  const wrong = {
    client: other.client,
    folder,
    workspace: createAccess('https://other.example/'),
    prune: true,
  };
  await expect(run(wrong)).rejects.toMatchObject({
    code: 'usage',
    message: `${folder} holds the meetings of https://crm.example.com/, not of https://other.example/.`,
  });
  expect(readTexts(folder)).toEqual(texts);
});

test('--prune deletes nothing if the service lists no meetings', async () => {
  const { run, folder, service } = await startHost([createMeeting('a', 'One')]);
  await run();
  const texts = readTexts(folder);
  service.meetings = [];
  await expect(run({ prune: true })).rejects.toMatchObject({
    message: 'The service lists no meetings; --prune deleted nothing.',
  });
  expect(readTexts(folder)).toEqual(texts);
});

test('exports a new meeting on the next run if it was briefly unavailable', async () => {
  const { run, service } = await startHost([createMeeting('a', 'One')]);
  await run();
  service.meetings.push(updatedMeeting('b', 'Two', '2026-11-20T10:00:00.000Z'));
  service.responses.set('/v1/recordings/r-b', [404, {}]).set('/v1/calendar_events/b', [404, {}]);
  await run();
  service.responses.clear();
  service.meetings = [createMeeting('a', 'One'), createMeeting('b', 'Two')];
  expect(await run()).toMatchObject({ new: 1, failed: [] });
});

test('lists all meetings again after a list that changed while it was read', async () => {
  const many = Array.from({ length: 250 }, (_, n) => createMeeting(`m${n}`, 'Weekly', ''));
  for (const later of [many.slice(1), [createMeeting('new', 'Weekly', ''), ...many]]) {
    const { run, service, takeRequests } = await startHost(many);
    service.onResponse = (url) => {
      if (url.endsWith('after=0')) service.meetings = later;
    };
    expect((await run()).failed).toEqual([]);
    service.onResponse = () => {};
    takeRequests();
    const { new: added, updated } = await run();
    expect(takeRequests()[0]).toBe(listRequest());
    expect([added, updated]).toEqual([later.length > 250 ? 1 : 0, 0]);
    expect(await run()).toMatchObject({ new: 0, updated: 0 });
    expect(takeRequests()).toContain(listRequest(updateTime - 3600));
  }
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

test('--since never moves the watermark past unseen meetings or to other options', async () => {
  const { run, takeRequests, service } = await startHost([
    createMeeting('new', 'New', 'done', { updated_at: '2026-11-20T09:59:00.000Z' }),
    createMeeting('old', 'Old'),
  ]);
  const since = startSeconds - 3600;
  expect(await run({ since })).toEqual({ ...emptyResult, new: 1 });
  expect(takeRequests()[0]).toBe(listRequest(since));
  expect(await run()).toEqual({ ...emptyResult, new: 1, unchanged: 1 });
  expect(takeRequests()[0]).toBe(listRequest());
  service.clock = new Date('2026-11-20T12:00:00Z');
  await run({ since: startSeconds });
  takeRequests();
  await run();
  expect(takeRequests()[0]).toBe(listRequest(startSeconds - 300 - 3600));
  const contents = { transcript: true, with: [] };
  expect(await run({ since, contents })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(await run({ contents })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
});

test('--since before the watermark lists all later meetings and moves the watermark', async () => {
  const { run, takeRequests, service } = await startHost([createMeeting('a', 'One')]);
  await run();
  service.clock = new Date('2026-11-20T12:00:00Z');
  service.meetings.push(updatedMeeting('b', 'Two', '2026-11-20T11:00:00.000Z'));
  await run({ since: updateTime - 3600 });
  takeRequests();
  await run();
  expect(takeRequests()).toEqual(laterRequests(startSeconds + 3600, startSeconds + 7200));
});

test('keeps a separate watermark for each filter', async () => {
  const { run, takeRequests, service } = await startHost([
    createMeeting('a', 'One', 'done', { attendees: [{ email: 'x' }] }),
    createMeeting('b', 'Two', 'done', { attendees: [{ email: 'y' }] }),
  ]);
  const of = (contact_id: string) => run({ filter: { contact_id } });
  expect(await of('x')).toEqual({ ...emptyResult, new: 1 });
  service.clock = new Date('2026-11-20T12:00:00Z');
  expect(await of('y')).toEqual({ ...emptyResult, new: 1, unchanged: 1 });
  takeRequests();
  await of('x');
  await of('y');
  await run();
  const short = laterRequests(updateTime, startSeconds + 7200);
  const ofContact = (contact: string) => short.map((url) => url.replace('?', `?contact_id=${contact}&`));
  expect(takeRequests()).toEqual([...ofContact('x'), ...ofContact('y'), listRequest()]);
});

test('rewrites older files when the options change, and again when they change back', async () => {
  const { folder, run, takeRequests } = await startHost([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two'),
  ]);
  await run();
  takeRequests();
  const contents = { transcript: true, with: ['txt', 'json'] } as const;
  expect(await run({ contents })).toEqual({ ...emptyResult, updated: 2 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/recordings/r-a', '/v1/recordings/r-b']);
  expect(await run({ contents })).toEqual({ ...emptyResult, unchanged: 2 });
  expect(Object.keys(readTexts(folder)).length).toBe(6);
  expect(await run()).toEqual({ ...emptyResult, updated: 2 });
  expect(Object.values(readTexts(folder)).filter((text) => text.includes('## Transcript'))).toEqual([]);
  expect(Object.keys(readTexts(folder)).length).toBe(6);
});

test('--full fetches everything again', async () => {
  const { run, takeRequests } = await startHost([createMeeting('a', 'One')]);
  await run();
  takeRequests();
  expect(await run({ full: true })).toEqual({ ...emptyResult, unchanged: 1 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/recordings/r-a']);
});

test('sets the watermark to the newest update seen, or to five minutes before the response if that is earlier', async () => {
  const { run, takeRequests, service } = await startHost([newestMeeting]);
  await run();
  takeRequests();
  await run();
  expect(takeRequests()).toEqual(laterRequests(newestTime));
  service.meetings.push(updatedMeeting('b', 'Two', '2026-11-20T09:59:00.000Z'));
  await run();
  takeRequests();
  await run();
  expect(takeRequests()).toEqual(laterRequests(startSeconds - 300));
  service.clock = new Date('2026-11-20T12:00:00Z');
  await run();
  takeRequests();
  await run();
  expect(takeRequests()).toEqual(laterRequests(startSeconds - 60, startSeconds + 7200));
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

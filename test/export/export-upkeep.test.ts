import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createMeeting,
  createRecording,
  emptyResult,
  laterRequests,
  listRequest,
  newestMeeting,
  newestTime,
  readLedgerLines,
  readTexts,
  startHost,
  updatedMeeting,
  updateTime,
} from './export-host.ts';

const createTime = (n: number) => new Date(Date.parse('2026-11-01T00:00:00Z') + n * 86_400_000);

test('checks an unfinished recording on each run for 14 days, then counts it as late', async () => {
  const other = createMeeting('n', 'Newest', '', { updated_at: createTime(-1).toISOString() });
  const { run, takeRequests, service } = await startHost([createMeeting('a', 'One', 'processing'), other]);
  const requests = [];
  for (const days of [0, 1, 14, 15, 16]) {
    service.clock = createTime(days);
    const first = await run();
    takeRequests();
    // The first run of a day lists all meetings; the next one requests those missing from its short list.
    expect({ ...(await run()), new: first.new, unchanged: first.unchanged }).toEqual(first);
    requests.push([days, first, takeRequests().filter((url) => !url.includes('first'))]);
  }
  const pendingResult = { ...emptyResult, unchanged: 2, pending: 1 };
  expect(requests).toEqual([
    [0, { ...emptyResult, new: 2, pending: 1 }, ['/v1/calendar_events/a']],
    [1, pendingResult, ['/v1/calendar_events/a']],
    [14, pendingResult, ['/v1/calendar_events/a']],
    [15, { ...emptyResult, unchanged: 2, late: 1 }, []],
    [16, { ...emptyResult, unchanged: 2, late: 1 }, []],
  ]);
  service.meetings = [updatedMeeting('a', 'One', createTime(16).toISOString())];
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
});

test.each([
  [1, 0],
  [2, 1],
])('with --settle 1 and after %i days, %i recordings are late', async (days, lateCount) => {
  const { run, service } = await startHost([createMeeting('a', 'One', 'processing')]);
  service.clock = createTime(0);
  await run({ settle: 1 });
  service.clock = createTime(days);
  expect(await run({ settle: 1 })).toEqual({
    ...emptyResult,
    unchanged: 1,
    pending: 1 - lateCount,
    late: lateCount,
  });
});

test('exports a recording that is done at last, even if its meeting is no longer listed', async () => {
  const { folder, run, takeRequests, service } = await startHost([
    createMeeting('a', 'One', 'processing'),
    newestMeeting,
  ]);
  await run();
  service.meetings = [createMeeting('a', 'One'), newestMeeting];
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(takeRequests()).toEqual([
    ...laterRequests(newestTime),
    '/v1/calendar_events/a',
    '/v1/recordings/r-a',
  ]);
  expect(readTexts(folder)['2026-10-01-one-a.md']).toContain('Of r-a.');
  await run();
  expect(takeRequests()).toEqual(laterRequests(newestTime));
});

test('counts a recording as pending if it is listed as done but is not', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One')]);
  service.responses.set('/v1/recordings/r-a', [200, { id: 'r-a', status: 'processing', summary: null }]);
  expect(await run()).toEqual({ ...emptyResult, new: 1, pending: 1 });
  expect(readTexts(folder)['2026-10-01-one-a.md']).toContain('Its status is processing');
  service.responses.clear();
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
});

test('keeps the file of a meeting deleted upstream, and exports the meeting again once it is restored', async () => {
  const { folder, run, takeRequests, service } = await startHost([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two', 'processing'),
  ]);
  await run();
  const texts = readTexts(folder);
  service.meetings = [];
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1, deleted_upstream: 1 });
  expect(await run({ full: true })).toEqual({ ...emptyResult, deleted_upstream: 2 });
  expect(readLedgerLines(folder).slice(2)).toMatchObject(
    ['a', 'b'].map((id) => ({ meeting: { id, gone: true, recordings: [{ id: `r-${id}`, state: 'gone' }] } })),
  );
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, deleted_upstream: 2 });
  expect(takeRequests()).toEqual(laterRequests(updateTime));
  await run({ full: true });
  expect(takeRequests()).toEqual([listRequest()]);
  expect(readTexts(folder)).toEqual(texts);
  service.meetings = [updatedMeeting('a', 'One', '2026-11-20T10:00:00.000Z'), createMeeting('b', 'Two')];
  expect(await run({ full: true })).toEqual({ ...emptyResult, updated: 2 });
});

test('--prune deletes the files of a meeting deleted upstream, but no edited ones', async () => {
  const { folder, run, service } = await startHost(['a', 'b', 'c'].map((id) => createMeeting(id, 'One')));
  await run({ layout: 'by-month', contents: { transcript: false, with: ['txt'] } });
  writeFileSync(join(folder, '2026-10/2026-10-01-one-b.md'), 'mine');
  service.meetings = [createMeeting('c', 'One')];
  const options = { layout: 'by-month', contents: { transcript: false, with: ['txt'] } } as const;
  await run({ ...options, full: true });
  expect(Object.keys(readTexts(folder)).length).toBe(6);
  const pruned = { files: 3, meetings: 2, unused: 0 };
  const result = { ...emptyResult, unchanged: 1, deleted_upstream: 1, pruned };
  expect(await run({ ...options, prune: 'all' })).toEqual(result);
  const remainingFiles = [
    '2026-10/2026-10-01-one-b.md',
    '2026-10/2026-10-01-one-c.md',
    '2026-10/2026-10-01-one-c.txt',
  ];
  expect(Object.keys(readTexts(folder))).toEqual(remainingFiles);
  const createWarning = (id: string) =>
    readLedgerLines(folder).find(({ meeting }) => (meeting as { id?: string })?.id === id);
  expect([createWarning('a'), createWarning('b')]).toMatchObject([
    undefined,
    { meeting: { gone: true, files: [{ name: remainingFiles[0] }] } },
  ]);
  rmSync(join(folder, remainingFiles[0] ?? ''));
  expect(await run({ ...options, prune: 'all' })).toEqual({ ...emptyResult, unchanged: 1 });
});

test('keeps files of earlier options until --prune, and updates them when the options return', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One'), createMeeting('b', 'Two')]);
  const contents = { transcript: false, with: ['txt'] } as const;
  await run({ contents });
  await run();
  service.meetings = [updatedMeeting('a', 'Renamed', '2026-11-20T10:00:00.000Z'), createMeeting('b', 'Two')];
  service.responses.set('/v1/recordings/r-a', [200, createRecording('r-a', { transcript: [] })]);
  expect(await run({ contents })).toMatchObject({ updated: 1, edited: [] });
  expect(Object.keys(readTexts(folder))).toEqual([
    '2026-10-01-renamed-a.md',
    '2026-10-01-renamed-a.txt',
    '2026-10-01-two-b.md',
    '2026-10-01-two-b.txt',
  ]);
  writeFileSync(join(folder, '2026-10-01-two-b.txt'), 'mine');
  await run();
  service.meetings = [updatedMeeting('a', 'Again', '2026-11-20T10:01:00.000Z'), createMeeting('b', 'Two')];
  await run();
  const { pruned } = await run({ prune: 'all' });
  expect(pruned).toEqual({ files: 0, meetings: 0, unused: 1 });
  expect(Object.keys(readTexts(folder))).toEqual([
    '2026-10-01-again-a.md',
    '2026-10-01-two-b.md',
    '2026-10-01-two-b.txt',
  ]);
});

test('--prune keeps the file of a restored meeting whose export fails', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One'), createMeeting('b', 'Two')]);
  await run();
  const texts = readTexts(folder);
  service.meetings = [createMeeting('b', 'Two')];
  expect(await run({ full: true })).toMatchObject({ deleted_upstream: 1 });
  service.meetings.push(updatedMeeting('a', 'One', '2026-11-20T10:00:00.000Z'));
  service.responses.set('/v1/recordings/r-a', [500, {}]);
  expect(await run({ prune: 'all' })).toMatchObject({ deleted_upstream: 0, failed: [{ id: 'a' }] });
  expect(readTexts(folder)).toEqual(texts);
});

test('writes a deleted file again, and fetches only its meeting', async () => {
  const { folder, run, takeRequests } = await startHost([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two'),
    newestMeeting,
  ]);
  await run();
  const texts = readTexts(folder);
  rmSync(join(folder, '2026-10-01-two-b.md'));
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 2 });
  expect(takeRequests()).toEqual([
    ...laterRequests(newestTime),
    '/v1/calendar_events/b',
    '/v1/recordings/r-b',
  ]);
  expect(readTexts(folder)).toEqual(texts);
});

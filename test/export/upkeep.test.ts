import { appendFileSync, rmSync } from 'node:fs';
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

const one = '2026-10-01-one-a.md';
const soon = '2026-11-20T10:00:00.000Z';

test('checks an unfinished recording on each run for 14 days, then counts it as late', async () => {
  const addDays = (days: number) => new Date(Date.parse('2026-11-01T00:00:00Z') + days * 86_400_000);
  const other = createMeeting('n', 'Newest', '', { updated_at: addDays(-1).toISOString() });
  const { run, takeRequests, service } = await startHost([createMeeting('a', 'One', 'processing'), other]);
  const outcomes = [];
  for (const days of [0, 14, 15]) {
    service.clock = addDays(days);
    const first = await run();
    takeRequests();
    // The first run of a day lists all meetings; the next one requests those missing from its short list.
    expect({ ...(await run()), new: first.new, unchanged: first.unchanged }).toEqual(first);
    outcomes.push([days, first, takeRequests().filter((url) => !url.includes('first'))]);
  }
  expect(outcomes).toEqual([
    [0, { ...emptyResult, new: 2, pending: 1 }, ['/v1/calendar_events/a']],
    [14, { ...emptyResult, unchanged: 2, pending: 1 }, ['/v1/calendar_events/a']],
    [15, { ...emptyResult, unchanged: 2, late: 1 }, []],
  ]);
  service.meetings = [updatedMeeting('a', 'One', addDays(16).toISOString())];
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
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
  const ofMeeting = ['/v1/calendar_events/a', '/v1/recordings/r-a'];
  expect(takeRequests()).toEqual([...laterRequests(newestTime), ...ofMeeting]);
  expect(readTexts(folder)[one]).toContain('Of r-a.');
  await run();
  expect(takeRequests()).toEqual(laterRequests(newestTime));
});

test('counts a recording as pending if it is listed as done but is not', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One')]);
  service.responses.set('/v1/recordings/r-a', [200, { id: 'r-a', status: 'processing', summary: null }]);
  expect(await run()).toEqual({ ...emptyResult, new: 1, pending: 1 });
  expect(readTexts(folder)[one]).toContain('Its status is processing');
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
  service.meetings = [updatedMeeting('a', 'One', soon), createMeeting('b', 'Two')];
  expect(await run({ full: true })).toEqual({ ...emptyResult, updated: 2 });
});

test('--prune deletes neither the file of a restored meeting whose export fails, nor one that exists but is not listed', async () => {
  const { folder, run, service, takeRequests } = await startHost(
    ['a', 'b', 'c'].map((id) => createMeeting(id, 'One')),
  );
  await run();
  const texts = readTexts(folder);
  service.meetings.shift();
  expect(await run({ full: true })).toMatchObject({ deleted_upstream: 1 });
  service.meetings = [updatedMeeting('a', 'One', soon), createMeeting('b', 'One')];
  service.responses.set('/v1/recordings/r-a', [500, {}]);
  service.responses.set('/v1/calendar_events/c', [200, createMeeting('c', 'One')]);
  takeRequests();
  const result = {
    ...emptyResult,
    unchanged: 2,
    failed: [{ id: 'a', title: 'One', reason: expect.any(String) }],
  };
  expect(await run({ prune: 'all' })).toEqual(result);
  expect(takeRequests()).toContain('/v1/calendar_events/c');
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
  const ofMeeting = ['/v1/calendar_events/b', '/v1/recordings/r-b'];
  expect(takeRequests()).toEqual([...laterRequests(newestTime), ...ofMeeting]);
  expect(readTexts(folder)).toEqual(texts);
});

test('keeps an edited file with its .new file, which it writes only when the meeting changes', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One')]);
  await run();
  const toPath = (name: string) => join(folder, name);
  const setSummary = (minute: number, summary: string, title = 'One') => {
    service.meetings = [updatedMeeting('a', title, `2026-11-20T10:0${minute}:00.000Z`)];
    service.responses.set('/v1/recordings/r-a', [200, createRecording('r-a', { summary: { summary } })]);
  };
  appendFileSync(toPath(one), 'mine\n');
  setSummary(1, 'New.');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: [one] });
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  rmSync(toPath('2026-10-01-one-a.new.md'));
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  expect(Object.keys(readTexts(folder))).toEqual([one]);
  setSummary(2, 'Newer.', 'Two');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: ['2026-10-01-two-a.md'] });
  expect(readTexts(folder)).toEqual({
    '2026-10-01-two-a.md': expect.stringMatching(/Of r-a\.\nmine\n$/),
    '2026-10-01-two-a.new.md': expect.stringMatching(/# Two\n\n## Summary\n\nNewer\.\n$/),
  });
});

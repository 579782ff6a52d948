import { expect, test } from 'vitest';
import { createMachine } from '../support/kith.ts';
import {
  createMeeting,
  emptyResult,
  laterRequests,
  listRequest,
  readLedgerLines,
  readTexts,
  startHost,
  startSeconds,
  updatedMeeting,
} from './export-host.ts';

const name = '2026-10-01-one-a.md';
const recordings = ['x', 'y'].map((id) => ({ id, status: 'done' }));
const createPartMeeting = (more = {}) => createMeeting('a', 'One', 'done', { recordings, ...more });
const contents = { transcript: false, with: ['json', 'txt'] } as const;
const unavailableBefore = [{ id: 'x', name, is_new: false }];
const unavailable = [{ id: 'x', name, is_new: true }];

/** Starts a service that lists two recordings of a meeting but has only the second. */
async function startHostWithoutRecording() {
  const host = await startHost([createPartMeeting()]);
  host.service.responses.set('/v1/recordings/x', [404, { error: 'Gone.' }]);
  return host;
}

/** Returns the states of the recordings in the ledger. */
const readStates = (folder: string) =>
  readLedgerLines(folder).flatMap(
    ({ meeting }) =>
      (meeting as { recordings: { id: string; state: string }[] })?.recordings.map(({ id, state }) => [
        id,
        state,
      ]) ?? [],
  );

test.each([404, 410])(
  'marks a listed recording that returns %i as unavailable, and exports the rest of its meeting',
  async (status) => {
    const { folder, run, service } = await startHostWithoutRecording();
    service.responses.set('/v1/recordings/x', [status, { error: 'Gone.' }]);
    expect(await run({ contents })).toEqual({ ...emptyResult, new: 1, unavailable });
    const { [name]: markdown, '2026-10-01-one-a.json': json = '', ...others } = readTexts(folder);
    expect(markdown?.split('\n# ')[1]).toBe(`One

## Recording 1

_The recording x is no longer on the service._

## Recording 2

### Summary

Of y.
`);
    expect(JSON.parse(json).recordings.map(({ id }: { id: string }) => id)).toEqual(['y']);
    expect(others).toEqual({ '2026-10-01-one-a.2.txt': 'Ada: Hello\n' });
    expect(readStates(folder)).toEqual([
      ['x', 'gone'],
      ['y', 'exported'],
    ]);
  },
);

test('counts an unavailable recording on later runs, without requesting it', async () => {
  const { run, takeRequests, service } = await startHostWithoutRecording();
  service.meetings = [createPartMeeting({ updated_at: '2026-11-20T09:59:00.000Z' })];
  await run();
  takeRequests();
  // The overlap lists it again.
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1, unavailable: unavailableBefore });
  expect(takeRequests()).toEqual(laterRequests(startSeconds - 300));
});

test.each<[string, Date, string]>([
  ['its meeting is updated', new Date('2026-11-20T11:00:00Z'), '2026-11-20T10:30:00.000Z'],
  ['a day is over', new Date('2026-11-21T10:00:00Z'), '2026-10-01T02:00:00.000Z'],
])(
  'requests an unavailable recording again when %s, and exports it once it is available',
  async (_, clock, updated_at) => {
    const { folder, run, takeRequests, service } = await startHostWithoutRecording();
    await run();
    service.clock = clock;
    service.meetings = [createPartMeeting({ updated_at })];
    takeRequests();
    const secondResult = await run();
    expect([secondResult.unavailable, secondResult.failed, takeRequests()]).toEqual([
      unavailableBefore,
      [],
      expect.arrayContaining(['/v1/recordings/x']),
    ]);
    service.clock = new Date(clock.getTime() + 86_400_000);
    service.responses.clear();
    expect(await run()).toEqual({ ...emptyResult, updated: 1 });
    expect(readTexts(folder)[name]).toContain('## Recording 1\n\n### Summary\n\nOf x.');
    expect(readStates(folder)).toEqual([
      ['x', 'exported'],
      ['y', 'exported'],
    ]);
  },
);

test('counts a recording as pending if it turns out to be unfinished', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One')]);
  service.responses.set('/v1/recordings/r-a', [404, {}]);
  service.onResponse = (url) => {
    if (url.includes('first')) service.meetings = [createMeeting('a', 'One', 'processing')];
  };
  expect(await run()).toEqual({ ...emptyResult, new: 1, pending: 1 });
  expect(readStates(folder)).toEqual([['r-a', 'pending']]);
});

test('does not request a recording again that its meeting no longer lists', async () => {
  const { folder, run, takeRequests, service } = await startHost([createPartMeeting()]);
  await run();
  const rest = recordings.filter(({ id }) => id === 'y');
  service.meetings = [createPartMeeting({ recordings: rest, updated_at: '2026-11-20T09:59:00.000Z' })];
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readStates(folder)).toEqual([
    ['y', 'exported'],
    ['x', 'gone'],
  ]);
  service.clock = new Date('2026-11-21T10:00:00Z');
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  expect(takeRequests()).toEqual([listRequest()]);
});

test('notices on a full listing that a meeting no longer lists a recording, even without a newer updated_at', async () => {
  const { folder, run, service } = await startHost([createPartMeeting()]);
  await run();
  service.meetings = [createPartMeeting({ recordings: recordings.slice(1) })];
  service.clock = new Date('2026-11-21T10:00:00Z');
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readStates(folder)).toEqual([
    ['y', 'exported'],
    ['x', 'gone'],
  ]);
});

test('fails the meeting if another recording of it fails', async () => {
  const { run, service } = await startHostWithoutRecording();
  service.responses.set('/v1/recordings/y', [422, { error: 'Odd.' }]);
  const failed = [{ id: 'a', title: 'One', reason: 'Odd.' }];
  expect(await run()).toEqual({ ...emptyResult, failed });
});

test('warns about an unavailable recording once, counts it on each run, exits with 0, and verify finds no difference', async () => {
  const { folder, service, url } = await startHostWithoutRecording();
  service.clock = new Date();
  const kith = createMachine();
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url };
  const message = `kith: ${name}: the service lists the recording x but does not have it (404).\n`;
  const counts = `${folder}: 1 new, 0 updated, 0 unchanged, 0 pending, 1 unavailable, 0 failed\n`;
  expect(await kith(['events', 'export', '--out', folder], { env })).toEqual({
    code: 0,
    out: counts,
    err: message,
  });
  service.meetings = [
    createPartMeeting({ ...updatedMeeting('a', 'One', new Date().toISOString()), recordings }),
  ];
  expect(await kith(['events', 'export', '--out', folder, '--json'], { env })).toMatchObject({
    code: 0,
    out: expect.stringContaining('"is_new": false'),
    err: '',
  });
  expect(await kith(['events', 'export', 'verify', folder], { env })).toMatchObject({ code: 0, err: '' });
});

test('warns once about a listed recording that returns 404, even with --quiet', async () => {
  const { folder, service, url } = await startHostWithoutRecording();
  service.clock = new Date();
  const kith = createMachine();
  const exportArgs = ['events', 'export', '--out', folder, '--quiet', '--jq', '.'];
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url };
  const message = `kith: ${name}: the service lists the recording x but does not have it (404).\n`;
  for (const [err, is_new] of [
    [message, true],
    ['', false],
  ]) {
    const result = await kith(exportArgs, { env });
    expect([result.code, result.err, JSON.parse(result.out).unavailable]).toEqual([
      0,
      err,
      [{ id: 'x', name, is_new }],
    ]);
  }
});

test('does not count a recording that its meeting no longer lists', async () => {
  const { run, service } = await startHostWithoutRecording();
  await run();
  service.meetings = [
    createPartMeeting({ recordings: recordings.slice(1), updated_at: '2026-11-20T09:59:00.000Z' }),
  ];
  expect((await run()).unavailable).toEqual([]);
});

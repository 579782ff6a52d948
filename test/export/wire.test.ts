import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTestClient, findRefusingUrl } from '../client/loopback.ts';
import {
  createMeeting,
  createRecording,
  emptyResult,
  exportWithDefaults,
  listFiles,
  listRequest,
  newestMeeting,
  readLedgerLines,
  readTexts,
  startHost,
  updatedMeeting,
} from './export-host.ts';

const createWeeklyMeetings = (count: number) =>
  Array.from({ length: count }, (_, n) => createMeeting(`m${n}`, 'Weekly'));
const filterRecordings = (urls: readonly string[]) => urls.filter((url) => url.includes('recordings'));

type Reply = readonly [status: number, body: unknown] | ((to: ServerResponse) => void);
const body = JSON.stringify({ data: createRecording('r') });
const send = (text: string) => (to: ServerResponse) => void to.writeHead(200).end(text);
const damaged = 'Recording ID: The response is damaged or truncated JSON.';

/** What the service returns for a recording, and why its meeting then fails. */
const badReplies: readonly (readonly [Reply, string])[] = [
  [[500, { error: 'Oh no.' }], 'Oh no.'],
  [[403, { error: 'Not for you.' }], 'Not for you.'],
  [send(''), 'Recording ID: The response is empty.'],
  [send('<html>{"id":1}</html>'), 'Recording ID: The response is an HTML page, not a record.'],
  [
    [200, { data: { name: 'x' } }],
    'Recording ID: The response to GET /v1/recordings/ID has a record without an id.',
  ],
  [[200, [createRecording('r')]], 'Recording ID: The response is JSON, but not a record.'],
  [send(body.slice(0, body.indexOf('}') + 1)), damaged],
  [send(body.replace('"Of', '"\\x Of')), damaged],
  // Even if no transcript is exported.
  [send(body.replace('"Hello"', 'Hello')), damaged],
  [send(`${body}{`), damaged],
  [
    (to) => {
      to.writeHead(200, { 'content-length': '5000' }).write(body);
      setTimeout(() => to.destroy(), 5);
    },
    'Cannot reach HOST: the connection was closed before the response was complete.',
  ],
];

test('fails only the meetings whose recordings fail, names the reasons, and fetches only those on the next run', async () => {
  const { folder, run, service, takeRequests, url } = await startHost([
    ...badReplies.map((_, index) => createMeeting(`m${index}`, 'Bad')),
    ...['x', 'y'].map((id) => createMeeting(id, 'Good')),
  ]);
  for (const [index, [reply]] of badReplies.entries())
    service.responses.set(`/v1/recordings/r-m${index}`, reply);
  const failed = badReplies.map(([, reason], index) => ({
    id: `m${index}`,
    title: 'Bad',
    reason: reason.replaceAll('ID', `r-m${index}`).replace('HOST', url),
  }));
  const first = await run();
  expect(first).toMatchObject({ new: 2, updated: 0, unchanged: 0 });
  expect(first.failed.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))).toEqual(failed);
  expect(Object.keys(readTexts(folder))).toEqual(['2026-10-01-good-x.md', '2026-10-01-good-y.md']);
  expect(readLedgerLines(folder)).toContainEqual({
    meeting: expect.objectContaining({
      ...{ id: 'm0', failed: 'Oh no.', files: [] },
      recordings: [{ id: 'r-m0', updated_at: null, state: 'failed' }],
    }),
  });
  service.responses.clear();
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, new: badReplies.length, unchanged: 2 });
  expect(filterRecordings(takeRequests()).sort()).toEqual(
    failed.map(({ id }) => `/v1/recordings/r-${id}`).sort(),
  );
  await run();
  expect(filterRecordings(takeRequests())).toEqual([]);
});

test('writes no file from a truncated response, wherever it is truncated', async () => {
  const lengths = Array.from({ length: 40 }, (_, n) => Math.floor((n * body.length) / 40));
  const { folder, run, service } = await startHost(
    lengths.map((length) => createMeeting(`m${length}`, 'One')),
  );
  for (const length of lengths)
    service.responses.set(`/v1/recordings/r-m${length}`, send(body.slice(0, length)));
  const { failed } = await run({ contents: { transcript: false, with: ['json'] } });
  expect([failed.length, readTexts(folder)]).toEqual([lengths.length, {}]);
});

test('stops early if every recording fails, and exports those behind a long row of broken ones after some runs', async () => {
  const { folder, run, service, takeRequests } = await startHost(createWeeklyMeetings(40));
  for (let n = 0; n < 40; n += 1) service.responses.set(`/v1/recordings/r-m${n}`, [500, { error: 'Oh no.' }]);
  await expect(run()).rejects.toMatchObject({ code: 'unavailable', message: 'Oh no.' });
  expect(filterRecordings(takeRequests()).length).toBeLessThan(20);
  expect(readTexts(folder)).toEqual({});
  for (let n = 25; n < 40; n += 1) service.responses.delete(`/v1/recordings/r-m${n}`);
  const outcomes = [];
  for (let count = 0; count < 4; count += 1) outcomes.push(await run().catch(({ code }) => code));
  const last = outcomes.at(-1);
  expect([last.failed.length, last.new, last.unchanged]).toEqual([25, 0, 15]);
});

test.each([
  [401, 'unauthorized'],
  [429, 'rate_limited'],
])('ends the run if a recording returns %i, and writes nothing more', async (status, code) => {
  const { folder, run, service, takeRequests } = await startHost(createWeeklyMeetings(40));
  service.responses.set('/v1/recordings/r-m3', [status, {}]);
  await expect(run({ concurrency: 2 })).rejects.toMatchObject({ code });
  const names = readdirSync(folder);
  expect(takeRequests().length).toBeLessThan(10);
  await wait(100);
  expect([takeRequests(), readdirSync(folder)]).toEqual([[], names]);
  expect(names.filter((name) => !/^2026-10-01-weekly-m\d+\.md$/.test(name))).toEqual(['.kith-export.jsonl']);
  service.responses.clear();
  expect(await run()).toMatchObject({ failed: [], updated: 0 });
});

test('reports an unreachable service once, and does not change the folder', async () => {
  const { folder, run } = await startHost([createMeeting('a', 'One')]);
  await run();
  const texts = readTexts(folder);
  const { client } = createTestClient(await findRefusingUrl(), 1);
  await expect(exportWithDefaults(client, folder)).rejects.toMatchObject({ code: 'network' });
  expect([readTexts(folder), await run()]).toEqual([texts, { ...emptyResult, unchanged: 1 }]);
});

test('fails only the pending meetings that it cannot request again', async () => {
  const replies: readonly (readonly [id: string, Reply | undefined, string])[] = [
    ['a', [500, { error: 'Oh no.' }], 'Oh no.'],
    ['b', [200, []], 'The response is JSON, but not a record.'],
    ['c', [200, { title: 'One' }], 'The response to GET /v1/calendar_events/c has a record without an id.'],
    ['..', undefined, '".." is not an id.'],
  ];
  const { run, service } = await startHost([
    ...replies.map(([id]) => createMeeting(id, 'One', 'processing')),
    updatedMeeting('z', 'Two', newestMeeting.updated_at, 'processing'),
  ]);
  expect(await run()).toEqual({ ...emptyResult, new: 5, pending: 5 });
  for (const [id, reply] of replies) if (reply) service.responses.set(`/v1/calendar_events/${id}`, reply);
  const { failed, pending } = await run();
  const reasons = new Map(failed.map(({ id, reason }) => [id, reason]));
  expect(reasons).toEqual(new Map(replies.map(([id, , reason]) => [id, reason])));
  expect(pending).toBe(5);
  service.responses.clear();
  expect(await run()).toMatchObject({ unchanged: 4, pending: 5, failed: [{ id: '..' }] });
});

const recordings = ['x', 'y'].map((id) => ({ id, status: 'done' }));
const createPartMeeting = (more = {}) => createMeeting('a', 'One', 'done', { recordings, ...more });

test.each([
  ['an event', { id: undefined }, 'a record'],
  ['a recording', { recordings: [{ status: 'done' }] }, 'an item of recordings'],
])('stops if the service lists %s without an id', async (_, fields, found) => {
  const nameless = { ...createMeeting('a', 'One'), ...fields } as ReturnType<typeof createMeeting>;
  const { folder, run } = await startHost([createMeeting('b', 'Two'), nameless]);
  await expect(run()).rejects.toMatchObject({
    code: 'failed',
    message: `The response to GET /v1/calendar_events has ${found} without an id.`,
  });
  expect(readTexts(folder)).toEqual({});
});

test.each(['title', 'id', 'updated_at', 'start_at', 'attendees', 'recordings'])(
  'fails at most the meeting whose %s is not a string',
  async (field) => {
    const odd = { ...createMeeting('a', 'One'), [field]: { toString: 'x', valueOf: 1 } };
    const { run, folder } = await startHost([
      odd as ReturnType<typeof createMeeting>,
      createMeeting('b', 'Two'),
    ]);
    const { new: added, failed } = await run();
    expect(added + failed.length).toBe(2);
    expect(Object.keys(readTexts(folder))).toContain('2026-10-01-two-b.md');
  },
);

test('fails only the meeting of a recording whose id cannot be part of a path', async () => {
  const withRecording = (id: string) => ({ recordings: [{ id, status: 'done' }] });
  const { run, takeRequests } = await startHost([
    createMeeting('a', 'One', 'done', withRecording('../calendar_events')),
    createMeeting('b', 'Two', 'done', withRecording('..')),
  ]);
  const failed = [{ id: 'b', title: 'Two', reason: '".." is not an id.' }];
  expect(await run()).toEqual({ ...emptyResult, new: 1, failed });
  expect(takeRequests()[1]).toBe('/v1/recordings/../calendar_events');
});

test('writes one safe and stable name for each hostile title and id', async () => {
  const titles = [
    ['a'.repeat(300), 'a'.repeat(120)],
    ['../../etc/passwd', 'etc-passwd'],
    ['\u001b[2J\u001b]0;owned\u0007', '2j-0-owned'],
    ['half \ud83d', 'half'],
    ['.kith-export.jsonl', 'kith-export-jsonl'],
  ] as const;
  const ids = ['aB', 'ab', 'a/b', '..', '👋'.repeat(40), '__proto__'];
  const { folder, run } = await startHost([
    ...titles.map(([title], index) => createMeeting(`${index}`, title)),
    ...ids.map((id) => createMeeting(id, '../../Weekly', '')),
  ]);
  const count = titles.length + ids.length;
  expect(await run()).toEqual({ ...emptyResult, new: count });
  expect(await run({ full: true })).toEqual({ ...emptyResult, unchanged: count });
  const names = readdirSync(folder);
  for (const [index, [, slug]] of titles.entries()) {
    const name = `2026-10-01-${slug}-${index}.md`;
    expect(names).toContain(name);
    expect(readFileSync(join(folder, name), 'utf8')).not.toMatch(/[^\P{Cc}\n\t]/u);
  }
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(count + 1);
  expect(listFiles(dirname(folder)).length).toBe(count + 1);
});

const name = '2026-10-01-one-a.md';
const unavailable = (is_new: boolean) => [{ id: 'x', name, is_new }];

/** Starts a service that lists two recordings of a meeting but has only the second. */
async function startWithoutRecording() {
  const host = await startHost([createPartMeeting()]);
  host.service.responses.set('/v1/recordings/x', [404, { error: 'Gone.' }]);
  return host;
}

/** Returns the states of the recordings in the ledger. */
const readStates = (folder: string) =>
  readLedgerLines(folder).flatMap(({ meeting }) =>
    ((meeting as { recordings?: { id: string; state: string }[] })?.recordings ?? []).map(
      ({ id, state }) => `${id} ${state}`,
    ),
  );

test.each([404, 410])(
  'marks a listed recording that returns %i as unavailable, and exports the rest of its meeting',
  async (status) => {
    const { folder, run, service } = await startWithoutRecording();
    service.responses.set('/v1/recordings/x', [status, { error: 'Gone.' }]);
    const contents = { transcript: false, with: ['json', 'txt'] } as const;
    expect(await run({ contents })).toEqual({ ...emptyResult, new: 1, unavailable: unavailable(true) });
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
    expect(readStates(folder)).toEqual(['x gone', 'y exported']);
  },
);

test('requests an unavailable recording again after a day or an update, and exports it once it is available', async () => {
  const { folder, run, takeRequests, service } = await startWithoutRecording();
  const updateAt = (updated_at: string) => {
    service.meetings = [createPartMeeting({ updated_at })];
  };
  const runAt = async (time: string) => {
    service.clock = new Date(time);
    takeRequests();
    const { unavailable, failed } = await run();
    expect(failed).toEqual([]);
    return [unavailable, takeRequests().includes('/v1/recordings/x')];
  };
  updateAt('2026-11-20T09:59:00.000Z');
  expect(await runAt('2026-11-20T10:00:00Z')).toEqual([unavailable(true), true]);
  // The overlap lists it again.
  expect(await runAt('2026-11-20T10:00:00Z')).toEqual([unavailable(false), false]);
  updateAt('2026-11-20T10:30:00.000Z');
  expect(await runAt('2026-11-20T11:00:00Z')).toEqual([unavailable(false), true]);
  expect(await runAt('2026-11-20T12:00:00Z')).toEqual([unavailable(false), false]);
  expect(await runAt('2026-11-21T12:00:00Z')).toEqual([unavailable(false), true]);
  service.responses.clear();
  expect(await runAt('2026-11-22T12:00:00Z')).toEqual([[], true]);
  expect(readTexts(folder)[name]).toContain('## Recording 1\n\n### Summary\n\nOf x.');
  expect(readStates(folder)).toEqual(['x exported', 'y exported']);
});

const soon = '2026-11-20T09:59:00.000Z';

test.each<[string, ids: readonly string[], fields: { updated_at?: string }, clock: string]>([
  ['an exported recording, after an update', [], { updated_at: soon }, '2026-11-20T10:00:00Z'],
  ['an unavailable recording, after an update', ['x'], { updated_at: soon }, '2026-11-20T10:00:00Z'],
  ['an exported recording, on a full list without an update', [], {}, '2026-11-21T10:00:00Z'],
])(
  'notices that a meeting no longer lists %s, and does not request it again',
  async (_, ids, fields, clock) => {
    const { folder, run, takeRequests, service } = await startHost([createPartMeeting()]);
    for (const id of ids) service.responses.set(`/v1/recordings/${id}`, [404, {}]);
    await run();
    service.meetings = [createPartMeeting({ ...fields, recordings: recordings.slice(1) })];
    service.clock = new Date(clock);
    expect(await run()).toEqual({ ...emptyResult, updated: 1 });
    expect(readStates(folder)).toEqual(['y exported', 'x gone']);
    service.clock = new Date('2026-11-22T10:00:00Z');
    takeRequests();
    expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
    expect(takeRequests()).toEqual([listRequest()]);
  },
);

test('fails the meeting if another recording of it fails', async () => {
  const { run, service } = await startWithoutRecording();
  service.responses.set('/v1/recordings/y', [422, { error: 'Odd.' }]);
  expect(await run()).toEqual({ ...emptyResult, failed: [{ id: 'a', title: 'One', reason: 'Odd.' }] });
});

test('counts a recording as pending if it turns out to be unfinished', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One')]);
  service.responses.set('/v1/recordings/r-a', [404, {}]);
  service.onResponse = (url) => {
    if (url.includes('first')) service.meetings = [createMeeting('a', 'One', 'processing')];
  };
  expect(await run()).toEqual({ ...emptyResult, new: 1, pending: 1 });
  expect(readStates(folder)).toEqual(['r-a pending']);
});

test('counts a meeting that is deleted upstream during its export as deleted, not as failed', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One'), createMeeting('b', 'Two')]);
  await run();
  const texts = readTexts(folder);
  service.meetings = ['a', 'c'].map((id) => updatedMeeting(id, 'One', '2026-11-20T10:00:00.000Z'));
  service.responses.set('/v1/recordings/r-a', [404, {}]).set('/v1/recordings/r-c', [404, {}]);
  service.onResponse = (url) => {
    if (url.includes('first')) service.meetings = [];
  };
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1, deleted_upstream: 1 });
  expect(readTexts(folder)).toEqual(texts);
});

test('exports the rest of a meeting if one recording is deleted upstream during the export', async () => {
  const { folder, run, service } = await startHost([createPartMeeting()]);
  await run();
  service.meetings = [createPartMeeting({ updated_at: '2026-11-20T10:00:00.000Z' })];
  service.responses.set('/v1/recordings/y', [404, {}]);
  service.onResponse = (url) => {
    if (url.includes('first')) service.meetings = [createPartMeeting({ recordings: recordings.slice(0, 1) })];
  };
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readTexts(folder)[name]?.split('\n# ')[1]).toBe('One\n\n## Summary\n\nOf x.\n');
  expect(readStates(folder)).toEqual(['x exported', 'y gone']);
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

test('warns once about a listed recording that returns 404, even with --quiet; verify finds no difference', async () => {
  const { folder, service, kith } = await startWithoutRecording();
  service.clock = new Date();
  const exportArgs = ['events', 'export', '--out', folder];
  const message = `kith: ${name}: the service lists the recording x but does not have it (404).\n`;
  expect(await kith([...exportArgs, '--quiet'])).toEqual({ code: 0, out: '', err: message });
  const counts = '0 new, 0 updated, 1 unchanged, 0 pending, 1 unavailable, 0 failed';
  expect(await kith(exportArgs)).toEqual({ code: 0, out: `${folder}: ${counts}\n`, err: '' });
  service.meetings = [createPartMeeting({ updated_at: new Date().toISOString() })];
  const { code, out, err } = await kith([...exportArgs, '--json']);
  expect([code, JSON.parse(out).unavailable, err]).toEqual([0, unavailable(false), '']);
  expect(await kith(['events', 'export', 'verify', folder])).toMatchObject({ code: 0, err: '' });
});

import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTestClient, findRefusingUrl } from '../client/loopback.ts';
import {
  createMeeting,
  createRecording,
  emptyResult,
  exportWithDefaults,
  newestMeeting,
  readLedgerLines,
  readTexts,
  startHost,
  updatedMeeting,
} from './export-host.ts';

const createWeeklyMeetings = (count: number) =>
  Array.from({ length: count }, (_, n) => createMeeting(`m${n}`, 'Weekly'));
const filterRecordings = (urls: readonly string[]) => urls.filter((url) => url.includes('recordings'));
const damagedJson = 'Recording r-b: The response is damaged or truncated JSON.';
const completeBody = JSON.stringify({ data: createRecording('r-b') });
const createSender = (body: string) => (to: ServerResponse) => void to.writeHead(200).end(body);

test.each<[string, readonly [number, unknown] | ((to: ServerResponse) => void), string]>([
  ['500', [500, { error: 'Oh no.' }], 'Oh no.'],
  ['503', [503, {}], 'The service responded with 503.'],
  ['403', [403, { error: 'Not for you.' }], 'Not for you.'],
  ['422', [422, { error: 'Odd.' }], 'Odd.'],
  ['nothing', createSender(''), 'Recording r-b: The response is empty.'],
  [
    'HTML',
    createSender('<html>{"id":1}</html>'),
    'Recording r-b: The response is an HTML page, not a record.',
  ],
  [
    'another record',
    [200, { data: { name: 'x' } }],
    'Recording r-b: The response to GET /v1/recordings/r-b has a record without an id.',
  ],
  ['an array', [200, [createRecording('r-b')]], 'Recording r-b: The response is JSON, but not a record.'],
  [
    'JSON truncated after a bracket',
    createSender(completeBody.slice(0, completeBody.indexOf('}') + 1)),
    damagedJson,
  ],
  [
    'JSON truncated in a string',
    createSender('{"data":{"id":"r-b","status":"done","summary":{"summary":"a}'),
    damagedJson,
  ],
  ['JSON truncated in a key', createSender('{"data":{"id":"r-b","status":"done","summ}'), damagedJson],
  ['a summary that is not valid JSON', createSender(completeBody.replace('"Of', '"\\x Of')), damagedJson],
  ['JSON and more', createSender(`${completeBody}{`), damagedJson],
  [
    'a connection that ends in the middle',
    (to) => {
      to.writeHead(200, { 'content-length': '5000' }).write(completeBody);
      setTimeout(() => to.destroy(), 5);
    },
    'Cannot reach HOST: the connection was closed before the response was complete.',
  ],
])(
  'fails only the meeting of a recording that returns %s, and fetches only that one on the next run',
  async (_, response, reason) => {
    const { folder, run, service, takeRequests, url } = await startHost(
      ['a', 'b', 'c'].map((id) => createMeeting(id, 'One')),
    );
    service.responses.set('/v1/recordings/r-b', response);
    const failed = [{ id: 'b', title: 'One', reason: reason.replace('HOST', url) }];
    expect(await run()).toEqual({ ...emptyResult, new: 2, failed });
    expect(Object.keys(readTexts(folder))).toEqual(['2026-10-01-one-a.md', '2026-10-01-one-c.md']);
    expect(readLedgerLines(folder).slice(1)).toMatchObject([
      { watermark: { filter: {}, made: 'md flat' } },
      { meeting: { id: 'a' } },
      { meeting: { id: 'b', failed: failed[0]?.reason, recordings: [{ id: 'r-b', state: 'failed' }] } },
      { meeting: { id: 'c' } },
    ]);
    service.responses.clear();
    takeRequests();
    expect(await run()).toEqual({ ...emptyResult, new: 1, unchanged: 2 });
    expect(filterRecordings(takeRequests())).toEqual(['/v1/recordings/r-b']);
    await run();
    expect(filterRecordings(takeRequests())).toEqual([]);
  },
);

test('fails on a transcript that is not valid JSON, even if no transcript is exported', async () => {
  const { run, service } = await startHost([createMeeting('b', 'One')]);
  service.responses.set('/v1/recordings/r-b', createSender(completeBody.replace('"Hello"', 'Hello')));
  expect(await run()).toEqual({ ...emptyResult, failed: [{ id: 'b', title: 'One', reason: damagedJson }] });
});

test('writes no file from a truncated response, wherever it is truncated', async () => {
  const lengths = Array.from({ length: 40 }, (_, n) => Math.floor((n * completeBody.length) / 40));
  const { folder, run, service } = await startHost(
    lengths.map((length) => createMeeting(`m${length}`, 'One')),
  );
  for (const length of lengths)
    service.responses.set(`/v1/recordings/r-m${length}`, createSender(completeBody.slice(0, length)));
  const { failed } = await run({ contents: { transcript: false, with: ['json'] } });
  expect([failed.length, readTexts(folder)]).toEqual([lengths.length, {}]);
});

test('names the 5 % of recordings that return 500, and fetches exactly those on the next run', async () => {
  const { run, service, takeRequests } = await startHost(createWeeklyMeetings(200));
  const failingIds = Array.from({ length: 10 }, (_, n) => `m${n * 20 + 7}`);
  for (const id of failingIds) service.responses.set(`/v1/recordings/r-${id}`, [500, {}]);
  const { failed, ...counts } = await run();
  expect(counts).toMatchObject({ new: 190 });
  expect(failed.map(({ id }) => id).sort()).toEqual([...failingIds].sort());
  takeRequests();
  expect((await run()).failed.length).toBe(10);
  const retriedUrls = failingIds.map((id) => `/v1/recordings/r-${id}`).sort();
  expect(filterRecordings(takeRequests()).sort()).toEqual(retriedUrls);
  service.responses.clear();
  expect(await run()).toEqual({ ...emptyResult, new: 10, unchanged: 190 });
  expect(filterRecordings(takeRequests()).sort()).toEqual(retriedUrls);
});

test('stops early if every recording fails', async () => {
  const { folder, run, service, takeRequests } = await startHost(createWeeklyMeetings(80));
  for (const { recordings } of service.meetings) {
    service.responses.set(`/v1/recordings/${recordings[0]?.id}`, [500, { error: 'Oh no.' }]);
  }
  await expect(run()).rejects.toMatchObject({ code: 'unavailable', message: 'Oh no.' });
  expect(filterRecordings(takeRequests()).length).toBeLessThan(20);
  expect(readTexts(folder)).toEqual({});
});

test('exports the meetings behind a long row of broken recordings after some runs', async () => {
  const { run, service } = await startHost(createWeeklyMeetings(60));
  for (let n = 0; n < 30; n += 1) service.responses.set(`/v1/recordings/r-m${n}`, [500, {}]);
  const outcomes = [];
  for (let count = 0; count < 5; count += 1) outcomes.push(await run().catch(({ code }) => code));
  const last = outcomes.at(-1);
  expect(last.failed.length).toBe(30);
  expect(last).toMatchObject({ new: 0, unchanged: 30 });
});

test('does not give up on a row of broken recordings after many good ones', async () => {
  const { run, service } = await startHost(createWeeklyMeetings(60));
  for (let n = 30; n < 50; n += 1) service.responses.set(`/v1/recordings/r-m${n}`, [500, {}]);
  expect(await run({ concurrency: 1 })).toMatchObject({ new: 40 });
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
  expect(names.filter((name) => !/^(?:2026-10-01-weekly-m\d+\.md|\.kith-export\.jsonl)$/.test(name))).toEqual(
    [],
  );
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

test('ends the run if the service disappears, and continues on the next run', async () => {
  const { run, service, takeRequests } = await startHost(createWeeklyMeetings(60));
  let fetched = 0;
  for (const { recordings } of service.meetings) {
    const id = recordings[0]?.id ?? '';
    service.responses.set(`/v1/recordings/${id}`, (to) => {
      fetched += 1;
      if (fetched > 5) to.destroy();
      else to.writeHead(200).end(JSON.stringify(createRecording(id)));
    });
  }
  await expect(run()).rejects.toMatchObject({ code: 'network' });
  expect(fetched).toBeLessThan(40);
  service.responses.clear();
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, new: 55, unchanged: 5 });
  expect(filterRecordings(takeRequests()).length).toBe(55);
});

test('counts a meeting that is deleted upstream during its export as deleted, not as failed', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One'), createMeeting('b', 'Two')]);
  await run();
  const texts = readTexts(folder);
  service.meetings = [
    createMeeting('a', 'One', 'done', { updated_at: '2026-11-20T10:00:00.000Z' }),
    createMeeting('c', 'Three', 'done', { updated_at: '2026-11-20T10:00:00.000Z' }),
  ];
  service.responses.set('/v1/recordings/r-a', [404, {}]).set('/v1/recordings/r-c', [404, {}]);
  service.onResponse = (url) => {
    if (url.includes('first')) service.meetings = [];
  };
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1, deleted_upstream: 1 });
  expect(readTexts(folder)).toEqual(texts);
});

test('exports the rest of a meeting if one recording is deleted upstream during the export', async () => {
  const recordings = [
    { id: 'x', status: 'done' },
    { id: 'y', status: 'done' },
  ];
  const { folder, run, service } = await startHost([createMeeting('a', 'One', 'done', { recordings })]);
  await run();
  service.meetings = [
    createMeeting('a', 'One', 'done', { recordings, updated_at: '2026-11-20T10:00:00.000Z' }),
  ];
  service.responses.set('/v1/recordings/y', [404, {}]);
  service.onResponse = (url) => {
    const [remaining] = recordings;
    if (url.includes('first') && remaining)
      service.meetings = [createMeeting('a', 'One', 'done', { recordings: [remaining] })];
  };
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readTexts(folder)['2026-10-01-one-a.md']?.split('\n# ')[1]).toBe('One\n\n## Summary\n\nOf x.\n');
  expect(readLedgerLines(folder).at(-1)).toMatchObject({
    meeting: {
      recordings: [
        { id: 'x', state: 'exported' },
        { id: 'y', state: 'gone' },
      ],
    },
  });
});

test.each<[string, readonly [number, unknown], string]>([
  ['500', [500, { error: 'Oh no.' }], 'Oh no.'],
  ['a list', [200, []], 'The response is JSON, but not a record.'],
  [
    'a record without an id',
    [200, { title: 'One' }],
    'The response to GET /v1/calendar_events/a has a record without an id.',
  ],
])('fails only the pending meeting that returns %s', async (_, response, reason) => {
  const { run, service } = await startHost([
    createMeeting('a', 'One', 'processing'),
    updatedMeeting('b', 'Two', newestMeeting.updated_at, 'processing'),
  ]);
  await run();
  service.responses.set('/v1/calendar_events/a', response);
  const { failed, pending } = await run();
  expect([failed.map(({ reason }) => reason), pending]).toEqual([[reason], 2]);
  service.responses.clear();
  expect(await run()).toMatchObject({ unchanged: 2, pending: 2, failed: [] });
});

test('fails only the pending meeting whose id cannot be part of a path', async () => {
  const { run } = await startHost([
    createMeeting('..', 'One', 'processing'),
    updatedMeeting('b', 'Two', newestMeeting.updated_at, 'processing'),
  ]);
  expect(await run()).toEqual({ ...emptyResult, new: 2, pending: 2 });
  const failed = [{ id: '..', title: 'One', reason: '".." is not an id.' }];
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1, pending: 2, failed });
});

test.each([
  ['an event', ({ id: _, ...nameless }: ReturnType<typeof createMeeting>) => nameless, 'a record'],
  [
    'a recording',
    (meeting: ReturnType<typeof createMeeting>) => ({ ...meeting, recordings: [{ status: 'done' }] }),
    'an item of recordings',
  ],
])('stops if the service lists %s without an id', async (_, change, found) => {
  const { folder, run } = await startHost([createMeeting('b', 'Two'), change(createMeeting('a', 'One'))]);
  await expect(run()).rejects.toMatchObject({
    code: 'failed',
    message: `The response to GET /v1/calendar_events has ${found} without an id.`,
  });
  expect(readTexts(folder)).toEqual({});
});

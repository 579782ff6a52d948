import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SkippedSource } from '../../../src/transcripts/grep/grep.ts';
import { searchService } from '../../../src/transcripts/grep/search-service.ts';
import { createTestClient, sendJson, sendPage, startTestService } from '../../client/loopback.ts';

const createMeeting = (id: string, ...statuses: string[]) => ({
  id,
  title: `Meeting ${id}`,
  start_at: '2026-10-01T09:00:00.000+09:00',
  recordings: statuses.map((status, index) => ({ id: `${id}${index}`, status })),
});

const createTranscript = (text: string) => [
  { participant: { name: 'Ada' }, words: [{ text, start_timestamp: { relative: 1 } }] },
];

/** Starts a service with slow recordings that counts parallel requests. */
async function searchHosted(
  meetings: readonly unknown[],
  recording: (id: string) => readonly [status: number, body: unknown] = (id) => [
    200,
    { data: { id, transcript: createTranscript(`ice of ${id}`) } },
  ],
) {
  const load = { now: 0, most: 0 };
  const { url, requests } = await startTestService(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://x');
    const [, id] = /^\/v1\/recordings\/(.+)$/.exec(pathname) ?? [];
    if (id === undefined) return sendPage(response, request.url, meetings);
    load.now += 1;
    load.most = Math.max(load.most, load.now);
    // The first recording of every four is the slowest.
    await wait(id.charCodeAt(0) % 4 === 0 ? 40 : 5);
    load.now -= 1;
    sendJson(response, ...recording(id));
  });
  const skipped: SkippedSource[] = [];
  const progress: string[] = [];
  const batches = searchService({
    client: createTestClient(url, 0).client,
    filters: { contact_id: 'c1' },
    search: { pattern: /ice/gu, context: 0 },
    onSkipped: (what) => skipped.push(what),
    onProgress: (done, total) => progress.push(`${done}/${total}`),
  });
  return { batches, requests, load, skipped, progress };
}

test('fetches four finished recordings at once, and yields their hits in order', async () => {
  const meetings = Array.from('abcdefghijklmnopqrstuvwxyz', (id) =>
    createMeeting(id, 'done', 'processing', 'done'),
  );
  const { batches, load, requests, progress } = await searchHosted(meetings);
  const texts: string[] = [];
  for await (const batch of batches)
    texts.push(...batch.map(({ recording_id, text }) => `${recording_id}: ${text}`));
  expect(texts).toEqual(meetings.flatMap(({ id }) => [`${id}0: ice of ${id}0`, `${id}2: ice of ${id}2`]));
  expect(load.most).toBe(4);
  expect(requests[0]?.url).toBe('/v1/calendar_events?contact_id=c1&first=50&after=0');
  expect([progress.length, progress.at(-1)]).toEqual([26, '26/26']);
});

test('adds the meeting to each hit', async () => {
  const { batches } = await searchHosted([
    createMeeting('a', 'done'),
    { id: 5, recordings: [{ id: 7, status: 'done' }] },
  ]);
  const hits = [];
  for await (const batch of batches) hits.push(...batch);
  const hit = {
    at: 1,
    time: '00:01',
    speaker: 'Ada',
    matches: [{ text: 'ice', start: 0, end: 3 }],
    before: [],
    after: [],
  };
  expect(hits).toEqual([
    {
      event_id: 'a',
      recording_id: 'a0',
      title: 'Meeting a',
      start_at: '2026-10-01T09:00:00.000+09:00',
      text: 'ice of a0',
      ...hit,
    },
    { event_id: '5', recording_id: '7', title: '', start_at: '', text: 'ice of 7', ...hit },
  ]);
});

test('names a recording that returns 404, and finds nothing in one without a transcript', async () => {
  const { batches, skipped } = await searchHosted([createMeeting('a', 'done', 'done', 'done')], (id) =>
    id === 'a0'
      ? [404, { error: 'It is gone.' }]
      : [200, { data: { id, transcript: id === 'a1' ? null : createTranscript('ice') } }],
  );
  const ids = [];
  for await (const batch of batches) ids.push(batch.map(({ recording_id }) => recording_id));
  expect([ids, skipped]).toEqual([[['a2']], [{ name: 'a0 "Meeting a"', reason: 'It is gone.' }]]);
});

test('ends the search at a failure that concerns all recordings', async () => {
  const { batches } = await searchHosted([createMeeting('d', 'done'), createMeeting('e', 'done')], (id) =>
    id === 'e0' ? [401, { error: 'No.' }] : [200, { data: { id, transcript: createTranscript('ice') } }],
  );
  expect((await batches.next()).value).toHaveLength(1);
  await expect(batches.next()).rejects.toMatchObject({ code: 'unauthorized' });
});

test('sends no more requests once the caller stops reading', async () => {
  const { batches, requests } = await searchHosted(
    Array.from('abcdefghijkl', (id) => createMeeting(id, 'done')),
  );
  for await (const _ of batches) break;
  await wait(60);
  expect(requests.length).toBe(1 + 4);
});

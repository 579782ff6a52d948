import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createMeeting,
  createRecording,
  emptyResult,
  listFiles,
  listRequest,
  readLedgerLines,
  readTexts,
  startHost,
} from './export-host.ts';

const contents = { transcript: true, with: ['json', 'txt'] } as const;
const byMonth = { contents, layout: 'by-month' } as const;
const month = '2026-10/2026-10-01-one-a';
const filesOfOne = [`${month}.json`, `${month}.md`, `${month}.txt`];

/** Exports meetings of every kind with the flat layout. */
async function exportFlat() {
  const host = await startHost([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two', 'processing'),
    createMeeting('c', 'Three', 'done', { start_at: '2026-11-01T09:00:00.000+09:00' }),
    createMeeting('d', 'Four'),
  ]);
  host.service.responses.set('/v1/recordings/r-d', [404, {}]);
  await host.run({ contents });
  host.takeRequests();
  const takeRecordingRequests = () => host.takeRequests().filter((url) => url.includes('recordings'));
  return {
    ...host,
    takeRecordingRequests,
    path: (name: string) => join(host.folder, name),
  };
}

/** Returns the ledger by meeting, without file names. */
const createLayoutError = (folder: string) =>
  readLedgerLines(folder).flatMap(({ meeting }) =>
    meeting ? [JSON.parse(JSON.stringify(meeting).replaceAll(/\d{4}-\d\d\/|flat|by-month/g, ''))] : [],
  );

test('moves the files to another layout without fetching anything', async () => {
  const { folder, run, takeRequests, service } = await exportFlat();
  service.meetings.pop();
  const before = readTexts(folder);
  const ledger = createLayoutError(folder);
  expect(await run(byMonth)).toEqual({ ...emptyResult, updated: 3, pending: 1, deleted_upstream: 1 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/calendar_events/d']);
  const movedFiles = Object.entries(before).map(([name, text]) =>
    name.includes('four') ? [name, text] : [`${name.slice(0, 7)}/${name}`, text],
  );
  expect(readTexts(folder)).toEqual(Object.fromEntries(movedFiles));
  expect(createLayoutError(folder).slice(0, 3)).toEqual(ledger.slice(0, 3));
  expect(await run(byMonth)).toMatchObject({ new: 0, updated: 0, unchanged: 3 });
  expect(takeRequests().length).toBe(2);
});

test.each([undefined, 0])('requests an unavailable recording again, also with --since', async (since) => {
  const { folder, run, takeRecordingRequests } = await exportFlat();
  const unavailable = [{ id: 'r-d', name: '2026-10/2026-10-01-four-d.md', is_new: false }];
  expect(await run({ ...byMonth, since })).toEqual({ ...emptyResult, updated: 4, pending: 1, unavailable });
  expect(takeRecordingRequests()).toEqual(['/v1/recordings/r-d']);
  expect(createLayoutError(folder).at(-1)).toMatchObject({
    recordings: [{ id: 'r-d', state: 'gone' }],
  });
});

test('moves an edited file without fetching anything', async () => {
  const { folder, run, takeRecordingRequests, path } = await exportFlat();
  appendFileSync(path('2026-10-01-one-a.md'), 'mine');
  const text = readTexts(folder)['2026-10-01-one-a.md'];
  expect(await run(byMonth)).toMatchObject({ updated: 4, failed: [], edited: [] });
  expect(takeRecordingRequests()).toEqual(['/v1/recordings/r-d']);
  expect(listFiles(folder).filter((name) => name.includes('one-a'))).toEqual(filesOfOne);
  expect(readTexts(folder)[`${month}.md`]).toBe(text);
});

test('fetches a meeting again if one of its files is missing', async () => {
  const { folder, run, takeRecordingRequests, path } = await exportFlat();
  rmSync(path('2026-10-01-one-a.json'));
  expect(await run(byMonth)).toMatchObject({ updated: 4, failed: [], edited: [] });
  expect(takeRecordingRequests().sort()).toEqual(['/v1/recordings/r-a', '/v1/recordings/r-d']);
  expect(listFiles(folder).filter((name) => name.includes('one-a'))).toEqual(filesOfOne);
});

test('fails only the meeting that has a folder in place of its file', async () => {
  const { folder, run, path } = await exportFlat();
  rmSync(path('2026-10-01-one-a.json'));
  mkdirSync(path('2026-10-01-one-a.json'));
  const reason = `Cannot read ${join(folder, '2026-10-01-one-a.json')}: it is a folder, not a file.`;
  expect(await run(byMonth)).toMatchObject({ updated: 3, failed: [{ id: 'a', reason }] });
});

test('does not overwrite another file at the new path', async () => {
  const { folder, run, path } = await exportFlat();
  mkdirSync(path('2026-10'));
  writeFileSync(path(`${month}.md`), 'not of the export');
  const text = readTexts(folder)['2026-10-01-one-a.md'];
  expect(await run(byMonth)).toMatchObject({ updated: 4, edited: [`${month}.md`] });
  expect(readTexts(folder)).toMatchObject({
    [`${month}.md`]: 'not of the export',
    [`${month}.new.md`]: text,
    '2026-10-01-one-a.md': text,
  });
});

test('fetches everything again if contents and layout change together', async () => {
  const { folder, run, takeRecordingRequests } = await exportFlat();
  await run({ layout: 'by-month', contents: { transcript: false, with: [] } });
  expect(takeRecordingRequests().sort()).toEqual(['a', 'c', 'd'].map((id) => `/v1/recordings/r-${id}`));
  expect(readTexts(folder)[`${month}.md`]).not.toContain('Transcript');
});

const word = { text: 'Hello.', start_timestamp: { relative: 1 }, end_timestamp: { relative: 2 } };
const timed = createRecording('r-a', { transcript: [{ participant: { name: 'Ada' }, words: [word] }] });
const subtitles = { transcript: false, with: ['vtt', 'srt'] } as const;

test('writes subtitle files next to the Markdown', async () => {
  const { service, run, folder } = await startHost([createMeeting('a', 'Talk')]);
  service.responses.set('/v1/recordings/r-a', [200, { data: timed }]);
  expect(await run({ contents: subtitles })).toEqual({ ...emptyResult, new: 1 });
  const texts = readTexts(folder);
  expect(Object.keys(texts).sort()).toEqual([
    '2026-10-01-talk-a.md',
    '2026-10-01-talk-a.srt',
    '2026-10-01-talk-a.vtt',
  ]);
  expect(texts['2026-10-01-talk-a.vtt']).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ada>Hello.\n');
  expect(texts['2026-10-01-talk-a.srt']).toBe('1\n00:00:01,000 --> 00:00:02,000\nAda: Hello.\n');
});

test('exports a meeting without subtitles if its transcript has no times, and reports this', async () => {
  const { run, folder, takeRequests } = await startHost([createMeeting('a', 'Talk')]);
  const reason = 'Subtitles need a time for every word, but "Hello" in utterance 1 has none.';
  const skipped = [{ name: '2026-10-01-talk-a.md', reason }];
  expect(await run({ contents: subtitles })).toEqual({ ...emptyResult, new: 1, skipped });
  expect(Object.keys(readTexts(folder))).toEqual(['2026-10-01-talk-a.md']);
  takeRequests();
  expect(await run({ contents: subtitles })).toEqual({ ...emptyResult, unchanged: 1 });
  expect(takeRequests().filter((path) => path.includes('recordings'))).toEqual([]);
});

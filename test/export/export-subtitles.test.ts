import { expect, test } from 'vitest';
import { createMeeting, createRecording, emptyResult, readTexts, startHost } from './export-host.ts';

const word = { text: 'Hello.', start_timestamp: { relative: 1 }, end_timestamp: { relative: 2 } };
const timed = createRecording('r-a', { transcript: [{ participant: { name: 'Ada' }, words: [word] }] });
const contents = { transcript: false, with: ['vtt', 'srt'] } as const;

test('writes subtitle files next to the Markdown', async () => {
  const { service, run, folder } = await startHost([createMeeting('a', 'Talk')]);
  service.responses.set('/v1/recordings/r-a', [200, { data: timed }]);
  expect(await run({ contents })).toEqual({ ...emptyResult, new: 1 });
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
  expect(await run({ contents })).toEqual({ ...emptyResult, new: 1, skipped });
  expect(Object.keys(readTexts(folder))).toEqual(['2026-10-01-talk-a.md']);
  takeRequests();
  expect(await run({ contents })).toEqual({ ...emptyResult, unchanged: 1 });
  expect(takeRequests().filter((path) => path.includes('recordings'))).toEqual([]);
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { calendarEvents } from '../../../src/contract/calendar-events.ts';
import { createRecordNormalizer } from '../../../src/contract/received.ts';
import { renderMeeting } from '../../../src/export/meeting-files.ts';
import type { SkippedSource } from '../../../src/transcripts/grep/grep.ts';
import { searchFolder } from '../../../src/transcripts/grep/search-folder.ts';
import { formatTranscript } from '../../../src/transcripts/transcript.ts';
import { createTemporaryFolder } from '../../support/kith.ts';

const toEvent = createRecordNormalizer(calendarEvents.get);

const createTranscript = (text: string) => [
  {
    participant: { name: 'Ada' },
    words: text.split(' ').map((text, index) => ({ text, start_timestamp: { relative: 70 + index } })),
  },
  { participant: { name: '' }, words: [{ text: 'Hm.', start_timestamp: { relative: 4000 } }] },
];

const createEvent = (id: string, start_at: string, recordings: readonly string[]) => ({
  id,
  title: `Meeting "${id}"`,
  start_at,
  attendees: [],
  recordings: recordings.map((id) => ({ id, status: 'done' as const })),
});

/** Writes JSON like `kith meetings export --with json`. A recording is done if it has a text. */
const formatJson = (id: string, start_at: string, recordings: Readonly<Record<string, string>>) =>
  JSON.stringify({
    calendar_event: createEvent(id, start_at, Object.keys(recordings)),
    recordings: Object.entries(recordings).map(([id, text]) => ({ id, transcript: createTranscript(text) })),
  });

/** Writes Markdown like `kith meetings export --transcript`. */
const formatMarkdown = (id: string, start_at: string, recordings: Readonly<Record<string, string>>) => {
  const event = createEvent(id, start_at, Object.keys(recordings));
  const parts = Object.entries(recordings).map(([id]) => ({
    id,
    status: 'done' as const,
    summary: { summary: `Of ${id}.` },
  }));
  const level = parts.length > 1 ? '###' : '##';
  return Object.entries(recordings).reduce(
    (text, [id, spokenText]) => {
      const transcriptText = `\n${level} Transcript\n\n${formatTranscript(createTranscript(spokenText), { timestamps: true })}`;
      return text.replace(`Of ${id}.\n`, (summary) => `${summary}${transcriptText}`);
    },
    renderMeeting(toEvent(event), parts),
  );
};

const mayTime = '2026-05-01T09:00:00.000+09:00';
const june = '2026-06-01T09:00:00.000+09:00';

function createFolder(files: Readonly<Record<string, string>>): string {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Searches a folder, and returns the hits and the skipped files. */
async function search(
  folder: string,
  more: { pattern?: RegExp; startsAfter?: number; startsBefore?: number } = {},
) {
  const skipped: SkippedSource[] = [];
  const progress: string[] = [];
  const hits = [];
  const searchOptions = {
    folder,
    startsAfter: more.startsAfter,
    startsBefore: more.startsBefore,
    search: { pattern: more.pattern ?? /ice/gu, context: 0 },
    onSkipped: (what: SkippedSource) => skipped.push(what),
    onProgress: (done: number, total: number | undefined) => progress.push(`${done}/${total}`),
  };
  for await (const batch of searchFolder(searchOptions)) hits.push(...batch);
  return { hits, skipped, progress };
}

const readPlaces = async (folder: string, more = {}) =>
  (await search(folder, more)).hits.map(
    ({ event_id, recording_id, text }) => `${event_id} ${recording_id} ${text}`,
  );

test.each([
  ['JSON', formatJson, 72],
  ['Markdown', formatMarkdown, 70],
])('searches the %s of an export with one or several recordings', async (kind, write, index) => {
  const end = kind === 'JSON' ? 'json' : 'md';
  const folder = createFolder({
    [`2026-05-01-a.${end}`]: write('a', mayTime, { r1: 'There is ice.' }),
    [`2026-06-01-b.${end}`]: write('b', june, { r2: 'No snow.', r3: 'Much more ice: here.' }),
  });
  const hit = { title: 'Meeting "b"', start_at: june, speaker: 'Ada', before: [], after: [] };
  expect(await search(folder)).toEqual({
    hits: [
      {
        ...hit,
        event_id: 'b',
        recording_id: 'r3',
        at: index,
        time: index === 72 ? '01:12' : '01:10',
        text: 'Much more ice: here.',
        matches: [{ text: 'ice', start: 10, end: 13 }],
      },
      {
        ...hit,
        ...{ event_id: 'a', recording_id: 'r1', title: 'Meeting "a"', start_at: mayTime },
        at: index,
        time: index === 72 ? '01:12' : '01:10',
        text: 'There is ice.',
        matches: [{ text: 'ice', start: 9, end: 12 }],
      },
    ],
    skipped: [],
    progress: ['1/2', '2/2'],
  });
  const [lateHit] = (await search(folder, { pattern: /Hm/gu })).hits;
  expect(lateHit).toMatchObject({ at: 4000, time: '1:06:40', speaker: '' });
});

test('searches subfolders, latest meeting first, and each meeting once, JSON before Markdown', async () => {
  const folder = createFolder({
    '2026-05/2026-05-01-a.md': formatMarkdown('a', mayTime, { r1: 'ice of Markdown' }),
    '2026-05/2026-05-01-a.json': formatJson('a', mayTime, { r1: 'ice of JSON' }),
    'Acme/2026-05-01-a.json': formatJson('a', mayTime, { r1: 'ice again' }),
    '2026-06/2026-06-01-b.md': formatMarkdown('b', june, { r2: 'ice of June' }),
    '2026-06/2026-06-01-b.json': formatJson('b', june, {}),
    '2026-06/notes.md': '# Notes\n\n## Transcript\n\n[00:01] Ada: ice\n',
    '2026-06/package.json': '{"name":"ice"}',
    '2026-06/list.json': '["ice"]',
    '2026-06/other.md': '---\nid: [\n---\n\nice\n',
    '2026-06/transcript.txt': '[00:01] Ada: ice\n',
    '.kith-export.json': formatJson('c', june, { r: 'ice' }),
    '.git/2026-06-01-d.json': formatJson('d', june, { r: 'ice' }),
  });
  expect(await readPlaces(folder)).toEqual(['b r2 ice of June', 'a r1 ice of JSON']);
});

const monday = '2026-05-04T09:00:00.000Z';
const tuesday = '2026-05-05T09:00:00.000Z';

test.each<[string, string | undefined, string | undefined, string[]]>([
  ['newer Markdown', monday, tuesday, ['a r1 ice of Markdown']],
  ['newer JSON', tuesday, monday, ['a r1 ice of JSON']],
  ['JSON of the same age', monday, monday, ['a r1 ice of JSON']],
  ['JSON if the Markdown has no update time', monday, undefined, ['a r1 ice of JSON']],
  ['Markdown if the JSON has no update time', undefined, monday, ['a r1 ice of Markdown']],
])('searches %s of a meeting', async (_, jsonHits, markdownHits, expected) => {
  const record = JSON.parse(formatJson('a', mayTime, { r1: 'ice of JSON' }));
  const folder = createFolder({
    'a.json': JSON.stringify({
      ...record,
      calendar_event: { ...record.calendar_event, updated_at: jsonHits },
    }),
    'a.md': formatMarkdown('a', mayTime, { r1: 'ice of Markdown' }).replace(
      '---\n',
      `---\n${markdownHits ? `updated_at: "${markdownHits}"\n` : ''}`,
    ),
  });
  expect(await readPlaces(folder)).toEqual(expected);
});

test('searches the JSON if the newer Markdown has no transcript', async () => {
  const emptyMeeting = renderMeeting(
    toEvent({ ...createEvent('a', mayTime, ['r1']), updated_at: tuesday }),
    [],
  );
  const folder = createFolder({
    'a.json': formatJson('a', mayTime, { r1: 'ice of JSON' }),
    'a.md': emptyMeeting,
  });
  expect(await readPlaces(folder)).toEqual(['a r1 ice of JSON']);
});

test.each<[string, string[]]>([
  ['[00:01] Ada: ice: cold', ['ice: cold']],
  ['[100:00:01] Ada: ice\nand snow', ['ice and snow']],
  ['Ada: ice', ['ice']],
  ['[00:01] ice', []],
  ['_This recording has no transcript: ice._', ['ice._']],
])('parses the paragraph %j', async (paragraph, texts) => {
  const text = formatMarkdown('a', mayTime, { r1: 'x' }).replace('[01:10] Ada: x', paragraph);
  const { hits } = await search(createFolder({ 'a.md': text.replaceAll('\n', '\r\n') }));
  expect(hits.map(({ text }) => text)).toEqual(texts);
});

test('searches only the transcript of a Markdown file', async () => {
  const text = formatMarkdown('a', mayTime, { r1: 'snow' }).replace('Of r1.', 'Ada: ice in the summary.');
  expect(await readPlaces(createFolder({ 'a.md': `${text}\n## Notes of mine\n\nAda: ice\n` }))).toEqual([]);
});

test.each([
  [{ startsAfter: Date.parse(june) / 1000 }, ['b']],
  [{ startsAfter: Date.parse(june) / 1000 + 1 }, []],
  [{ startsBefore: Date.parse(june) / 1000 }, ['a']],
  [{ startsAfter: 0, startsBefore: 9_999_999_999 }, ['b', 'a']],
])('searches only meetings that start within %j', async (range, ids) => {
  const folder = createFolder({
    '2026-05-01-a.json': formatJson('a', mayTime, { r1: 'ice' }),
    '2026-06-01-b.md': formatMarkdown('b', june, { r2: 'ice' }),
    '2026-07-01-c.json': formatJson('c', 'some day', { r3: 'ice' }),
  });
  expect((await search(folder, range)).hits.map(({ event_id }) => event_id)).toEqual(ids);
});

test('names unreadable files, and searches the rest', async () => {
  const folder = createFolder({
    '2026-06-01-b.json': '{"calendar_event":',
    '2026-05-01-a.json': formatJson('a', mayTime, { r1: 'ice' }),
  });
  const { hits, skipped } = await search(folder);
  expect([hits.length, skipped]).toEqual([
    1,
    [{ name: '2026-06-01-b.json', reason: 'it is not valid JSON' }],
  ]);
});

test.each([
  ['an empty folder', {}],
  [
    'files without a transcript',
    {
      'a.json': formatJson('a', mayTime, {}),
      'b.md': renderMeeting(toEvent(createEvent('b', june, ['r'])), []),
    },
  ],
])('explains how to export transcripts for %s', async (_, files) => {
  const folder = createFolder(files);
  await expect(search(folder)).rejects.toMatchObject({
    code: 'usage',
    message: `No transcripts in ${folder}.`,
    detail: { hint: `kith meetings export --out ${folder} --transcript` },
  });
});

test('rejects a missing folder and a file', async () => {
  const folder = createFolder({ file: '' });
  const messages = ['nowhere', 'file'].map((name) =>
    search(join(folder, name)).catch(({ code, message }) => [code, message.replace(folder, '')]),
  );
  expect(await Promise.all(messages)).toEqual([
    ['usage', 'Cannot read /nowhere: it does not exist.'],
    ['usage', 'Cannot read /file: a part of its path is not a folder.'],
  ]);
});

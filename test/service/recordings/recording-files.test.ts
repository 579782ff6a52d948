import sql from 'sql-template-tag';
import { expect, inject, test } from 'vitest';
import { openDatabase } from '../../../src/service/db/sqlite/open-workspace.ts';
import { parseSummary, readRecording } from '../../../src/service/recordings/recording-files.ts';
import { renderSummary } from '../../../src/transcripts/summary.ts';

const read = (text: string) => parseSummary({ name: 'notes.md', text }, 'en');
const createPlainSummary = (summary: string) => ({
  summary,
  topics: [],
  action_items: [],
  detected_language: 'en',
});

test('parses what `kith recordings summary` prints, for every meeting of the sample', async () => {
  const db = openDatabase(inject('sample'));
  const rows = await db.all<{ summary: string }>(sql`select summary from recording where status = 'done'`);
  db.close();
  const summaries = rows.map(({ summary }) => JSON.parse(summary));
  expect(summaries).toHaveLength(36);
  const parsedAgain = summaries.map((summary) =>
    parseSummary({ name: 'a.md', text: renderSummary(summary) }, summary.detected_language),
  );
  expect(parsedAgain.map((summary) => renderSummary(summary))).toEqual(
    summaries.map((summary) => renderSummary(summary)),
  );
});

test.each([
  ['Just text.\r\n\r\nMore.\r\n', createPlainSummary('Just text.\n\nMore.')],
  ['# Call\n\nText\n\n## Prices\n\nHigh\n', createPlainSummary('# Call\n\nText\n\n## Prices\n\nHigh')],
  ['## Summary\n\nText\n\n## Next steps\n\n- a\n', createPlainSummary('Text\n\n## Next steps\n\n- a')],
  [
    'Text\n\n## Topics\n\n### One\n\na\n\nb\n\n### Two\n\n## Action items\n\n- [ ] Call\n- [x] Write\n* Ask\n',
    {
      summary: 'Text',
      topics: [
        { title: 'One', content: 'a\n\nb' },
        { title: 'Two', content: '' },
      ],
      action_items: ['Call', 'Write', 'Ask'],
      detected_language: 'en',
    },
  ],
  [
    '## Topics\n\nnone\n\n## Action items\n\nSee - above\n',
    createPlainSummary('## Topics\n\nnone\n\n## Action items\n\nSee - above'),
  ],
  ['', createPlainSummary('')],
])('parses the summary %j', (text, summary) => {
  expect(read(text)).toEqual(summary);
});

const word = { text: 'Hi', start_timestamp: { relative: 0 }, end_timestamp: { relative: 0.4 } };
const utterance = { participant: { name: 'Ann' }, words: [word], language_code: 'ko' };
const summary = { summary: 'S', topics: [], action_items: ['a'], detected_language: 'ko', mood: 'good' };

function readJson(transcript: unknown, summaryText?: string, format: 'json' | 'text' = 'json') {
  const text = typeof transcript === 'string' ? transcript : JSON.stringify(transcript);
  return readRecording({
    transcript: { name: 't.json', format: 'json', text },
    summary: summaryText === undefined ? undefined : { name: 's.json', format, text: summaryText },
    language: undefined,
  });
}

test.each([
  ['an array', readJson([utterance]), null],
  ['an object', readJson({ transcript: [{ ...utterance, extra: 1 }], status: 'done' }), null],
  ['an object with its summary', readJson({ transcript: [utterance], summary }), summary],
  [
    'an object and a JSON summary',
    readJson(
      { transcript: [utterance], summary },
      '{"summary":"T","topics":[],"action_items":[],"detected_language":"ko"}',
    ),
    { ...summary, summary: 'T', action_items: [], mood: undefined },
  ],
  [
    'an array and a text summary',
    readJson([utterance], 'Text', 'text'),
    { ...createPlainSummary('Text'), detected_language: 'ko' },
  ],
])('reads a JSON transcript: %s', (_, found, expected) => {
  expect(found).toEqual({
    transcript: [utterance],
    summary: expected,
    problems: [],
    notes: [],
    language: 'ko',
  });
});

test.each([
  [() => readJson('[\n  {"a": 1}\n'), 'Invalid JSON: '],
  [() => readJson('[1,\n2,\n3 4]'), 't.json, line 3: Invalid JSON: '],
  [() => readJson([]), 't.json: The JSON value must not be empty.'],
  [() => readJson([{ ...utterance, words: [] }]), 't.json: The transcript has no words.'],
  [() => readJson('7'), 't.json: The JSON value must be an object.'],
  [() => readJson({}), 't.json: transcript is required.'],
  [() => readJson([utterance, { ...utterance, participant: {} }]), 't.json: 1.participant.name is required.'],
  [
    () =>
      readJson({ transcript: [{ ...utterance, words: [{ ...word, start_timestamp: { relative: '0' } }] }] }),
    't.json: transcript.0.words.0.start_timestamp.relative must be a number.',
  ],
  [() => readJson([utterance], '{}'), 's.json: summary is required. (and 3 more)'],
])('names the position of an error in JSON: %#', (read, message) => {
  expect(read).toThrow(expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }));
});

test('rejects a language that is not a language code', () => {
  const transcript = { name: 'a.srt', format: 'srt', text: '00:00:01,000 --> 00:00:02,000\nhi' } as const;
  expect(readRecording({ transcript, summary: undefined, language: 'pt-BR' }).language).toBe('pt-BR');
  expect(() => readRecording({ transcript, summary: undefined, language: 'english!' })).toThrow(
    '"english!" is not a language code.',
  );
});

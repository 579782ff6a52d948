import { expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { selectTranscript, type TranscriptSelection } from '../../src/transcripts/transcript-part.ts';
import { parseRawJson, toRawJson } from '../../src/values/raw-json.ts';

/** A transcript with fields, digits and escapes in the service's own form. */
const words = [
  '{"text":"Good","start_timestamp":{"relative":1.10},"end_timestamp":{"relative":1.50},"confidence":0.90}',
  '{"start_timestamp":{"relative":2e0},"text":"morn\\u0069ng.","end_timestamp":{"relative":2.5}}',
  '{"text":"Hi.","start_timestamp":{"relative":3.000},"end_timestamp":{"relative":3.5}}',
  '{"text":"Well.","start_timestamp":{"relative":9},"end_timestamp":{"relative":9.5}}',
];
const [good, morning, hi, well] = words;
const ada = (...words: unknown[]) =>
  `{"language_code":"en","words":[${words.join(',')}],"participant":{"name":"Ada","id":12345678901234567890}}`;
const bo = (...words: unknown[]) =>
  `{ "participant": {"name":"Bo  Lee"}, "words": [ ${words.join(' , ')} ] }`;
const nobody = (...words: unknown[]) => `{"words":[${words.join(',')}]}`;
const sent = `[ ${ada(good, morning)}, ${bo(hi)}, ${nobody(well)} ]`;

test.each<[string, TranscriptSelection, string]>([
  ['no selection', {}, sent],
  ['the whole time range', { from: 0, to: 10 }, `[${ada(good, morning)},${bo(hi)},${nobody(well)}]`],
  ['a start time', { from: 2 }, `[${ada(morning)},${bo(hi)},${nobody(well)}]`],
  ['before a time', { to: 2 }, `[${ada(good)}]`],
  ['between two times', { from: 1.5, to: 9 }, `[${ada(morning)},${bo(hi)}]`],
  ['no time', { from: 2, to: 2 }, '[]'],
  ['a time range without words', { from: 100 }, '[]'],
  ['a speaker, in any case', { speakers: ['bo lee'] }, `[${bo(hi)}]`],
  ['two speakers', { speakers: ['ADA', 'Bo Lee'] }, `[${ada(good, morning)},${bo(hi)}]`],
  ['a speaker without a name', { speakers: ['unknown speaker'] }, `[${nobody(well)}]`],
  ['a speaker at a time', { speakers: ['Ada'], from: 2 }, `[${ada(morning)}]`],
])('keeps the selected words unchanged: %s', (_, part, text) => {
  const result = selectTranscript(parseRawJson(sent), part);
  expect(result.text).toBe(text);
  expect(result.value).toEqual(parseRawJson(text).value);
  expect(selectTranscript(toRawJson(JSON.parse(sent)), part).value).toEqual(JSON.parse(text));
});

test('begins with the utterance of a quote, even if the next one begins in the same second', () => {
  const time = (text: string, relative: number) => ({ text, start_timestamp: { relative } });
  const transcript = [
    { words: [time('Hm.', 5)] },
    { words: [time('Send', 7.1), time('it.', 7.2)] },
    { words: [time('Yes.', 7.8)] },
  ];
  for (const at of [7, 7.1])
    expect(selectTranscript(toRawJson(transcript), { at }).value).toEqual(transcript.slice(1));
  expect(selectTranscript(toRawJson(transcript), { at: 6 }).value).toEqual(transcript);
});

test.each<[string, string, TranscriptSelection, Failure]>([
  [
    'an unknown speaker',
    sent,
    { speakers: ['Ada', 'Bo'] },
    new Failure('not_found', 'No speaker named "Bo" in this recording.', {
      hint: 'Speakers: Ada, Bo Lee, Unknown speaker',
    }),
  ],
  [
    'a speaker in a transcript without speakers',
    'null',
    { speakers: ['Bo'] },
    new Failure('not_found', 'No speaker named "Bo" in this recording.', { hint: 'It has no speakers.' }),
  ],
  [
    'a time range if a word has no time',
    `[${ada(good)},{"words":[{"text":"  "},{"text":"Hm."}]}]`,
    { from: 1 },
    new Failure('failed', '--from and --to need a time for every word, but "Hm." in utterance 2 has none.'),
  ],
])('%s', (_, text, part, failure) => {
  const { code, message, detail } = failure;
  expect(() => selectTranscript(parseRawJson(text), part)).toThrow(
    expect.objectContaining({ code, message, detail }),
  );
});

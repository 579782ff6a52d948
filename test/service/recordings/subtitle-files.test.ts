import { expect, test } from 'vitest';
import type { Utterance } from '../../../src/contract/recordings.ts';
import { parseSubRip, parseWebVtt } from '../../../src/service/recordings/subtitle-files.ts';
import { joinWords } from '../../../src/transcripts/transcript.ts';

const readVtt = (...lines: string[]) =>
  parseWebVtt({ name: 'a.vtt', text: ['WEBVTT', '', ...lines].join('\n') }, 'en');
const readSrt = (...lines: string[]) => parseSubRip({ name: 'a.srt', text: lines.join('\n') }, 'en');
const parseVtt = (...lines: string[]) => readVtt(...lines).transcript;
const parseSrt = (...lines: string[]) => readSrt(...lines).transcript;

/** Formats utterances as `Name: word@start-end`. */
function formatTimes(utterances: readonly Utterance[]): string[] {
  return utterances.map(({ participant, words }) => {
    const timed = words.map(
      ({ text, start_timestamp, end_timestamp }) =>
        `${text}@${start_timestamp.relative}-${end_timestamp.relative}`,
    );
    return `${participant.name}: ${timed.join(' ')}`;
  });
}

/** Formats utterances as `Name: text`. */
const formatTexts = (utterances: readonly Utterance[]) =>
  utterances.map(
    ({ participant, words }) => `${participant.name}: ${joinWords(words.map(({ text }) => text))}`,
  );

test('converts voice tags to utterances with the time of each word', () => {
  expect(
    parseVtt(
      'NOTE made by hand,',
      'over two lines',
      '',
      'STYLE',
      '::cue { color: papayawhip }',
      '',
      'first',
      '00:01.000 --> 00:02.000 align:start',
      '<v.loud Mina Seo>Hello <i>there</i></v>',
      '',
      '00:00:02.000 --> 00:00:03.000',
      '<v Mina Seo>Fish &amp; chips',
      'for two',
      '',
      '01:00:00.500 --> 01:00:01.500',
      '<v Omar>Yes.</v>',
    ),
  ).toEqual([
    {
      participant: { name: 'Mina Seo' },
      language_code: 'en',
      words: [
        { text: 'Hello', start_timestamp: { relative: 1 }, end_timestamp: { relative: 1.5 } },
        { text: 'there', start_timestamp: { relative: 1.5 }, end_timestamp: { relative: 2 } },
        { text: 'Fish', start_timestamp: { relative: 2 }, end_timestamp: { relative: 2.25 } },
        { text: '&', start_timestamp: { relative: 2.25 }, end_timestamp: { relative: 2.313 } },
        { text: 'chips', start_timestamp: { relative: 2.313 }, end_timestamp: { relative: 2.625 } },
        { text: 'for', start_timestamp: { relative: 2.625 }, end_timestamp: { relative: 2.813 } },
        { text: 'two', start_timestamp: { relative: 2.813 }, end_timestamp: { relative: 3 } },
      ],
    },
    {
      participant: { name: 'Omar' },
      language_code: 'en',
      words: [{ text: 'Yes.', start_timestamp: { relative: 3600.5 }, end_timestamp: { relative: 3601.5 } }],
    },
  ]);
});

test('parses SubRip with a byte order mark, CRLF, commas and tags', () => {
  const text =
    '\uFEFF1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}<b>Omar:</b> One\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,500\r\ntwo\r\nMina: Three\r\n';
  expect(formatTimes(parseSubRip({ name: 'a.srt', text }, 'und').transcript)).toEqual([
    'Omar: One@1-2',
    ': two@2-2.375 Mina:@2.375-2.875 Three@2.875-3.5',
  ]);
});

test('starts no word before the previous one ends, even if cues overlap or are unordered', () => {
  const utterances = parseSrt(
    '00:00:04,000 --> 00:00:06,000',
    'B: late',
    '',
    '00:00:01,000 --> 00:00:05,000',
    'A: one two three',
    '',
    '00:00:02,000 --> 00:00:03,000',
    'C: inside',
  );
  const times = utterances.flatMap(({ words }) =>
    words.flatMap(({ start_timestamp, end_timestamp }) => [start_timestamp.relative, end_timestamp.relative]),
  );
  expect(formatTexts(utterances)).toEqual(['A: one two three', 'C: inside', 'B: late']);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect(times.at(-1)).toBe(6);
});

const cue = '00:00:01.000 --> 00:00:02.000';

test.each([
  ['Mina: Hello', ['Mina: Hello']],
  ['김지우: 안녕하세요', ['김지우: 안녕하세요']],
  ['田中：はい、そうです。', ['田中: はい、そうです。']],
  ['Dr. Anna van der Berg: Hello', ['Dr. Anna van der Berg: Hello']],
  ['Speaker 1: Hello', ['Speaker 1: Hello']],
  ['SPEAKER_00: Hello', ['SPEAKER_00: Hello']],
  ['Mina Seo (Tidewater): Hello', ['Mina Seo (Tidewater): Hello']],
  ["So here's the thing: we go", [": So here's the thing: we go"]],
  ['at 10:30 it is', [': at 10:30 it is']],
  ['10: ten', [': 10: ten']],
  ['see https://a.example', [': see https://a.example']],
  ['<v Ann &amp; Bo>Hello', ['Ann & Bo: Hello']],
  ['<v Ann>Hi.</v> <v Bo>Hi: you.</v>', ['Ann: Hi.', 'Bo: Hi: you.']],
  ['<v Ann>Hi.</v> Door', ['Ann: Hi.', ': Door']],
  ['<c.red>a &lt; b &#38; &#x26; &nope; c</c> <00:01.500>d', [': a < b & & &nope; c d']],
  ['会議の「資料」は明日です！はい。', [': 会議の「資料」は明日です！はい。']],
])('finds the speakers in %s', (text, utterances) => {
  expect(formatTexts(parseVtt(cue, text))).toEqual(utterances);
});

test('splits scripts without spaces into words', () => {
  const [utterance] = parseVtt(cue, '会議の「資料」は明日です。');
  const words = utterance?.words.map(({ text }) => text) ?? [];
  expect(words.join('')).toBe('会議の「資料」は明日です。');
  expect(words).toContain('「資料」');
});

test('gives a cue without a name no speaker', () => {
  expect(formatTexts(parseVtt(cue, 'Ann:', 'hi', '', '00:03.000 --> 00:04.000', 'who?'))).toEqual([
    'Ann: hi',
    ': who?',
  ]);
  expect(formatTexts(parseVtt(cue, '<v Ann>hi', '', '00:03.000 --> 00:04.000', '(door)'))).toEqual([
    'Ann: hi',
    ': (door)',
  ]);
});

test('accepts a header with metadata, and a first cue without an empty line before it', () => {
  const text = 'WEBVTT - call\rKind: captions\r\r00:01.000 --> 00:02.000\rhi';
  expect(formatTexts(parseWebVtt({ name: 'a', text }, 'en').transcript)).toEqual([': hi']);
  expect(
    formatTexts(parseWebVtt({ name: 'a', text: 'WEBVTT\n1\n00:01.000 --> 00:02.000\nhi' }, 'en').transcript),
  ).toEqual([': hi']);
});

/** Builds cues, each a list of lines. */
const buildCues = (...cues: (readonly string[])[]) =>
  cues.flatMap((lines, index) => ['', `${10 + index}:00:00.000 --> ${10 + index}:00:01.000`, ...lines]);

test.each<[string, string[][], string[], string[]]>([
  [
    'names that people choose, if most cues begin with one',
    [['Ada Lovelace: We sign.'], ['bob: No: never.'], ['Bob’s iPhone: Why?'], ['Müller, Änne: So.']],
    ['Ada Lovelace: We sign.', 'bob: No: never.', 'Bob’s iPhone: Why?', 'Müller, Änne: So.'],
    [],
  ],
  [
    'small letters and long names that are repeated',
    [['the people of room b: hi'], ['+1 415***2671: ho'], ['the people of room b: hi']],
    ['the people of room b: hi', '+1 415***2671: ho', 'the people of room b: hi'],
    [],
  ],
  [
    'a long name in small letters that occurs once',
    [['ada: hi'], ['bob smith: ho'], ['ipad von änne müller: gut'], ['yes']],
    ['ada: hi', 'bob smith: ho', 'ipad von änne müller: gut', ': yes'],
    ['The speaker is unknown in 1 of 4 cues.'],
  ],
  [
    'a cue without a name',
    [['ada: hi'], ['bob: ho'], ['(laughs)'], ['[MUSIC: soft]'], ['ada: hi']],
    ['ada: hi', 'bob: ho', ': (laughs) [MUSIC: soft]', 'ada: hi'],
    ['The speaker is unknown in 2 of 5 cues.'],
  ],
  [
    'lines of several people, and a line that only has a colon',
    [['- Ada: hi', '- Bob: ho', '- (door)'], ['-Ada: one', 'Bob: two', 'three: four'], ['>> BOB: five']],
    ['Ada: hi', 'Bob: ho', ': - (door)', 'Ada: one', 'Bob: two three: four', 'BOB: five'],
    ['The speaker is unknown in 1 of 3 cues.'],
  ],
  [
    'few capitalized names',
    [['Ada: hi'], ['so: we go'], ['ho'], ['hm']],
    ['Ada: hi', ': so: we go ho hm'],
    ['The speaker is unknown in 3 of 4 cues.'],
  ],
  [
    'no speakers',
    [['Note: first'], ...Array.from({ length: 10 }, () => ['we go on'])],
    [`: Note: first${' we go on'.repeat(10)}`],
    ['Not read as speakers, because few cues begin with a name: "Note".'],
  ],
  [
    'Unknown speaker',
    [['Unknown speaker: hi'], ['Room 4꞉ Berlin: ho']],
    [': hi', 'Room 4: Berlin: ho'],
    ['The speaker is unknown in 1 of 2 cues.'],
  ],
  [
    'voice tags and a colon in a text',
    [['<v Müller, Änne>hi'], ['Note: ho']],
    ['Müller, Änne: hi', ': Note: ho'],
    ['The speaker is unknown in 1 of 2 cues.'],
  ],
])('decides for a whole file: %s', (_, cues, speeches, notes) => {
  const found = readVtt(...buildCues(...cues));
  expect([formatTexts(found.transcript), found.notes]).toEqual([speeches, notes]);
});

test('names the cues that cannot be read, and reads the others', () => {
  const found = readVtt(
    ...[cue, 'Ann: hi', '', 'lost', 'words', '', 'lost'],
    ...['', '00:00:03.000 --> 00:00:02.000', 'Ann: negative', '', '00:00:05 --> 00:00:06', 'Ann: ho'],
    // Empty lines are missing.
    ...['6', '00:00:06.500 -> 00:00:07.000', 'Ann: arrow', '7', '00:00:07.000 --> 00:00:08.000', 'Bo: hey'],
  );
  expect(formatTexts(found.transcript)).toEqual(['Ann: hi ho', 'Bo: hey']);
  expect(found.problems).toEqual([
    'a.vtt, line 7: Expected times such as 00:01:02.500 --> 00:01:04.000, not "words".',
    'a.vtt, line 9: Expected times such as 00:01:02.500 --> 00:01:04.000, not "lost".',
    'a.vtt, line 11: The cue ends before it starts.',
    'a.vtt, line 17: Expected times such as 00:01:02.500 --> 00:01:04.000, not "00:00:06.500 -> 00:00:07.000".',
  ]);
});

test.each([
  [
    () => parseWebVtt({ name: 'a.vtt', text: '1\n' }, 'en'),
    'a.vtt, line 1: A WebVTT file must begin with WEBVTT.',
  ],
  [
    () => parseSrt('1', '00:00:01,000 -> 00:00:02,000', 'hi'),
    'a.srt, line 2: Expected times such as 00:01:02.500 --> 00:01:04.000, not "00:00:01,000 -> 00:00:02,000".',
  ],
  [
    () => parseSrt('1', '00:61:01,000 --> 00:62:02,000', 'hi'),
    'a.srt, line 2: Expected times such as 00:01:02.500 --> 00:01:04.000, not "00:61:01,000 --> 00:62:02,000".',
  ],
  [() => parseSrt('00:00:03,000 --> 00:00:02,000', 'hi'), 'a.srt, line 1: The cue ends before it starts.'],
  [() => parseVtt(), 'a.vtt: The transcript has no words.'],
  [() => parseVtt(cue, '<i></i>'), 'a.vtt: The transcript has no words.'],
])('names the line of an error: %#', (read, message) => {
  expect(read).toThrow(expect.objectContaining({ code: 'usage', message }));
});

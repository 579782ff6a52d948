import { expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { formatSrt, formatVtt } from '../../src/transcripts/subtitles.ts';

type Timed = readonly [text: string, start: unknown, end?: unknown];

const word = ([text, start, end]: Timed) => ({
  text,
  start_timestamp: { relative: start },
  end_timestamp: { relative: end ?? start },
});

/** Returns an utterance of words with times. */
const createTimedUtterance = (name: string, ...words: Timed[]) => ({
  participant: { name },
  words: words.map(word),
});

/** Returns an utterance with two words per second. */
const createUtterance = (name: string, start: number, text: string) =>
  createTimedUtterance(
    name,
    ...text.split(' ').map((text, index): Timed => [text, start + index * 0.5, start + index * 0.5 + 0.4]),
  );

/** Splits a file into cues, each a list of lines with the times first. */
const splitBlocks = (text: string) =>
  text
    .replace(/^WEBVTT\n/, '')
    .split('\n\n')
    .map((block) => block.trim())
    .filter(Boolean)
    .map((block) => block.split('\n'));

/** Returns the texts of the WebVTT cues. */
const formatBlockTexts = (...utterances: unknown[]) =>
  splitBlocks(formatVtt(utterances)).map(([, ...lines]) => lines.join('|'));

/** Returns the times of the WebVTT cues, in seconds. */
const times = (...utterances: unknown[]) =>
  splitBlocks(formatVtt(utterances)).map(([times = '']) =>
    times.replace(/00:00:0?/g, '').replace(' --> ', '-'),
  );

test('formats a conversation as WebVTT', () => {
  const talk = [
    createUtterance('Ada', 1.2, 'Good morning.'),
    createUtterance('Bo & Co', 3662, 'Is 1 < 2?'),
    createUtterance('', 3700, 'Hm.'),
  ];
  expect(formatVtt(talk)).toBe(
    `WEBVTT

00:00:01.200 --> 00:00:02.200
<v Ada>Good morning.

01:01:02.000 --> 01:01:03.900
<v Bo &amp; Co>Is 1 &lt; 2?

01:01:40.000 --> 01:01:41.000
Hm.
`,
  );
});

test('shows a cue until its longest word ends', () => {
  expect(times(createTimedUtterance('Ada', ['Well', 0, 5], ['then', 1, 2]))).toEqual(['0.000-5.000']);
});

test('formats a conversation as SubRip and names the speaker of each cue', () => {
  const talk = [
    createUtterance('', 0, 'Hello?'),
    createUtterance('Ada', 2, 'Good morning.'),
    createUtterance('Ada', 5, 'Is 1 < 2?'),
    createUtterance('', 360_000, 'Hm.'),
  ];
  expect(formatSrt(talk)).toBe(
    `1
00:00:00,000 --> 00:00:01,150
Unknown speaker: Hello?

2
00:00:02,000 --> 00:00:03,000
Ada: Good morning.

3
00:00:05,000 --> 00:00:06,900
Ada: Is 1 < 2?

4
100:00:00,000 --> 100:00:01,000
Unknown speaker: Hm.
`,
  );
});

test('names no speaker in SubRip if none has a name', () => {
  expect(splitBlocks(formatSrt([createUtterance('', 0, 'Hello?')]))).toEqual([
    ['1', '00:00:00,000 --> 00:00:01,000', 'Hello?'],
  ]);
});

test.each<[string, unknown]>([
  ['no turns', []],
  ['null', null],
  ['a turn without words', [{ participant: { name: 'Ada' }, words: [] }]],
  ['words without text', [{ words: [{ text: '' }, { text: ' \u0000\n' }, null] }]],
])('writes a file without cues for %s', (_, transcript) => {
  expect([formatVtt(transcript), formatSrt(transcript)]).toEqual(['WEBVTT\n', '']);
});

const long = 'The temperature of the cold room rose by two degrees over night';

test.each<[string, string[]]>([
  ['Short.', ['Short.']],
  ['Yes. I see. Good.', ['Yes. I see. Good.']],
  [`${long}.`, ['The temperature of the cold room rose by|two degrees over night.']],
  [
    'Good morning. We have to talk about the nine rooms.',
    ['Good morning. We have to talk about the|nine rooms.'],
  ],
  [
    'I have read the report of last Friday. We should talk about room nine now.',
    ['I have read the report of last Friday.', 'We should talk about room nine now.'],
  ],
  [
    'When the compressor of room nine failed, which it did, we had to carry all of the ice into room ten.',
    [
      'When the compressor of room nine failed,|which it did, we had to carry',
      'all of the ice into room ten.',
    ],
  ],
  [
    'Dr. Ada of Nr. 9 spoke to A. B. Carter on the 31. März, and then she left for Berlin by an early train.',
    [
      'Dr. Ada of Nr. 9 spoke to A. B. Carter on|the 31. März,',
      'and then she left for Berlin by an early|train.',
    ],
  ],
  [
    'He said: “Stop.” Then the whole room went quiet for once.',
    ['He said: “Stop.” Then the whole room went|quiet for once.'],
  ],
])('wraps %j at full lines and after sentences', (text, cues) => {
  expect(formatBlockTexts(createUtterance('', 0, text))).toEqual(cues);
});

test.each<[string, readonly string[], string[]]>([
  [
    'Japanese, a word each',
    [
      '会議の',
      '資料',
      'は',
      '明日',
      'までに',
      '送ります。',
      '確認',
      'を',
      'お願い',
      'します',
      '。',
      'では',
      'また',
    ],
    ['会議の資料は明日までに送ります。', '確認をお願いします。ではまた'],
  ],
  [
    'Japanese, a sentence each',
    [
      '一分ごとの記録を見ると、九号室は三時五十五分から十分間、霜取りに入ります。四時ちょうどは一番温かい時なんですね。',
    ],
    [
      '一分ごとの記録を見ると、九号室は三時五十|五分から十分間、霜取りに入ります。',
      '四時ちょうどは一番温かい時なんですね。',
    ],
  ],
  [
    'Korean',
    ['안녕하세요,', '김지우입니다.', '오늘은', '냉동고', '이야기를', '하겠습니다.'],
    ['안녕하세요, 김지우입니다.', '오늘은 냉동고 이야기를 하겠습니다.'],
  ],
  ['Thai', ['อุณหภูมิห้องเย็นหมายเลขเก้าสูงขึ้นสององศาเมื่อคืนนี้'], ['อุณหภูมิห้องเย็นหมายเลขเก้าสูงขึ้นสององศาเมื่อคืนนี้']],
  [
    'several words and lines in one word',
    ['Good\nmorning, ', '\r\n everybody\tin the room'],
    ['Good morning, everybody in the room'],
  ],
  ['a word longer than a line', ['x'.repeat(100)], [`${'x'.repeat(42)}|${'x'.repeat(42)}`, 'x'.repeat(16)]],
])('wraps %s', (_, words, cues) => {
  expect(
    formatBlockTexts(
      createTimedUtterance('', ...words.map((text, index): Timed => [text, index / 2, index / 2 + 0.5])),
    ),
  ).toEqual(cues);
});

test('counts the name of a speaker as part of the line and puts a long name on its own line', () => {
  const name = 'The Office of Cold Rooms and of Everything Else';
  expect(
    splitBlocks(
      formatSrt([createUtterance(name, 0, 'We are all here.'), createUtterance('Ada', 5, `${long}.`)]),
    ),
  ).toEqual([
    [
      '1',
      '00:00:00,000 --> 00:00:03,250',
      'The Office of Cold Rooms and of Everything Else:',
      'We are all here.',
    ],
    [
      '2',
      '00:00:05,000 --> 00:00:10,900',
      'Ada: The temperature of the cold room rose',
      'by two degrees over night.',
    ],
  ]);
});

test.each<[string, unknown[], string[]]>([
  ['a short word: for a second', [createTimedUtterance('A', ['Yes.', 1, 1.1])], ['1.000-2.000']],
  [
    'a short word before another one: until that one starts',
    [createTimedUtterance('A', ['Yes.', 1, 1.1]), createTimedUtterance('B', ['No.', 1.6, 1.7])],
    ['1.000-1.600', '1.600-2.600'],
  ],
  [
    'words less than half a second apart: half a second each',
    [createTimedUtterance('A', ['Yes.', 1, 1.1]), createTimedUtterance('B', ['No.', 1.2, 1.3])],
    ['1.000-1.500', '1.500-2.500'],
  ],
  [
    'times that go backwards between turns',
    [createTimedUtterance('A', ['Late.', 5, 8]), createTimedUtterance('B', ['Early.', 2, 3])],
    ['5.000-5.500', '5.500-6.500'],
  ],
  [
    'times that go backwards in a turn',
    [createTimedUtterance('A', ['Late', 5, 6], ['word.', 2, 3])],
    ['5.000-6.000'],
  ],
  ['a word that ends before it starts', [createTimedUtterance('A', ['Yes.', 5, 4])], ['5.000-6.000']],
  [
    'no time at all',
    [createTimedUtterance('A', ['Yes.', 0, 0]), createTimedUtterance('B', ['No.', 0, 0])],
    ['0.000-0.500', '0.500-1.500'],
  ],
  ['a time before the start', [createTimedUtterance('A', ['Yes.', -3, -2])], ['0.000-1.000']],
  [
    'a silence',
    [createTimedUtterance('A', ['One', 1, 2], ['two.', 4.01, 5])],
    ['1.000-2.000', '4.010-5.010'],
  ],
  ['a pause', [createTimedUtterance('A', ['One', 1, 2], ['two.', 4, 5])], ['1.000-5.000']],
  ['a word without end', [createTimedUtterance('A', ['Hm.', 1, 50])], ['1.000-8.000']],
  [
    'a slow speaker',
    [createTimedUtterance('A', ['One', 1, 4], ['two', 4.5, 7], ['three', 7.5, 9])],
    ['1.000-7.000', '7.500-9.000'],
  ],
  ['thirds', [createTimedUtterance('A', ['One.', 1 / 3, 5 / 3])], ['0.333-1.667']],
])('times the cues of %s', (_, utterances, expected) => {
  expect(times(...utterances)).toEqual(expected);
});

const missing = (word: string, utterance: number) =>
  new Failure(
    'failed',
    `Subtitles need a time for every word, but "${word}" in utterance ${utterance} has none.`,
  );

test.each<[string, unknown, Failure]>([
  ['no start', createTimedUtterance('A', ['Yes.', undefined, 1]), missing('Yes.', 2)],
  ['no end', { words: [{ text: 'Yes.', start_timestamp: { relative: 1 } }] }, missing('Yes.', 2)],
  ['an end of null', createTimedUtterance('A', ['Yes.', 1, { relative: null }]), missing('Yes.', 2)],
  ['a time that is not a number', createTimedUtterance('A', ['Yes.', '1', 2]), missing('Yes.', 2)],
  ['a time out of range', createTimedUtterance('A', ['Yes.', 1e300, 1e300]), missing('Yes.', 2)],
  [
    'no time, and names its first 40 printable characters',
    createTimedUtterance('A', [`\u001b${'x'.repeat(90)}`, null]),
    missing('x'.repeat(40), 2),
  ],
])('rejects a word with %s', (_, second, failure) => {
  for (const write of [formatVtt, formatSrt])
    expect(() => write([createUtterance('A', 0, 'Fine.'), second])).toThrow(failure);
});

test.each([
  ['a --> b', 'a --&gt; b', 'a → b'],
  ['<b>bold</b> & <1>', '&lt;b&gt;bold&lt;/b&gt; &amp; &lt;1&gt;', '‹b>bold‹/b> & ‹1>'],
  ['{\\an8}top {curly}', '{\\an8}top {curly}', '(\\an8}top {curly}'],
  ['a\u0000b\u001b[31mc\u202ed\u200ee\ufeff', 'ab[31mcde', 'ab[31mcde'],
  ['a\n\n00:01.000 --> 00:02.000\n\u2028b', 'a 00:01.000 --&gt; 00:02.000 b', 'a 00:01.000 → 00:02.000 b'],
])('escapes %j', (text, vtt, srt) => {
  const message = [createTimedUtterance(text, [text, 1, 2])];
  const name = srt.slice(0, 40);
  expect(splitBlocks(formatVtt(message)).map(([, ...lines]) => lines)).toEqual([[`<v ${vtt}>${vtt}`]]);
  expect(
    splitBlocks(formatSrt(message))
      .flatMap(([, , ...lines]) => lines)
      .join(' '),
  ).toBe(`${name}: ${srt}`);
});

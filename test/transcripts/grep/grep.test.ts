import { expect, test } from 'vitest';
import { findHits, parsePattern } from '../../../src/transcripts/grep/grep.ts';
import type { Utterance } from '../../../src/transcripts/transcript.ts';

/** Returns an utterance with one word per second. */
const createUtterance = (speaker: string, start: number, text: string): Utterance => ({
  speaker,
  words: text.split(' ').map((text, index) => ({ text, start: start + index, end: start + index + 1 })),
});

/** Returns an utterance without times. */
const createUntimedUtterance = (speaker: string, ...words: string[]): Utterance => ({
  speaker,
  words: words.map((text) => ({ text, start: undefined, end: undefined })),
});

const plainOptions = { regex: false, ignoreCase: false };
const compileSearch = (pattern: string, more: { context?: number; speakers?: readonly string[] } = {}) => ({
  pattern: parsePattern(pattern, plainOptions),
  context: 0,
  ...more,
});

/** Returns the texts of the hits, with brackets around the matches. */
const findMatches = (utterances: readonly Utterance[], pattern: string, more = plainOptions) =>
  findHits(utterances, { pattern: parsePattern(pattern, more), context: 0 }).map(({ text, matches }) =>
    matches.reduceRight((all, { start, end, text }) => {
      expect(all.slice(start, end)).toBe(text);
      return `${all.slice(0, start)}[${text}]${all.slice(end)}`;
    }, text),
  );

const transcript = [
  createUtterance('Ada', 0, 'Good morning. The cold room of Busan is warm. Is it? Yes.'),
  createUtterance('Bo', 60, 'Which Cold Room? C++ (or C)?'),
  createUntimedUtterance('', '会議', 'の', '資料', 'です。', 'では', 'また。'),
];

test.each<[string, Partial<typeof plainOptions>, string[]]>([
  ['cold room', {}, ['The [cold room] of Busan is warm.', 'Which [Cold Room]?']],
  ['  cold \t room ', {}, ['The [cold room] of Busan is warm.', 'Which [Cold Room]?']],
  ['Cold Room', {}, ['Which [Cold Room]?']],
  ['Cold room', { ignoreCase: true }, ['The [cold room] of Busan is warm.', 'Which [Cold Room]?']],
  ['good', {}, ['[Good] morning.']],
  ['morning. the', {}, ['Good [morning. The] cold room of Busan is warm.']],
  [
    'o',
    { ignoreCase: true },
    ['G[o][o]d m[o]rning. The c[o]ld r[o][o]m [o]f Busan is warm.', 'Which C[o]ld R[o][o]m? C++ ([o]r C)?'],
  ],
  ['yes', {}, ['[Yes].']],
  [
    'good morning. the cold room of busan is warm. is it? yes.',
    {},
    ['[Good morning. The cold room of Busan is warm. Is it? Yes.]'],
  ],
  ['c++ (or', {}, ['[C++ (or] C)?']],
  ['議の資', {}, ['会[議の資]料です。']],
  ['です。では', {}, ['会議の資料[です。では]また。']],
  ['nobody', {}, []],
  ['.', { regex: false }, ['Good morning[.] The cold room of Busan is warm[.] … Yes[.]']],
  ['\\bc.+m\\b', { regex: true }, ['The [cold room of Busan is warm].', 'Which [Cold Room]?']],
  [
    'c\\S+ (?=R)',
    { regex: true, ignoreCase: true },
    ['The [cold ]room of Busan is warm.', 'Which [Cold ]Room?'],
  ],
  ['\\bc\\S+ R', { regex: true }, []],
  ['\\SOLD', { regex: true, ignoreCase: true }, ['The [cold] room of Busan is warm.', 'Which [Cold] Room?']],
  ['\\p{Lu}ood', { regex: true }, ['[Good] morning.']],
  ['\\p{sc=Han}+', { regex: true }, ['[会議]の[資料]です。']],
  ['^', { regex: true }, ['Good morning.', 'Which Cold Room?', '会議の資料です。']],
  ['x*', { regex: true }, ['Good morning.', 'Which Cold Room?', '会議の資料です。']],
])('%j %j', (pattern, more, texts) => {
  expect(findMatches(transcript, pattern, { ...plainOptions, ...more })).toEqual(texts);
});

test.each([
  ['', plainOptions, 'The pattern must not be empty.'],
  [' \n ', plainOptions, 'The pattern must not be empty.'],
  ['(', { ...plainOptions, regex: true }, 'Invalid regular expression: /(/giu: Unterminated group.'],
  ['\\-', { ...plainOptions, regex: true }, 'Invalid regular expression: /\\-/giu: Invalid escape.'],
])('rejects the pattern %j', (pattern, options, message) => {
  expect(() => parsePattern(pattern, options)).toThrow(expect.objectContaining({ code: 'usage', message }));
});

test('matches letters in another Unicode form', () => {
  const utterances = [createUntimedUtterance('', '한국'.normalize('NFD'), 'café')];
  expect(findMatches(utterances, '한국')).toEqual(['[한국] café']);
  expect(findMatches(utterances, 'cafe\u0301')).toEqual(['한국 [café]']);
});

test('returns the speaker, the time and the sentence of a hit', () => {
  expect(findHits(transcript, compileSearch('room of'))).toEqual([
    {
      at: 4,
      time: '00:04',
      speaker: 'Ada',
      text: 'The cold room of Busan is warm.',
      matches: [{ text: 'room of', start: 9, end: 16 }],
      before: [],
      after: [],
    },
  ]);
});

test('returns no time and no context if the transcript has no times', () => {
  expect(findHits(transcript, compileSearch('資料', { context: 60 }))).toEqual([
    {
      at: null,
      time: '',
      speaker: '',
      text: '会議の資料です。',
      matches: [{ text: '資料', start: 3, end: 5 }],
      before: [],
      after: [],
    },
  ]);
});

test('ignores empty utterances and other speakers', () => {
  const utterances = [
    createUntimedUtterance('Ada', '', ' '),
    createUntimedUtterance('Ada', 'Hi.'),
    createUntimedUtterance('Bo', 'Hi.'),
    createUntimedUtterance('', 'Hi.'),
  ];
  const listSpeakers = (more?: { speakers: string[] }) =>
    findHits(utterances, { ...compileSearch('hi', more), ...(more ? {} : { pattern: /(?:)/gu }) }).map(
      ({ speaker }) => speaker,
    );
  expect(listSpeakers()).toEqual(['Ada', 'Bo', '']);
  expect(listSpeakers({ speakers: ['ADA'] })).toEqual(['Ada']);
  expect(listSpeakers({ speakers: ['bo', 'unknown speaker'] })).toEqual(['Bo', '']);
  expect(listSpeakers({ speakers: ['A'] })).toEqual([]);
});

const meeting = [
  createUtterance('Ada', 0, 'one two three.'),
  createUtterance('Bo', 4, 'four five six. seven eight. nine'),
  createUtterance('Cem', 8, 'over it'),
  createUtterance('Ada', 11, 'eleven twelve'),
];

test.each<[number, string[], string[]]>([
  [1, ['[00:06] Bo: six.'], ['[00:09] Bo: nine', '[00:08] Cem: over it']],
  [3, ['[00:04] Bo: four five six.'], ['[00:09] Bo: nine', '[00:08] Cem: over it', '[00:11] Ada: eleven']],
  [
    6,
    ['[00:01] Ada: two three.', '[00:04] Bo: four five six.'],
    ['[00:09] Bo: nine', '[00:08] Cem: over it', '[00:11] Ada: eleven twelve'],
  ],
])('returns %i seconds of context by all speakers', (context, before, after) => {
  const [hit] = findHits(meeting, compileSearch('eight', { context }));
  const formatLines = (lines: readonly { time: string; speaker: string; text: string }[] = []) =>
    lines.map(({ time, speaker, text }) => `[${time}] ${speaker}: ${text}`);
  expect([hit?.text, formatLines(hit?.before), formatLines(hit?.after)]).toEqual([
    'seven eight.',
    before,
    after,
  ]);
});

test('begins the context with the word after a hit that no space follows', () => {
  const words = ['東京です。', '大阪です。'].map((text) => ({ text, start: 1, end: 1 }));
  const [hit] = findHits([{ speaker: 'Ada', words }], compileSearch('東京', { context: 1 }));
  expect([hit?.text, hit?.after.map(({ text }) => text)]).toEqual(['東京です。', ['大阪です。']]);
});

test('splits the context of an utterance at the hit even if its words share one time', () => {
  const words = 'One. Two ice. Three.'.split(' ').map((text) => ({ text, start: 5, end: undefined }));
  const [hit] = findHits([{ speaker: 'Ada', words }], compileSearch('ice', { context: 1 }));
  const line = { at: 5, time: '00:05', speaker: 'Ada' };
  expect(hit).toMatchObject({
    ...{ text: 'Two ice.', before: [{ ...line, text: 'One.' }], after: [{ ...line, text: 'Three.' }] },
  });
});

test('truncates a long sentence around the match', () => {
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`);
  const [hit] = findHits([createUtterance('Ada', 0, words.join(' '))], compileSearch('word200'));
  expect(hit?.text).toMatch(/^… word1\d\d .* word199 word200 word201 .* word2\d\d …$/);
  expect(hit?.text.length).toBeLessThan(420);
  expect(hit?.matches.map(({ text, start, end }) => [text, hit.text.slice(start, end)])).toEqual([
    ['word200', 'word200'],
  ]);
  expect(findMatches([createUntimedUtterance('', `${'長'.repeat(500)}室${'い'.repeat(500)}`)], '室')).toEqual(
    [`… ${'長'.repeat(200)}[室]${'い'.repeat(200)} …`],
  );
  expect(findMatches([createUntimedUtterance('', `${'𠮷'.repeat(300)}室`)], '室')).toEqual([
    `… ${'𠮷'.repeat(100)}[室]`,
  ]);
});

import { expect, test } from 'vitest';
import { findHits, parsePattern } from '../../src/search/search.ts';
import type { Utterance } from '../../src/transcripts/transcript.ts';

/** Returns an utterance with one word per second. */
const turn = (speaker: string, start: number, text: string): Utterance => ({
  speaker,
  words: text.split(' ').map((text, index) => ({ text, start: start + index, end: start + index + 1 })),
});

/** Returns an utterance without times. */
const untimed = (speaker: string, ...words: string[]): Utterance => ({
  speaker,
  words: words.map((text) => ({ text, start: undefined, end: undefined })),
});

const plain = { regex: false, ignoreCase: false };
const search = (typed: string, more: { context?: number; speakers?: readonly string[] } = {}) => ({
  pattern: parsePattern(typed, plain),
  context: 0,
  ...more,
});

/** Returns the texts of the hits, with brackets around the matches. */
const found = (turns: readonly Utterance[], typed: string, more = plain) =>
  findHits(turns, { pattern: parsePattern(typed, more), context: 0 }).map(({ text, matches }) =>
    matches.reduceRight((all, { start, end, text }) => {
      expect(all.slice(start, end)).toBe(text);
      return `${all.slice(0, start)}[${text}]${all.slice(end)}`;
    }, text),
  );

const talk = [
  turn('Ada', 0, 'Good morning. The cold room of Busan is warm. Is it? Yes.'),
  turn('Bo', 60, 'Which Cold Room? C++ (or C)?'),
  untimed('', '会議', 'の', '資料', 'です。', 'では', 'また。'),
];

test.each<[string, Partial<typeof plain>, string[]]>([
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
])('%j %j', (typed, more, texts) => {
  expect(found(talk, typed, { ...plain, ...more })).toEqual(texts);
});

test.each([
  ['', plain, 'The pattern must not be empty.'],
  [' \n ', plain, 'The pattern must not be empty.'],
  ['(', { ...plain, regex: true }, 'Invalid regular expression: /(/giu: Unterminated group.'],
  ['\\-', { ...plain, regex: true }, 'Invalid regular expression: /\\-/giu: Invalid escape.'],
])('rejects the pattern %j', (typed, how, message) => {
  expect(() => parsePattern(typed, how)).toThrow(expect.objectContaining({ code: 'usage', message }));
});

test('matches letters in another Unicode form', () => {
  const turns = [untimed('', '한국'.normalize('NFD'), 'café')];
  expect(found(turns, '한국')).toEqual(['[한국] café']);
  expect(found(turns, 'cafe\u0301')).toEqual(['한국 [café]']);
});

test('returns the speaker, the time and the sentence of a hit', () => {
  expect(findHits(talk, search('room of'))).toEqual([
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
  expect(findHits(talk, search('資料', { context: 60 }))).toEqual([
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
  const turns = [untimed('Ada', '', ' '), untimed('Ada', 'Hi.'), untimed('Bo', 'Hi.'), untimed('', 'Hi.')];
  const speakers = (more?: { speakers: string[] }) =>
    findHits(turns, { ...search('hi', more), ...(more ? {} : { pattern: /(?:)/gu }) }).map(
      ({ speaker }) => speaker,
    );
  expect(speakers()).toEqual(['Ada', 'Bo', '']);
  expect(speakers({ speakers: ['ADA'] })).toEqual(['Ada']);
  expect(speakers({ speakers: ['bo', 'unknown speaker'] })).toEqual(['Bo', '']);
  expect(speakers({ speakers: ['A'] })).toEqual([]);
});

const meeting = [
  turn('Ada', 0, 'one two three.'),
  turn('Bo', 4, 'four five six. seven eight. nine'),
  turn('Cem', 8, 'over it'),
  turn('Ada', 11, 'eleven twelve'),
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
  const [hit] = findHits(meeting, search('eight', { context }));
  const shown = (lines: readonly { time: string; speaker: string; text: string }[] = []) =>
    lines.map(({ time, speaker, text }) => `[${time}] ${speaker}: ${text}`);
  expect([hit?.text, shown(hit?.before), shown(hit?.after)]).toEqual(['seven eight.', before, after]);
});

test('splits the context of an utterance at the hit even if its words share one time', () => {
  const words = 'One. Two ice. Three.'.split(' ').map((text) => ({ text, start: 5, end: undefined }));
  const [hit] = findHits([{ speaker: 'Ada', words }], search('ice', { context: 1 }));
  const line = { at: 5, time: '00:05', speaker: 'Ada' };
  expect(hit).toMatchObject({
    ...{ text: 'Two ice.', before: [{ ...line, text: 'One.' }], after: [{ ...line, text: 'Three.' }] },
  });
});

test('truncates a long sentence around the match', () => {
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`);
  const [hit] = findHits([turn('Ada', 0, words.join(' '))], search('word200'));
  expect(hit?.text).toMatch(/^… word1\d\d .* word199 word200 word201 .* word2\d\d …$/);
  expect(hit?.text.length).toBeLessThan(420);
  expect(hit?.matches.map(({ text, start, end }) => [text, hit.text.slice(start, end)])).toEqual([
    ['word200', 'word200'],
  ]);
  expect(found([untimed('', `${'長'.repeat(500)}室${'い'.repeat(500)}`)], '室')).toEqual([
    `… ${'長'.repeat(200)}[室]${'い'.repeat(200)} …`,
  ]);
  expect(found([untimed('', `${'𠮷'.repeat(300)}室`)], '室')).toEqual([`… ${'𠮷'.repeat(100)}[室]`]);
});

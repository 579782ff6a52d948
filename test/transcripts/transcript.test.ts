import { expect, test } from 'vitest';
import { formatClock, formatTranscript, joinWords } from '../../src/transcripts/transcript.ts';

const turn = (name: string, start: number, ...words: string[]) => ({
  participant: { name },
  words: words.map((text, index) => ({
    text,
    start_timestamp: { relative: start + index },
    end_timestamp: { relative: start + index + 0.5 },
  })),
  language_code: 'en',
});

test.each<[readonly string[], string]>([
  [['Good', 'morning,', 'Ada.'], 'Good morning, Ada.'],
  [['안녕하세요,', '김서연', '님.'], '안녕하세요, 김서연 님.'],
  [
    ['おはよう', 'ございます。', '今日', 'は', 'いい', '天気', 'です。'],
    'おはようございます。今日はいい天気です。',
  ],
  [['データ', 'センター', 'は…', 'そう', 'です'], 'データセンターは…そうです'],
  [['『吾輩', 'は』', 'という', '本'], '『吾輩は』という本'],
  [['１１', '月', '：', '会議'], '１１月：会議'],
  [['我们', '今天', '开会。', '好'], '我们今天开会。好'],
  [['𠮷野', '家', 'へ'], '𠮷野家へ'],
  [['Kith', 'を', '使う', 'API', 'です'], 'Kith を使う API です'],
  [['สวัสดี', 'ครับ'], 'สวัสดีครับ'],
  [['well…', 'yes', '好'], 'well… yes 好'],
  [['', ' a ', '\n', 'b'], 'a b'],
  [[], ''],
])('joins the words %j', (words, text) => {
  expect(joinWords(words)).toBe(text);
});

test.each([
  [0, '00:00'],
  [59.99, '00:59'],
  [60, '01:00'],
  [3599, '59:59'],
  [3600, '1:00:00'],
  [36_061, '10:01:01'],
  [-3, '00:00'],
])('formats %d seconds as %s', (seconds, text) => {
  expect(formatClock(seconds)).toBe(text);
});

const talk = [turn('Ada', 1.2, 'Good', 'morning.'), turn('山田太郎', 3661, 'おはよう', 'ございます。')];

test('formats a paragraph for each utterance', () => {
  expect(formatTranscript(talk)).toBe('Ada: Good morning.\n\n山田太郎: おはようございます。\n');
});

test('formats a paragraph with its time for each utterance', () => {
  expect(formatTranscript(talk, { timestamps: true })).toBe(
    '[00:01] Ada: Good morning.\n\n[1:01:01] 山田太郎: おはようございます。\n',
  );
});

test.each<[string, unknown, string]>([
  ['null', null, ''],
  ['no turns', [], ''],
  ['a text', 'hello', ''],
  ['a turn of null', [null, talk[0]], '[00:01] Ada: Good morning.\n'],
  ['no words', [{ participant: { name: 'Ada' } }, talk[0]], '[00:01] Ada: Good morning.\n'],
  ['words of null', [{ participant: { name: 'Ada' }, words: null }], ''],
  ['words without text', [{ participant: { name: 'Ada' }, words: [null, { text: null }, {}] }], ''],
  ['no participant', [{ words: [{ text: 'Hi' }] }], 'Unknown speaker: Hi\n'],
  ['a name of null', [{ participant: { name: null }, words: [{ text: 'Hi' }] }], 'Unknown speaker: Hi\n'],
  ['no time', [{ participant: { name: 'Ada' }, words: [{ text: 'Hi' }] }], 'Ada: Hi\n'],
  [
    'a time of another type',
    [{ participant: { name: 'Ada' }, words: [{ text: 'Hi', start_timestamp: { relative: '5' } }] }],
    'Ada: Hi\n',
  ],
  [
    'a name of several lines',
    [{ participant: { name: 'Ada\n\nBob: no' }, words: [{ text: 'Hi' }] }],
    'Ada Bob: no: Hi\n',
  ],
])('accepts a transcript with %s', (_, transcript, text) => {
  expect(formatTranscript(transcript, { timestamps: true })).toBe(text);
});

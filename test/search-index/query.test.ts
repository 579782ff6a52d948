import { expect, test } from 'vitest';
import { createMarker } from '../../src/search-index/excerpt.ts';
import { allowWrongCharacter, formatMatch, parseQuery } from '../../src/search-index/query.ts';
import { listEdits } from '../../src/search-index/typos.ts';

const match = (...words: string[]) => formatMatch(parseQuery(words), '');

test('requires all words, and lets the last one be the beginning of a word', () => {
  expect(match('cold', 'room')).toBe('"cold" AND "room" *');
  expect(match('cold room')).toBe('"cold" AND "room" *');
  expect(match('co', 'ro')).toBe('"co" AND "ro"');
});

test('finds a German umlaut by two letters, and vice versa', () => {
  expect(match('Müller')).toBe('("muller" * OR "mueller" *)');
  expect(match('Mueller', 'ag')).toBe('("mueller" OR "muller") AND "ag"');
});

test('searches a run of a script without spaces by its pairs, and one character by the pairs that it begins', () => {
  expect(match('한빛물류')).toBe('("한빛" AND "빛물" AND "물류")');
  expect(match('김')).toBe('"김" *');
});

test('treats digits with separators and spaces as a phone number', () => {
  expect(match('010', '5550', '1234')).toBe('("55501234" OR "01055501234")');
});

test('ignores words without letters, and treats operators and quotes as text', () => {
  expect(parseQuery(['--', '"', '*'])).toEqual([]);
  expect(match('a" OR "b', 'NEAR(x)')).toBe('"a" AND "or" AND "b" AND "near" AND "x"');
});

test('restricts words to the title', () => {
  expect(formatMatch(parseQuery(['kim', 'jiwoo']), 'title')).toBe('"=kim" AND "=jiwoo" *');
});

test('lists the words that differ by one typing error', () => {
  const edits = listEdits('barometer');
  const typos = ['baromter', 'barometter', 'abrometer', 'varometer', 'barometers'];
  expect(edits).toEqual(expect.arrayContaining(typos));
  expect(edits).not.toContain('barometer');
  expect(listEdits('абвг')).toContain('абвд');
  expect(listEdits('abc')).toEqual([]);
});

test.each([
  ['김지', '"김지"'],
  ['김지오', '(("김지" AND "지오") OR "지오" OR "김지")'],
  ['한빛물루', '(("한빛" AND "빛물" AND "물루") OR ("빛물" AND "물루") OR ("한빛" AND "빛물"))'],
])('allows a wrong character in %s if enough pairs are left', (word, expected) => {
  expect(formatMatch(parseQuery([word]).map(allowWrongCharacter), '')).toBe(expected);
});

const excerpt = (words: string, text: string, width = 40) => {
  const { text: shown, matches } = createMarker(parseQuery([words])).excerpt(text, width);
  return matches.reduceRight(
    (line, { start, end }) => `${line.slice(0, start)}[${line.slice(start, end)}]${line.slice(end)}`,
    shown,
  );
};

test('marks the words in the line that has most of them', () => {
  expect(excerpt('cold room', 'A room.\nThe COLD Rooms\nA cold one')).toBe('The [COLD] [Rooms]');
});

test('marks the address that was typed, not one before it with the same domain', () => {
  expect(excerpt('ada@x.example', 'mina@x.example\nada@x.example')).toBe('[ada]@[x].[example]');
});

test('shows the first line if no line has the words', () => {
  expect(excerpt('barometer', 'ada@x.example\nRole: CEO')).toBe('ada@x.example');
});

test('truncates a long line around the first match, between words', () => {
  const long = `${'word '.repeat(30)}the barometer fell ${'word '.repeat(30)}`;
  expect(excerpt('barometer', long)).toBe('…word the [barometer] fell word word word…');
  expect(excerpt('word', long)).toMatch(/^\[word\] \[word\]/);
});

test.each([
  ['물류', '어제 한빛물류와 통화', '어제 한빛[물류]와 통화'],
  ['한빛', '한빛물류'.normalize('NFD'), `[${'한빛'.normalize('NFD')}]${'물류'.normalize('NFD')}`],
  ['ガラス', 'ｶﾞﾗｽの温度計', '[ｶﾞﾗｽ]の温度計'],
  ['احمد', 'أَحْمَد هنا', '[أَحْمَد] هنا'],
  ['muller', 'Frau Müller', 'Frau [Müller]'],
  ['Mueller', 'Frau Müller', 'Frau [Müller]'],
  ['010-5550-1234', '+82 10 5550 1234', '+82 10 [5550 1234]'],
  ['kim', 'kimchi kim@x.example', '[kimchi] [kim]@x.example'],
  ['k kim', 'kimchi k', '[kimchi] [k]'],
])('marks %s in "%s"', (words, text, marked) => {
  expect(excerpt(words, text)).toBe(marked);
});

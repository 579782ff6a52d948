import { expect, test } from 'vitest';
import { createMarker } from '../../src/search/excerpt.ts';
import { parseQuery } from '../../src/search/query.ts';

const excerpt = (words: string, text: string, width = 40) => {
  const { text: shown, matches } = createMarker(parseQuery(words)).excerpt(text, width);
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
  ['"cold room"', 'a room, a cold, Room', 'a room, a [cold, Room]'],
  ['"한빛 물류"', '어제 한빛 물류와 통화', '어제 [한빛 물류]와 통화'],
  ['room -cold', 'cold room', 'cold [room]'],
])('marks %s in "%s"', (words, text, marked) => {
  expect(excerpt(words, text)).toBe(marked);
});

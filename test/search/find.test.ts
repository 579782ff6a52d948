import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findRecords } from '../../src/search/find.ts';
import type { IndexDocument } from '../../src/search/index/documents.ts';
import { createIndex } from '../../src/search/index/index-file.ts';
import { KindWriter } from '../../src/search/index/index-writer.ts';
import { type Kind, kinds } from '../../src/search/kinds.ts';
import { parseQuery } from '../../src/search/query.ts';
import { listEdits } from '../../src/search/typos.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** Creates an index of documents, whose ids are their positions, and returns a function that finds their ids. */
async function createSearch(documents: readonly Partial<IndexDocument>[], kind: Kind = 'contacts') {
  const index = createIndex(join(createTemporaryFolder(), 'search.sqlite'));
  onTestFinished(() => index.close());
  const sources = documents.map((document, position) => ({
    id: `${position}`,
    state: '',
    read: () => ({ title: '', about: [], body: [], at: 0, ...document }),
  }));
  await new KindWriter(index, kind, true).write(sources);
  return (text: string, { since, limit = 25 }: { since?: number; limit?: number } = {}) => {
    const { matches, total } = findRecords(index, { terms: parseQuery(text), kinds, since, limit });
    return { ids: matches.map(({ id }) => id), scores: matches.map(({ score }) => score), total };
  };
}

test.each([
  ['all words in any order', 'room cold', 'The cold room', true],
  ['the beginning of a last word of three letters', 'cold roo', 'The cold room', true],
  ['a last word of two letters only as a whole', 'cold ro', 'The cold room', false],
  ['the beginning of a word before the last one', 'col room', 'The cold room', false],
  ['an umlaut by two letters', 'Müller', 'Frau Mueller', true],
  ['two letters by an umlaut', 'Mueller ag', 'Müller AG', true],
  ['a part of a Korean word', '물류', '한빛물류', true],
  ['Korean characters that are not adjacent', '한류', '한빛물류', false],
  ['one Korean character at the beginning', '김', '김지우', true],
  ['one Korean character at the end', '우', '김지우', true],
  ['operators as words', 'a" OR "b NEAR(x)', 'a or b near x', true],
  ['operators as operators', 'cold OR warm', 'cold', false],
  ['an endless word', 'я'.repeat(10_000), 'я'.repeat(10_000), true],
  ['digits with separators and spaces as a phone number', '010 5550 1234', '010-5550-1234', false],
  ['a quoted phrase', '"cold room"', 'The COLD room', true],
  ['a quoted phrase in another order', '"room cold"', 'The cold room', false],
  ['a quoted phrase with a word between', '"the room"', 'The cold room', false],
  ['the beginning of a word in a quoted phrase', '"cold roo"', 'The cold room', false],
  ['a quoted phrase without accents', '"frau muller"', 'Frau Müller', true],
  ['a quoted phrase with an umlaut by two letters', '"Frau Mueller"', 'Frau Müller', true],
  ['a quoted Korean phrase', '"한빛 물류"', '한빛 물류와 통화', true],
  ['a quoted Korean phrase that is one word', '"한빛 물류"', '한빛물류', false],
  ['a quoted phrase with a typo', '"cold barometter"', 'cold barometer', false],
  ['a quotation mark that is not closed', '"cold room', 'room, cold', true],
  ['a word without an excluded one', 'cold -alarm', 'The cold room', true],
  ['a word with an excluded one', 'cold -alarm', 'Cold, with an ALARM', false],
  ['a word that begins with an excluded one', 'cold -alarm', 'cold alarms', true],
  ['a word after an excluded one', '-alarm cold', 'cold alarm', false],
  ['one of two excluded words', 'cold -alarm -fire', 'cold fire', false],
  ['an excluded phrase', 'room -"cold room"', 'The cold room', false],
  ['the words of an excluded phrase in another order', 'room -"cold room"', 'room, cold', true],
  ['an excluded address', 'ada -ada@x.example', 'ada ada@x.example', false],
  ['another address than the excluded one', 'ada -ada@x.example', 'ada ada@y.example', true],
  ['an excluded part of a Korean word', '한빛 -물류', '한빛물류', false],
  ['a hyphen in a word', 'cold-room', 'cold room', true],
])('matches %s (%s in %s): %j', async (_, query, title, isFound) => {
  const find = await createSearch([{ title }]);
  expect(find(query).ids).toEqual(isFound ? ['0'] : []);
});

test.each([
  ['김지', '김주', false],
  ['김지오', '김지우', true],
  ['김지오', '박지오', true],
  ['김지오', '김수오', false],
  ['한빛물루', '한빛물류', true],
  ['한빛물루', '큰빛물루', true],
  ['한빛물루', '한강물루', false],
  ['한빛물류창', '한빛강류창', true],
  ['barometter', 'barometer', true],
  ['abrometer', 'barometer', true],
  ['bar', 'baz', false],
])('matches %s with a typo in %s: %j', async (query, title, isFound) => {
  const find = await createSearch([{ title }]);
  expect(find(query).ids).toEqual(isFound ? ['0'] : []);
});

test('lists the words that differ by one typo', () => {
  const edits = listEdits('barometer');
  const typos = ['baromter', 'barometter', 'abrometer', 'varometer', 'barometers'];
  expect(edits).toEqual(expect.arrayContaining(typos));
  expect(edits).not.toContain('barometer');
  expect(listEdits('абвг')).toContain('абвд');
});

test('ranks words of the title before those of other texts, frequent words first, and the newest of equal matches first', async () => {
  const long = Array.from({ length: 500 }, (_, word) => `w${word}`).join(' ');
  const find = await createSearch(
    [
      { title: 'Review', body: [`barometer ${long}`], at: 3 },
      { title: 'Review', body: [`${'barometer '.repeat(5)}${long}`], at: 1 },
      { title: 'Review', about: ['The barometer fell'], body: [long], at: 1 },
      { title: 'Barometer', body: [long], at: 1 },
      { title: 'Barometer', body: [long], at: 2 },
      ...Array.from({ length: 10 }, () => ({ title: 'Other', body: [long] })),
    ],
    'meetings',
  );
  const { ids, scores } = find('barometer');
  expect(ids).toEqual(['4', '3', '2', '1', '0']);
  expect(scores[0]).toBe(1);
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
});

test('ranks exact matches before corrected ones', async () => {
  const find = await createSearch([{ title: 'Mackerels mackerels' }, { title: 'About mackerel today' }]);
  expect(find('mackerel day').ids).toEqual([]);
  const { ids, scores, total } = find('macerel');
  expect({ ids, total }).toEqual({ ids: ['1'], total: 1 });
  expect(scores[0]).toBe(0.8);
});

test('finds the newest records, and those since a time, even after 10,000 earlier ones with the same word', async () => {
  const find = await createSearch(Array.from({ length: 10_001 }, (_, at) => ({ title: 'Ada', at })));
  expect(find('ada').ids[0]).toBe('10000');
  expect(find('ada').total).toBe(10_001);
  const { ids, total } = find('ada', { since: 10_000 });
  expect({ ids, total }).toEqual({ ids: ['10000'], total: 1 });
});

test('ranks titles with a word first even if many newer records have the word elsewhere', async () => {
  const others = Array.from({ length: 2000 }, () => ({ title: 'Review', body: ['ada'], at: 2 }));
  const find = await createSearch([
    { title: 'Ada', at: 1 },
    { title: 'Grace', about: ['ada'], at: 1 },
    ...others,
  ]);
  expect(find('ada').ids.slice(0, 2)).toEqual(['0', '1']);
  expect(find('ada', { limit: 5000 }).ids).toHaveLength(2002);
});

import { expect, test } from 'vitest';
import type { Contact } from '../../src/contract/contacts.ts';
import type { Received } from '../../src/contract/received.ts';
import { compareContacts, listContactKeys, toComparedContact } from '../../src/duplicates/contacts.ts';
import { findPairs, type Match } from '../../src/duplicates/find-pairs.ts';
import { listTypingKeys } from '../../src/duplicates/name-similarity.ts';

type Person = Partial<Received<Contact>>;

const signal = new AbortController().signal;

/** Returns the pairs that kith finds among contacts; `name` is a first name. */
const findAll = (people: readonly Person[], minScore = 0) =>
  findPairs(
    people.map((person) => toComparedContact(person as Received<Contact>)),
    { listKeys: listContactKeys, compare: compareContacts },
    { minScore, signal },
  );

async function match(one: Person, other: Person): Promise<Match | undefined> {
  const [pair, ...more] = await findAll([one, other]);
  expect(more).toEqual([]);
  return pair && { score: pair.score, reasons: pair.reasons };
}

const at = (organization_id: string | undefined, first_name: string, last_name?: string): Person => ({
  first_name,
  ...(last_name !== undefined && { last_name }),
  ...(organization_id !== undefined && { organization_id }),
});

const same = { score: 90, reasons: ['same name'] };
const similar = { score: 65, reasons: ['similar name'] };

test.each([
  ['the same name', at('o', 'Ada', 'Lovelace'), at('o', 'Ada', 'Lovelace'), same],
  ['names in swapped order', at('o', 'Ada', 'Lovelace'), at('o', 'Lovelace Ada'), same],
  ['a Korean name in swapped order', at('o', '김 지우'), at('o', '지우 김'), same],
  ['a Korean name without a space', at('o', '가람', '한'), at('o', '한가람'), same],
  ['a Korean name with a title', at('o', '김지우님'), at('o', '김지우'), same],
  ['a Japanese name in half width', at('o', 'ﾀﾅｶ', 'ﾊﾅｺ'), at('o', 'タナカ ハナコ'), same],
  ['an Arabic name with vowels', at('o', 'أَحْمَد', 'حسن'), at('o', 'احمد حسن'), same],
  ['case, accents and titles', at('o', 'Dr. José', "O'Brien"), at('o', 'JOSE', 'Obrien'), same],
  ['a hyphen', at('o', 'Ji-woo', 'Kim'), at('o', 'Jiwoo', 'Kim'), same],
  ['a missing hyphen', at('o', 'Jean-Luc', 'Picard'), at('o', 'Jean Luc', 'Picard'), same],
  ['a wrong letter', at('o', 'Ada', 'Lovelace'), at('o', 'Ada', 'Lovelaze'), similar],
  ['a missing letter', at('o', 'Ada', 'Lovelace'), at('o', 'Ada', 'Lovlace'), similar],
  ['swapped letters', at('o', 'Ada', 'Lovelace'), at('o', 'Ada', 'Lvoelace'), similar],
  ['an Arabic wrong letter', at('o', 'عبدالله', 'حسن'), at('o', 'عبدالاه', 'حسن'), similar],
  ['a middle name', at('o', 'Ada', 'Lovelace'), at('o', 'Ada King', 'Lovelace'), similar],
  ['an initial', at('o', 'A.', 'Lovelace'), at('o', 'Ada', 'Lovelace'), similar],
  ['only a first name', at('o', 'Ada'), at('o', 'Ada', 'Lovelace'), { score: 50, reasons: ['similar name'] }],
  ['no organization', at(undefined, 'Ada', 'Byron'), at('o', 'Ada', 'Byron'), { ...same, score: 60 }],
])('finds %s', async (_, one, other, expected) => {
  expect(await match(one, other)).toEqual(expected);
});

test.each([
  ['names in two organizations', at('o', 'Ada', 'Lovelace'), at('p', 'Ada', 'Lovelace')],
  ['similar names without an organization', at(undefined, 'Ada', 'Lovelace'), at('o', 'Ada', 'Lovelaze')],
  ['Korean names with another syllable', at('o', '김지우'), at('o', '김지유')],
  ['short names with another letter', at('o', 'Jan', 'Li'), at('o', 'Jon', 'Li')],
  ['names with another digit', at('o', 'Customer 10001'), at('o', 'Customer 10002')],
  ['two persons with the same first name', at('o', 'Ada', 'Byron'), at('o', 'Ada', 'Moreau')],
  ['names without letters', at('o', '-', '...'), at('o', '-', '...')],
  ['empty names', at('o', '', ' '), at('o', '', ' ')],
  ['missing names', { organization_id: 'o' }, { organization_id: 'o' }],
  ['empty phone numbers', { phone_numbers: [''] }, { phone_numbers: [''] }],
  ['numbers in two countries', { phone_numbers: ['+821055501234'] }, { phone_numbers: ['+491055501234'] }],
])('finds no pair in %s', async (_, one, other) => {
  expect(await match(one, other)).toBeUndefined();
});

test.each([
  ['a person without a name', {}, 75, ['same phone']],
  ['the same name', { first_name: 'Ada' }, 90, ['same phone', 'same name']],
  ['a similar name', { first_name: 'Ada', last_name: 'Byron' }, 88, ['same phone', 'similar name']],
  ['another name', { first_name: 'Omar' }, 40, ['same phone']],
])('scores the same phone number with %s', async (_, other, score, reasons) => {
  const one = { first_name: 'Ada', phone_numbers: ['+82 10-5550-1234'], organization_id: 'o' };
  expect(await match(one, { ...other, phone_numbers: ['010 5550 1234'], organization_id: 'p' })).toEqual({
    score,
    reasons,
  });
});

test('finds the same address with other case or with a tag', async () => {
  const pair = await match(
    { emails: ['Ada@Analytical.example'] },
    { emails: ['ada+crm@analytical.example'] },
  );
  expect(pair).toEqual({ score: 98, reasons: ['same email'] });
});

test('sorts pairs by score and then by their positions, and drops those below the minimum', async () => {
  const people = [
    at(undefined, 'Omar'),
    at('o', 'Ada'),
    at(undefined, 'Omar'),
    at('o', 'Ada'),
    at('o', 'Ada B'),
  ];
  const pairs = await findAll(people, 60);
  expect(pairs.map(({ score, first, second }) => [score, first, second])).toEqual([
    [90, 1, 3],
    [60, 0, 2],
  ]);
});

test('compares each of many records with the same name only with the first', async () => {
  const pairs = await findAll(Array.from({ length: 1000 }, () => at('o', 'Test')));
  expect(pairs).toHaveLength(999);
  expect(pairs.every(({ first }) => first === 0)).toBe(true);
});

test('finds the duplicates among 4000 contacts without comparing all with all', async () => {
  const spell = (number: number) =>
    Array.from(String(number), (digit) => 'abeghkmnrs'.charAt(Number(digit)).repeat(2)).join('');
  const people = Array.from({ length: 4000 }, (_, index) => ({
    ...at(`o${index % 10}`, 'Ada', spell(index)),
    phone_numbers: [`+8210${10_000_000 + index * 37}`],
  }));
  people.push({ ...at('o7', 'Ada', `${spell(57)}x`), phone_numbers: [] });
  let comparisons = 0;
  const compare = (...pair: Parameters<typeof compareContacts>) => {
    comparisons += 1;
    return compareContacts(...pair);
  };
  const records = people.map((person) => toComparedContact(person as Received<Contact>));
  const pairs = await findPairs(records, { listKeys: listContactKeys, compare }, { minScore: 60, signal });
  expect(pairs).toEqual([{ first: 57, second: 4000, score: 65, reasons: ['similar name'] }]);
  expect(comparisons).toBeLessThan(20_000);
});

test('does not list the spellings of a text that is no name', () => {
  expect(listTypingKeys('lovelace')).toHaveLength(9);
  expect(listTypingKeys('lovelace '.repeat(1000))).toEqual([]);
});

test.each([
  [20, 190],
  [21, 20],
])(
  'finds all pairs of 20 contacts with one address, and of more only those with the first (%i)',
  async (count, pairs) => {
    const people = Array.from({ length: count }, () => ({ emails: ['info@x.example'] }));
    expect(await findAll(people)).toHaveLength(pairs);
  },
);

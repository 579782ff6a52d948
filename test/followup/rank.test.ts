import { expect, test } from 'vitest';
import { findNamedDate } from '../../src/followup/named-dates.ts';
import { type PartyFacts, rankFollowUps } from '../../src/followup/rank.ts';
import { defaultWeights, formatWeights, parseWeights, type Weights } from '../../src/followup/weights.ts';

const today = '2026-11-27'; // a Friday

const createParty = (facts: Partial<PartyFacts>): PartyFacts => ({
  ...{
    kind: 'organization',
    id: 'o1',
    contactId: undefined,
    promises: [],
    deals: [],
    notes: [],
    contactDays: [],
  },
  ...facts,
});

const createText = (text: string, day: string) => ({ id: 'i1', text, day });
const createNote = (day: string, date: string) => ({ id: 'n1', day, date });
const createDeal = (day: string | undefined, cents = 0) => ({
  ...{ id: 'e1', list_id: 'l1', label: 'DEAL-1', cents },
  due: day === undefined ? undefined : { field: 'Expected close', day },
});

test.each([
  [
    'a new promise',
    { promises: [createText('Mina sends the offer.', today)] },
    'promise 10 Promise open since 2026-11-27: Mina sends the offer.',
  ],
  [
    'an old promise',
    { promises: [createText('Mina sends the offer.', '2026-09-01')] },
    'promise 40 Promise open since 2026-09-01: Mina sends the offer.',
  ],
  [
    'an overdue promise',
    { promises: [createText('Mina calls on 20 November.', '2026-11-10')] },
    'promise 40 Promise overdue since 2026-11-20 (7 days ago): Mina calls on 20 November.',
  ],
  [
    'several promises',
    { promises: [createText('Mina calls.', today), createText('Mina calls on Thursday.', '2026-11-24')] },
    'promise 40 Promise overdue since 2026-11-26 (1 day ago): Mina calls on Thursday. (and 1 more)',
  ],
  [
    'a near close',
    { deals: [createDeal('2026-12-04')] },
    'close 15 DEAL-1: Expected close is 2026-12-04 (in 7 days)',
  ],
  ['a close today', { deals: [createDeal(today)] }, 'close 30 DEAL-1: Expected close is 2026-11-27 (today)'],
  [
    'a past close with a value',
    { deals: [createDeal('2026-11-01', 120_000)] },
    'close 30 DEAL-1: Expected close was 2026-11-01 (26 days ago); value 10 Open deals worth 1,200.00 in the first year',
  ],
  ['a value alone', { deals: [createDeal(undefined, 120_000)] }, ''],
  ['contacts within their rhythm', { contactDays: ['2026-09-01', '2026-10-01', '2026-11-01'] }, ''],
  [
    'contacts beyond their rhythm',
    { contactDays: ['2026-09-20', '2026-08-20', '2026-07-20'] },
    'rhythm 20 No contact for 68 days (usually every 31 days)',
  ],
  [
    'frequent contacts, less than 14 days ago',
    { contactDays: ['2026-11-15', '2026-11-16', '2026-11-17'] },
    '',
  ],
  ['two contacts', { contactDays: ['2026-01-01', '2026-01-15'] }, ''],
  ['an upcoming meeting', { contactDays: ['2026-01-01', '2026-01-15', '2026-12-01'] }, ''],
  [
    'a note that names a near date',
    { notes: [createNote('2026-11-12', '2026-12-04')] },
    'date 8 Note of 2026-11-12 mentions 2026-12-04 (in 7 days)',
  ],
  [
    'a date without a contact since',
    { notes: [createNote('2026-11-20', '2026-11-23')], contactDays: ['2026-11-20'] },
    'date 15 Note of 2026-11-20 mentions 2026-11-23 (4 days ago)',
  ],
  [
    'a date with a contact since',
    { notes: [createNote('2026-11-20', '2026-11-23')], contactDays: ['2026-11-23'] },
    '',
  ],
  ['a date long ago', { notes: [createNote('2026-10-20', '2026-10-26')] }, ''],
])('explains %s', (_, facts, expected) => {
  const [found] = rankFollowUps([createParty(facts)], today);
  const texts = found?.reasons.map(({ part, score, text }) => `${part} ${score} ${text}`) ?? [];
  expect(texts.join('; ')).toBe(expected);
  expect(found?.score ?? 0).toBe(found?.reasons.reduce((sum, { score }) => sum + score, 0) ?? 0);
});

test('sorts by the sum of the weighted parts', () => {
  const promise = createParty({ id: 'promise', promises: [createText('Mina calls.', '2026-09-01')] });
  const close = createParty({ id: 'close', deals: [createDeal('2026-11-01', 100)] });
  const both = createParty({ ...close, id: 'both', promises: promise.promises });
  const list = (weights: Weights = defaultWeights) =>
    rankFollowUps([promise, close, both], today, weights).map(({ party, score }) => [party.id, score]);
  expect(list()).toEqual([
    ['both', 80],
    ['promise', 40],
    ['close', 40],
  ]);
  expect(list({ ...defaultWeights, promise: 0, value: 0 })).toEqual([
    ['close', 30],
    ['both', 30],
  ]);
});

test.each([
  ['Until 2026-12-03.', '2026-12-03'],
  ['by December 3rd, 2027', '2027-12-03'],
  ['on Dec 3', '2026-12-03'],
  ['on the 3rd of January', '2027-01-03'],
  ['bis zum 3. Dezember', '2026-12-03'],
  ['am Donnerstag', '2026-12-03'],
  ['avant le 1er décembre', '2026-12-01'],
  ['el 3 de diciembre de 2026', '2026-12-03'],
  ['na terça-feira', '2026-12-01'],
  ['12월 3일까지', '2026-12-03'],
  ['금요일까지', '2026-12-04'],
  ['12月3日に', '2026-12-03'],
  ['木曜日に', '2026-12-03'],
  ['in May 2027', undefined],
  ['on 31 February', undefined],
  ['14 rooms', undefined],
  ['the mayor has 3 rooms', undefined],
  ['2 out of 3 rooms, and set 5 alarms two weeks ago 3 times', undefined],
  ['até 5 de setembro', '2027-09-05'],
])('finds the date in "%s"', (text, date) => {
  expect(findNamedDate(text, today)).toBe(date);
});

test('parses weights, and keeps the default of an omitted part', () => {
  expect(parseWeights('promise=50, value=0')).toEqual({ ...defaultWeights, promise: 50, value: 0 });
  expect(parseWeights(formatWeights(defaultWeights))).toEqual(defaultWeights);
  for (const text of ['', 'promise', 'promise=-1', 'other=1', 'promise=1,'])
    expect(parseWeights(text)).toBeUndefined();
});

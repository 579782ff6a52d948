import { expect, test } from 'vitest';
import { identifyItems } from '../../src/actions/item-id.ts';
import { matchItems } from '../../src/actions/match-items.ts';

const getIds = (texts: readonly string[], known: readonly { id: string; text: string }[] = []) =>
  identifyItems('m1', texts, known).map(({ id }) => id);

test.each([
  ['the same text', 'Send the offer', 'Send the offer', true],
  ['a comma and case', 'send the offer to Hanbit today', 'Send the offer, to Hanbit, today.', true],
  ['accents and spaces', 'Hélène  donne sa décision', 'Helene donne sa decision', true],
  ['a typo', 'Send the quotaton to Hanbit', 'Send the quotation to Hanbit', true],
  ['an article', 'Send the revised offer to Hanbit', 'Send revised offer to Hanbit', true],
  ['an additional word', 'Send the offer to Hanbit', 'Send the offer to Hanbit Friday', true],
  ['another ending', 'Jiwoo: send the offer', 'Jiwoo sends the offer', true],
  ['another order of words', 'Today call the landlord', 'Call the landlord today', true],
  ['a Korean particle', '지우가 견적서를 보낸다', '지우는 견적서를 보낸다', true],
  ['a Japanese comma', '森が高さ四センチの表示器を探す。', '森が、高さ四センチの、表示器を探す', true],
  [
    'another name',
    'Call Jiwoo about the delivery schedule',
    'Call Hannah about the delivery schedule',
    false,
  ],
  ['another number', 'Send invoice 12 to Hanbit', 'Send invoice 13 to Hanbit', false],
  ['another day', 'Send the offer by Monday', 'Send the offer by Friday', false],
  ['a much longer text', 'Send the offer', 'Send the offer and the contract, then call the landlord', false],
  ['another Korean name', '지우가 견적서를 보낸다', '민재가 견적서를 보낸다', false],
  ['another Japanese name', '田中さんが見積書を送る', '佐藤さんが見積書を送る', false],
  ['another text', 'Send the offer', 'Call the landlord', false],
])('an item with %s keeps its id or gets another one', (_, before, after, isSame) => {
  const [id = ''] = getIds([before]);
  expect(getIds([after], [{ id: 'first', text: before }])[0] === 'first').toBe(isSame);
  expect(id).toMatch(/^[0-9a-hj-km-np-tv-z]{10}$/);
});

test('derives the id from the meeting and the letters and digits of the text', () => {
  const [id] = getIds(['Send the offer']);
  expect(getIds(['Send the offer.'])).toEqual([id]);
  expect(getIds(['Send the offers'])).not.toEqual([id]);
  expect(identifyItems('m2', ['Send the offer'], [])[0]?.id).not.toBe(id);
});

test('gives equal texts of a meeting different, stable ids', () => {
  const ids = getIds(['Call', 'Call', 'Call']);
  expect(new Set(ids).size).toBe(3);
  expect(getIds(['Call', 'Call', 'Call'])).toEqual(ids);
});

test('assigns the best matches first', () => {
  const known = [
    { id: 'draft', text: 'Send the draft of the contract' },
    { id: 'signed', text: 'Send the signed draft of the contract' },
  ];
  const texts = ['Send the signed draft of the contract today', 'Send the draft of the contract'];
  expect(getIds(texts, known)).toEqual(['signed', 'draft']);
  expect(getIds(texts.toReversed(), known.toReversed())).toEqual(['draft', 'signed']);
  const similar = ['Send the signed draft of the contract', 'Send the draft of the contracts'];
  expect(getIds(similar, known.slice(0, 1))).toEqual([expect.not.stringMatching('draft'), 'draft']);
});

test('prefers the same id to the same text', () => {
  const known = [{ id: 'a', text: 'Call' }];
  const items = [
    { id: 'b', text: 'Call' },
    { id: 'a', text: 'Call the landlord' },
  ];
  expect(matchItems(items, known).map((match) => match?.id)).toEqual([undefined, 'a']);
});

test('compares many long items quickly', () => {
  const texts = Array.from(
    { length: 1000 },
    (_, index) => `${'Call the landlord '.repeat(100)} item ${index}`,
  );
  const known = texts.map((text, index) => ({ id: `${index}`, text: `Please ${text}` }));
  const start = performance.now();
  expect(new Set(getIds(texts, known)).size).toBe(1000);
  expect(performance.now() - start).toBeLessThan(5000);
});

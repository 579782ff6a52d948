import { expect, test } from 'vitest';
import { normalizeTexts, readTexts } from '../../src/values/field-values.ts';

test.each([
  [
    ['a@x.example', 'b@x.example'],
    ['a@x.example', 'b@x.example'],
  ],
  ['a@x.example', ['a@x.example']],
  [{ email: 'a@x.example' }, ['a@x.example']],
  [[{ id: 7, name: 'Work', address: 'a@x.example' }], ['a@x.example']],
  [
    [{ value: 5_550_100 }, 5_550_101],
    ['5550100', '5550101'],
  ],
  [[{ name: 'acme.example' }], ['acme.example']],
  [[{}, { email: null }, null, ['a']], []],
  [null, []],
  [undefined, []],
])('%j contains the texts %j', (value, texts) => {
  expect(readTexts(value)).toEqual(texts);
});

test('normalizes only fields with several texts, and keeps items without a text', () => {
  expect(normalizeTexts('emails', [{ value: 'a@x.example' }, { type: 'work' }])).toEqual([
    'a@x.example',
    { type: 'work' },
  ]);
  expect(normalizeTexts('attendees', [{ email: 'a@x.example' }])).toEqual([{ email: 'a@x.example' }]);
  expect(normalizeTexts('domains', null)).toBe(null);
  expect(normalizeTexts(undefined, 'x')).toBe('x');
});

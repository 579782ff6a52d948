import { expect, test } from 'vitest';
import type { FieldType } from '../../src/contract/field-types.ts';
import type { Field } from '../../src/filter/filter.ts';
import { createFieldSortedList, parseSortOrder } from '../../src/filter/order.ts';

test.each([
  ['name', 'name', false],
  ['-created_at', 'created_at', true],
  ['created_at:desc', 'created_at', true],
  ['created_at:ASC', 'created_at', false],
  ['-Cold rooms', 'Cold rooms', true],
  ['a:b', 'a:b', false],
  ['a:b:desc', 'a:b', true],
  ['-', '-', false],
])('parses the order %s', (text, name, isDescending) => {
  expect(parseSortOrder(text)).toEqual({ name, isDescending });
});

test('rejects two directions', () => {
  expect(() => parseSortOrder('-name:asc')).toThrow('"-name:asc" has two directions; use -name or name:asc.');
});

/** Sorts values of a field; a limit is a number of values. */
function sort(type: FieldType, values: readonly unknown[], isDescending = false, limit?: number): unknown[] {
  const options = ['Lead', 'Proposal', 'Won'];
  const field: Field = {
    name: 'x',
    type,
    ...(type === 'select' && { options }),
    read: ({ x }) => [x].flat(),
  };
  const sorted = createFieldSortedList<unknown>(field, isDescending, limit);
  for (const x of values) sorted.add(x, { x });
  return sorted.toArray();
}

test.each<readonly [type: FieldType, values: unknown[], ascending: unknown[], descending: unknown[]]>([
  ['text', ['b', 'Ä', null, 'a', '한'], ['a', 'Ä', 'b', '한', null], ['한', 'b', 'Ä', 'a', null]],
  ['text', ['DEAL-10', '', 'DEAL-9'], ['DEAL-9', 'DEAL-10', ''], ['DEAL-10', 'DEAL-9', '']],
  ['number', [10, 9, undefined, '2', 'x'], ['2', 9, 10, undefined, 'x'], [10, 9, '2', undefined, 'x']],
  ['money', [120_000, 900], [900, 120_000], [120_000, 900]],
  [
    'date',
    ['2026-10-01', null, '1988-03-02'],
    ['1988-03-02', '2026-10-01', null],
    ['2026-10-01', '1988-03-02', null],
  ],
  [
    'datetime',
    ['2026-05-01T10:00:00+09:00', '2026-05-01T02:00:00Z'],
    ['2026-05-01T10:00:00+09:00', '2026-05-01T02:00:00Z'],
    ['2026-05-01T02:00:00Z', '2026-05-01T10:00:00+09:00'],
  ],
  ['boolean', [true, false, null], [false, true, null], [true, false, null]],
  [
    'select',
    ['Won', 'Former', 'Lead', null],
    ['Lead', 'Won', 'Former', null],
    ['Former', 'Won', 'Lead', null],
  ],
])('sorts values of type %s, missing ones last', (type, values, ascending, descending) => {
  expect(sort(type, values)).toEqual(ascending);
  expect(sort(type, values, true)).toEqual(descending);
});

test('sorts by the first value of several', () => {
  expect(sort('text', [['b', 'a'], [null, 'a'], []])).toEqual([[null, 'a'], ['b', 'a'], []]);
});

test('keeps the order of equal records, in both directions', () => {
  const records = Array.from({ length: 50 }, (_, index) => ({
    index,
    x: index % 3 === 0 ? null : index % 2,
  }));
  const field: Field = { name: 'x', type: 'number', read: ({ x }) => [x] };
  for (const isDescending of [false, true])
    for (const limit of [undefined, 1, 7, 50]) {
      const sorted = createFieldSortedList<(typeof records)[number]>(field, isDescending, limit);
      for (const record of records) sorted.add(record, record);
      const first = isDescending ? 1 : 0;
      const expected = [first, 1 - first, null].flatMap((x) => records.filter((record) => record.x === x));
      expect(sorted.toArray()).toEqual(expected.slice(0, limit));
      expect(sorted.getCount()).toBe(50);
    }
});

test('returns the first records of a long list', () => {
  const values = Array.from({ length: 1000 }, (_, index) => (index * 7919) % 1000);
  expect(sort('number', values, false, 5)).toEqual([0, 1, 2, 3, 4]);
  expect(sort('number', values, true, 2)).toEqual([999, 998]);
});

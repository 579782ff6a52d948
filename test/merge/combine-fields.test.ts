import { expect, test } from 'vitest';
import { combineFields } from '../../src/merge/combine-fields.ts';

const friends = (value: readonly string[]) =>
  ({ f1: { name: 'Friends', data_type: 'contact', value } }) as const;

test('a field that names the other contact is united with the values that it adds', () => {
  const { changes, conflicts } = combineFields(friends(['c2', 'c3']), friends(['c4']), {
    noun: 'contact',
    keep: 'c1',
    other: 'c2',
  });
  expect(changes).toEqual({ Friends: ['c1', 'c3', 'c4'] });
  expect(conflicts).toEqual([]);
});

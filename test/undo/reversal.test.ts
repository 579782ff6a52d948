import { expect, test } from 'vitest';
import { revertValues } from '../../src/undo/reversal.ts';

test.each([
  ['contact', { first_name: null }, { first_name: 'Ada' }, { first_name: null }],
  ['organization', { name: null }, { name: 'Acme' }, { name: '' }],
  ['contact', { phone_numbers: null }, { phone_numbers: ['+82105550123'] }, { phone_numbers: [] }],
  [
    'entry',
    { list_fields: { Rooms: null, Size: 3 } },
    { list_fields: { Rooms: 2, Size: 3 } },
    { list_fields: [{ name: 'Rooms', value: null }] },
  ],
] as const)('restores a missing value of a record (%s)', (noun, before, after, body) => {
  const writes = [{ noun, id: 'x', action: 'update', body }];
  expect(revertValues({ noun, id: 'x' }, before, after)).toEqual({ writes, unwritableFields: [] });
});

test('names a value that the API cannot remove', () => {
  const amount = { one_time_value_cents: 100 };
  const path = { noun: 'entry', list_id: 'l', id: 'x' } as const;
  expect(revertValues(path, { one_time_value_cents: null }, amount)).toEqual({
    writes: [],
    unwritableFields: ['one_time_value_cents'],
  });
});

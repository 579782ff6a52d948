import { expect, test } from 'vitest';
import { findMissingValues } from '../../../src/archive/transfer/missing-values.ts';

test('an empty field gets the value, and another value stays', () => {
  const target = { id: 'c1', first_name: 'A.', last_name: null, emails: ['A@x.example'] };
  const source = {
    first_name: 'Ada',
    last_name: '김',
    emails: ['a@x.example', 'b@x.example', 'c@x.example'],
  };
  expect(findMissingValues('contacts', source, target, (email) => email !== 'c@x.example')).toEqual({
    body: { last_name: '김', emails: ['b@x.example'] },
    kept: ['first_name', 'emails'],
  });
});

test('adds phone numbers to a record, unless the service did not return its numbers', () => {
  const source = { phone_numbers: ['+82 2 345 6789', '+82 10 1234 5678'] };
  expect(findMissingValues('contacts', source, { id: 'c1', phone_numbers: ['+821012345678'] })).toEqual({
    body: { phone_numbers: ['+821012345678', '+82 2 345 6789'] },
    kept: [],
  });
  expect(findMissingValues('contacts', source, { id: 'c1' })).toEqual({ body: {}, kept: ['phone_numbers'] });
});

test('the period of a recurring value belongs to its amount', () => {
  const source = { recurring_value_cents: 500, recurring_value_period: 'monthly', one_time_value_cents: 0 };
  const target = { recurring_value_period: 'annual', one_time_value_cents: 900 };
  expect(findMissingValues('entries', source, { id: 'e1', ...target, recurring_value_cents: 0 })).toEqual({
    body: { recurring_value_cents: 500, recurring_value_period: 'monthly' },
    kept: [],
  });
  expect(findMissingValues('entries', source, { id: 'e1', ...target, recurring_value_cents: 700 })).toEqual({
    body: {},
    kept: ['recurring_value_cents', 'recurring_value_period'],
  });
});

test('a list gets missing fields after its own fields, and no statuses', () => {
  const source = {
    fields: [{ name: 'Tier', data_type: 'text' }],
    statuses: [{ name: 'Won', type: 'won' }],
  };
  const target = { id: 'l1', fields: [{ name: 'Region', data_type: 'text' }], statuses: [] };
  expect(findMissingValues('lists', source, target)).toEqual({
    body: {
      fields: [
        { name: 'Region', data_type: 'text' },
        { name: 'Tier', data_type: 'text' },
      ],
    },
    kept: ['statuses'],
  });
  expect(findMissingValues('lists', source, { id: 'l1' }).body).toEqual({});
});

test('compares values of custom fields by name, not by the ids of their fields', () => {
  const target = {
    id: 'o1',
    custom_fields: {
      f9: { name: 'Rooms', data_type: 'number', value: 3 },
      f8: { name: 'Since', data_type: 'datetime', value: '2026-05-01T00:00:00Z' },
      f7: { name: 'Tier', data_type: 'text', value: null },
    },
  };
  const custom_fields = [
    { name: 'Rooms', value: 4 },
    { name: 'Since', value: '2026-05-01T00:00:00.000Z' },
    { name: 'Tier', value: 'Gold' },
  ];
  expect(findMissingValues('organizations', { custom_fields }, target)).toEqual({
    body: { custom_fields: [{ name: 'Tier', value: 'Gold' }] },
    kept: ['Rooms'],
  });
});

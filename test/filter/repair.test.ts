import { expect, test } from 'vitest';
import type { FieldType } from '../../src/contract/field-types.ts';
import type { Field } from '../../src/filter/filter.ts';
import { repairExpression } from '../../src/filter/repair.ts';

const createField = (name: string, type: FieldType, options: string[] = []): Field => ({
  ...{ name, type, options },
  read: () => [],
});

const fields = [
  createField('status', 'select', ['Lead', 'Closed won', 'Lost']),
  createField('name', 'text'),
  createField('Expected close', 'date'),
  createField('예상 마감', 'date'),
  createField('Status and more', 'text'),
  createField('in', 'text'),
  createField('Not contacted', 'text'),
  createField('Rooms', 'number'),
  createField('organization', 'organization'),
];

test.each([
  ['status = Closed won', 'status = "Closed won"'],
  ['status = Closed won and Rooms > 3', 'status = "Closed won" and Rooms > 3'],
  ['name = Salt and Sons', 'name = "Salt and Sons"'],
  ['name = Salt and Sons or Rooms < 3', 'name = "Salt and Sons" or Rooms < 3'],
  ['Expected close < next friday', '"Expected close" < "next friday"'],
  ['Expected close < in 3 days and in = x', '"Expected close" < "in 3 days" and "in" = x'],
  ['예상 마감 >= end of month', '"예상 마감" >= "end of month"'],
  ['Status and more = a b', '"Status and more" = "a b"'],
  ['(name = a b', '(name = "a b")'],
  ['name = a)', 'name = a'],
  ['not (name = a b or name = c d) and Rooms > 3', 'not (name = "a b" or name = "c d") and Rooms > 3'],
  ['Not contacted = a b', '"Not contacted" = "a b"'],
  ['not not contacted == a', 'not "not contacted" = a'],
  ['(name = a ( b )) and Rooms == 3', '(name = "a ( b )") and Rooms = 3'],
  ['status in Lead, Lost', 'status in (Lead, Lost)'],
  ['status not in (Closed won, lost)', 'status not in ("Closed won", lost)'],
  ['status in (Lead', 'status in (Lead)'],
  ['name == a && Rooms =< 3', 'name = a and Rooms <= 3'],
  ['name <> a || name is not null', 'name != a or name != null'],
  ['name is empty or Rooms is not empty', 'name = null or Rooms != null'],
  ['name like cold room and Rooms is 3', 'name ~ "cold room" and Rooms = 3'],
  ['name = "Ada', 'name = Ada'],
  ["name = 'Ada and Bob", 'name = "Ada and Bob"'],
  ['name = “Ada L”', 'name = "Ada L"'],
  [`name = 'say "hi"' x`, String.raw`name = "'say \"hi\"' x"`],
  ['name = "null" and Rooms == 3', 'name = "null" and Rooms = 3'],
])('repairs %s', (text, expected) => {
  expect(repairExpression(text, fields)?.text).toBe(expected);
});

test.each([
  ['namr = a', 'name = a'],
  ['Expected clsoe < today', '"Expected close" < today'],
  ['status = closd won', 'status = "Closed won"'],
  ['status in (Led, Lost)', 'status in (Lead, Lost)'],
])('replaces the name or the option in %s', (text, expected) => {
  expect(repairExpression(text, fields)).toEqual({ text: expected, hasReplacement: true });
});

test.each(['', 'name', 'name =', 'name = a and', 'quantum = 3', '= 3', 'name and', 'status in ()', 'or = 3'])(
  'does not guess the meaning of "%s"',
  (text) => {
    expect(repairExpression(text, fields)).toBeUndefined();
  },
);

test('replaces nothing in a valid expression, or in a value that is similar to no option', () => {
  for (const text of ['name = a and Rooms > x', 'status = Unheard', 'status = "" or status = null'])
    expect(repairExpression(text, fields)?.hasReplacement).toBe(false);
});

import { expect, test } from 'vitest';
import { listDetails, renderDetails } from '../../src/render/details.ts';
import { plainPaint } from '../../src/render/paint.ts';

/** Lists the names of details with their lines. */
const listTexts = (record: unknown) => listDetails(record).map(([name, lines]) => [name, lines.join(' / ')]);

test('lists names and values, with custom fields by name', () => {
  expect(
    listTexts({
      id: 'c1',
      first_name: 'Ada',
      last_name: null,
      emails: ['a@x.org', 'b@x.org'],
      empty: [],
      note: '',
      active: false,
      count: 0,
      custom_fields: { f1: { name: '담당', value: ['가', '나'] }, f2: { value: null } },
      organization: { id: 'o1', name: 'Acme' },
      attendees: [{ email: 'a@x.org' }, { email: 'b@x.org' }],
      statuses: [
        { name: 'Won', type: 'won' },
        { name: 'Lost', type: 'lost' },
      ],
      recordings: [{ id: 'r1', status: 'done' }],
      fields: [{ name: 'Budget', data_type: 'number' }],
      odd: { deep: [1, { a: 2 }] },
    }),
  ).toEqual([
    ['id', 'c1'],
    ['first_name', 'Ada'],
    ['last_name', '-'],
    ['emails', 'a@x.org, b@x.org'],
    ['empty', ''],
    ['note', ''],
    ['active', 'false'],
    ['count', '0'],
    ['담당', '가, 나'],
    ['f2', '-'],
    ['organization', 'Acme'],
    ['attendees', 'a@x.org, b@x.org'],
    ['statuses', 'Won (won), Lost (lost)'],
    ['recordings', 'r1 (done)'],
    ['fields', 'Budget (number)'],
    ['odd.deep', '1, a: 2'],
  ]);
});

test('sanitizes names and values and joins their lines', () => {
  const hostile = 'a\u001b[2J\nb\u202e';
  const expected = 'a\\x1b[2J b\\u202e';
  expect(
    listTexts({
      [hostile]: hostile,
      list: [hostile, { name: hostile, type: hostile }],
      custom_fields: { f: { name: hostile, value: hostile } },
    }),
  ).toEqual([
    [expected, expected],
    ['list', `${expected}, ${expected} (${expected})`],
    [expected, expected],
  ]);
});

test.each([
  ['no record', null],
  ['a text', 'x'],
  ['no custom fields', { custom_fields: null, list_fields: {} }],
])('lists nothing for %s', (_, record) => {
  expect(listDetails(record)).toEqual([]);
});

test('aligns the values of a record in every script', () => {
  expect(renderDetails({ id: 'a', 담당자: '김', empty: '' }, plainPaint)).toBe(
    'id      a\n담당자  김\nempty\n',
  );
  expect(renderDetails({}, plainPaint)).toBe('');
});

import { expect, test } from 'vitest';
import { type Column, createPlainColumn } from '../../src/render/columns.ts';
import { createTimeFormatter, type Display, formatColumn, plainDisplay } from '../../src/render/display.ts';
import { formatAmount, formatRecurringAmount } from '../../src/values/money.ts';

const now = new Date('2026-11-23T06:30:00.000Z');

test.each([
  ['2026-11-23T06:29:40.000Z', 'now', '2026-11-23 15:29 (now)'],
  ['2026-11-23T06:25:00.000Z', '5 min ago', '2026-11-23 15:25 (5 min ago)'],
  ['2026-11-23T03:00:00.000Z', '3 h ago', '2026-11-23 12:00 (3 h ago)'],
  ['2026-11-22T06:29:00.000Z', 'Nov 22 15:29', '2026-11-22 15:29'],
  ['2026-11-23T06:45:30.000Z', 'in 15 min', '2026-11-23 15:45 (in 15 min)'],
  ['2026-11-24T10:00:00.000+09:00', 'in 18 h', '2026-11-24 10:00 (in 18 h)'],
  ['2026-11-24T07:00:00.000Z', 'in 1 day', '2026-11-24 16:00 (in 1 day)'],
  ['2026-11-25T07:00:00.000Z', 'in 2 days', '2026-11-25 16:00 (in 2 days)'],
  ['2026-12-01T07:00:00.000Z', 'Dec 1 16:00', '2026-12-01 16:00'],
  ['2025-12-31T14:59:00.000Z', 'Dec 31 2025', '2025-12-31 23:59'],
  ['2025-12-31T15:00:00.000Z', 'Jan 1 00:00', '2026-01-01 00:00'],
  ['2026-05-31', '2026-05-31', '2026-05-31'],
  ['2026-13-01T00:00:00Z', '2026-13-01T00:00:00Z', '2026-13-01T00:00:00Z'],
  ['soon', 'soon', 'soon'],
])('the time %s in Seoul: %s in a table, %s in details', (time, inTable, inDetails) => {
  const formats = [false, true].map((isFull) => createTimeFormatter(now, 'Asia/Seoul', isFull)(time));
  expect(formats).toEqual([inTable, inDetails]);
});

test.each([
  [125_000, 'monthly', '1,250.00', '1,250.00/mo'],
  [123_456_789, 'annual', '1,234,567.89', '1,234,567.89/yr'],
  [99, 'one_time', '0.99', '0.99'],
  [null, 'monthly', '', ''],
  ['90071992547409931', null, '900,719,925,474,099.31', '900,719,925,474,099.31'],
])('formats %s cents, %s', (cents, period, amount, recurring) => {
  expect([formatAmount(cents), formatRecurringAmount(cents, period)]).toEqual([amount, recurring]);
});

const names: Readonly<Record<string, string>> = {
  'ada@x.example': 'Ada Lovelace',
  'rui@x.example': 'Rui Costa',
  'evil@x.example': 'a\u001b[2J\nb\u202e',
};
const display: Display = { ...plainDisplay, getName: (_, id) => names[id] ?? id };
const attendees: Column = { ...createPlainColumn('people'), reference: () => 'email', maxItems: 2 };
const showPeople = (people: unknown, width?: number, more: Partial<Display> = {}) =>
  formatColumn(attendees, { people }, { ...display, ...more }, width);

const five = ['ada@x.example', 'rui@x.example', 'c@x.example', 'd@x.example', 'e@x.example'];

test.each([
  [undefined, 'Ada Lovelace, Rui Costa +3'],
  [26, 'Ada Lovelace, Rui Costa +3'],
  [25, 'Ada Lovelace +4'],
  [14, 'Ada Lovela… +4'],
])('shows people by name and count within %s columns', (width, text) => {
  expect(showPeople(five, width)).toBe(text);
});

test('shows a person without a name by the local part of the address, and in full with the address', () => {
  expect([
    showPeople(['mina@tidewater.example']),
    showPeople(['@odd', '']),
    showPeople(['ada@x.example', 'mina@tidewater.example'], undefined, { isFull: true }),
    showPeople([]),
    showPeople(null),
  ]).toEqual(['mina', '@odd, ', 'Ada Lovelace <ada@x.example>, mina@tidewater.example', '', '']);
});

test('sanitizes a name from the service', () => {
  expect(showPeople(['evil@x.example'])).toBe('a\\x1b[2J b\\u202e');
});

test('shows the first line of a text, or all lines in full', () => {
  const column: Column = { ...createPlainColumn('body'), isText: true };
  const record = { body: '\n Called back. \r\n\nWants a quote.\n' };
  expect([
    formatColumn(column, record, display),
    formatColumn(column, record, { ...display, isFull: true }),
  ]).toEqual(['Called back.', 'Called back. Wants a quote.']);
});

test('shows objects by their titles or members, never as JSON', () => {
  const cells = [
    { title: 'Freezer 7', content: 'It hums.' },
    { name: 'Won', type: 'won' },
    { deep: [1, { a: true }] },
    [{ email: 'a@x.example' }, [{ id: 'i1' }]],
  ].map((value) => formatColumn(createPlainColumn('value'), { value }, display));
  expect(cells).toEqual(['Freezer 7', 'Won (won)', 'deep: 1, a: true', 'a@x.example, i1']);
});

import { expect, test } from 'vitest';
import { listDetailReferences, listDetails, renderDetails } from '../../src/render/details.ts';
import { plainDisplay } from '../../src/render/display.ts';
import { plainPaint } from '../../src/render/text/paint.ts';
import { views } from '../../src/render/views.ts';

/** Lists the names of details with their lines. */
const listTexts = (record: unknown) =>
  listDetails(record).map(({ label, texts }) => [label, texts.join(' / ')]);

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
      constructor: 'builder',
      ['__proto__']: 1,
    }),
  ).toEqual([
    ['ID', 'c1'],
    ['First name', 'Ada'],
    ['Last name', '-'],
    ['Emails', 'a@x.org, b@x.org'],
    ['empty', '-'],
    ['note', '-'],
    ['active', 'false'],
    ['count', '0'],
    ['담당', '가, 나'],
    ['f2', '-'],
    ['organization', 'Acme'],
    ['Attendees', 'a@x.org, b@x.org'],
    ['Statuses', 'Won (won), Lost (lost)'],
    ['Recordings', 'r1 (done)'],
    ['Fields', 'Budget (number)'],
    ['odd.deep', '1, a: 2'],
    ['constructor', 'builder'],
    ['__proto__', '1'],
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
  expect(renderDetails({ id: 'a', 담당자: '김', empty: '' }, { paint: plainPaint, width: undefined })).toBe(
    'ID      a\n담당자  김\nempty   -\n',
  );
  expect(renderDetails({}, { paint: plainPaint, width: undefined })).toBe('');
});

const entry = {
  id: 'e1',
  list_id: 'l1',
  entryable_id: 'o1',
  entryable_type: 'Organization',
  contact_id: null,
  list_fields: {
    f1: { name: 'Champion', data_type: 'contact', value: ['c1', 'c2'] },
    f2: { name: 'Visit', data_type: 'datetime', value: '2026-05-01T10:00:00.000Z' },
    f3: { name: 'Plan', data_type: 'textarea', value: 'Call.\nVisit.' },
  },
  status: 'Won',
  assignee: { email: 'mina@x.example' },
  one_time_value_cents: 1_092_000,
  recurring_value_cents: 42_000,
  recurring_value_period: 'monthly',
  created_at: '2026-04-20T08:00:00.000Z',
};

test('shows the details of an entry as its table does: names, money and times', () => {
  const display = {
    getName: (kind: string, id: string) => `${kind} ${id}`,
    formatTime: (text: string) => text.slice(0, 16),
    isFull: true,
  };
  expect(renderDetails(entry, { paint: plainPaint, width: undefined }, views.entries([entry]), display)).toBe(
    [
      'ID              e1',
      'List            list l1',
      'Organization    organization o1',
      'Entryable type  Organization',
      'Contact         -',
      'Champion        contact c1, contact c2',
      'Visit           2026-05-01T10:00',
      'Plan            Call.',
      '                Visit.',
      'Status          Won',
      'Assignee        mina@x.example',
      'One-time        10,920.00',
      'Recurring       420.00/mo',
      'Created         2026-04-20T08:00',
      '',
    ].join('\n'),
  );
  expect(listDetailReferences(entry, views.entries([entry])).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    ...['list l1', 'organization o1', 'contact c1', 'contact c2'],
  ]);
});

test('shows long values one per line, and the members of an object by their paths', () => {
  const record = {
    summary: { topics: [{ title: '가'.repeat(21), content: 'x' }, { title: 'B' }], other: { deep: 1 } },
  };
  expect(listDetails(record, [], plainDisplay)).toEqual([
    { label: 'summary.topics', texts: ['가'.repeat(21), 'B'] },
    { label: 'summary.other.deep', texts: ['1'] },
  ]);
});

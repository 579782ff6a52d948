import { expect, test } from 'vitest';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { contacts } from '../../src/contract/contacts.ts';
import { customFields } from '../../src/contract/custom-fields.ts';
import { entries } from '../../src/contract/entries.ts';
import { lists } from '../../src/contract/lists.ts';
import { notes } from '../../src/contract/notes.ts';
import { organizations } from '../../src/contract/organizations.ts';
import { createRecordNormalizer } from '../../src/contract/received.ts';
import { recordings } from '../../src/contract/recordings.ts';
import { formatCell } from '../../src/render/cells.ts';
import { type Column, createPlainColumn } from '../../src/render/columns.ts';
import { createCsvRenderer } from '../../src/render/csv.ts';
import { createTsvRenderer } from '../../src/render/delimited.ts';
import { views } from '../../src/render/views.ts';
import { formatCents } from '../../src/values/money.ts';

const createTwoColumns = () => [createPlainColumn('a'), createPlainColumn('b')];
const formatCsvCell = (text: unknown) =>
  createCsvRenderer(() => [createPlainColumn('a'), createPlainColumn('b')])([{ a: text, b: 'x' }]);

test.each([
  ['nothing', null, ''],
  ['a missing field', undefined, ''],
  ['zero', 0, '0'],
  ['false', false, 'false'],
  ['several values', ['a', 'b'], 'a;b'],
  ['values within values', [['a', 1], [null]], 'a;1;'],
  ['no values', [], ''],
  ['an object', { a: [1] }, '{"a":[1]}'],
])('the text of a cell: %s', (_, value, text) => {
  expect(formatCell(value, ';')).toBe(text);
});

test.each([
  [0, '0.00'],
  [5, '0.05'],
  [99, '0.99'],
  [125_000, '1250.00'],
  [-5, '-0.05'],
  [-125_050, '-1250.50'],
  [9_007_199_254_740_991, '90071992547409.91'],
  [1.5, 1.5],
  [null, null],
  ['12', '12'],
])('%s cents are %s', (cents, amount) => {
  expect(formatCents(cents)).toBe(amount);
});

test('TSV: prints a header, then a line for each record, in batches', () => {
  const renderTsv = createTsvRenderer(createTwoColumns);
  expect([renderTsv([{ a: 1, b: ['x', 'y'] }]), renderTsv([{ b: 'z' }, {}]), renderTsv([])]).toEqual([
    'a\tb\n1\tx;y\n',
    '\tz\n\t\n',
    '',
  ]);
});

test('TSV: escapes tabs and line ends, and truncates nothing', () => {
  const longText = '긴'.repeat(5000);
  expect(createTsvRenderer(createTwoColumns)([{ a: 'a\tb\nc\r\\n', b: longText }])).toBe(
    `a\tb\na\\tb\\nc\\r\\\\n\t${longText}\n`,
  );
});

test('TSV: escapes are reversible', () => {
  const texts = ['\n', '\\n', '\\\n', '\\\\n', '\t', '\\t', '\r', '\\', '\\\\'];
  const cells = texts.map((a) => createTsvRenderer(() => [createPlainColumn('a')])([{ a }]).split('\n')[1]);
  const unescaped: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };
  expect(
    cells.map((cell) => cell?.replace(/\\(.)/g, (_, letter: string) => unescaped[letter] ?? '')),
  ).toEqual(texts);
});

test.each([
  ['plain', 'plain', 'plain'],
  ['a comma', 'a,b', '"a,b"'],
  ['a quote', 'a "b"', '"a ""b"""'],
  ['a line feed', 'a\nb', '"a\nb"'],
  ['a carriage return', 'a\rb', '"a\rb"'],
  ['both', 'a\r\nb', '"a\r\nb"'],
  ['space around', ' a ', ' a '],
  ['a semicolon', 'a;b', 'a;b'],
  ['nothing', null, ''],
  ['another script', '김 👋', '김 👋'],
])('CSV (RFC 4180): %s', (_, text, cell) => {
  expect(formatCsvCell(text)).toBe(`a,b\r\n${cell},x\r\n`);
});

test.each([
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+cmd', "'+cmd"],
  ['-cmd', "'-cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['+1+cmd|x', "'+1+cmd|x"],
  ['-1-A1', "'-1-A1"],
  ['+821012345678', '+821012345678'],
  ['+82 (0)10-1234-5678', '+82 (0)10-1234-5678'],
  ['+1 415.555.2671', '+1 415.555.2671'],
  [['+821012345678', '+14155552671'], '+821012345678;+14155552671'],
  ['-1250.50', '-1250.50'],
  ['-', '-'],
  ['a=b', 'a=b'],
  [' =1', ' =1'],
  ["'quoted'", "'quoted'"],
])('CSV: puts an apostrophe before a cell that a spreadsheet would run: %s', (text, cell) => {
  expect(formatCsvCell(text)).toBe(`a,b\r\n${cell},x\r\n`);
});

test('CSV: puts an apostrophe before a header that a spreadsheet would run', () => {
  expect(createCsvRenderer(() => [createPlainColumn('=1+1'), createPlainColumn('b')])([])).toBe(
    "'=1+1,b\r\n",
  );
});

test.each([
  ['Ada', 'Lovelace', 'Ada Lovelace'],
  ['서연', '김', '김서연'],
  ['太郎', '山田', '山田太郎'],
  ['ひなた', '佐藤', '佐藤 ひなた'],
  ['マリー', 'スミス', 'スミス マリー'],
  ['Ada', null, 'Ada'],
  [null, 'Lovelace', 'Lovelace'],
  [null, null, ''],
  ['서연', 'Kim', '서연 Kim'],
])('the name of %s %s is %s', (first_name, last_name, name) => {
  expect(renderCells(views.contacts([]), { first_name, last_name })).toMatchObject({ name });
});

test('the columns of an event and of a list', () => {
  const event = {
    id: 'e',
    title: 'Kickoff',
    start_at: '2026-10-01T09:30:00.000+09:00',
    attendees: [{ email: 'a@x.org' }, {}],
    recordings: [
      { id: 'r1', status: 'done' },
      { id: 'r2', status: 'processing' },
    ],
  };
  const list = { id: 'l', name: 'Deals', process: null, entry_type: 'Contact', statuses: [{ name: 'Won' }] };
  expect([renderCells(views.events([]), event), renderCells(views.lists([]), list)]).toEqual([
    {
      id: 'e',
      start_at: '2026-10-01T09:30:00.000+09:00',
      title: 'Kickoff',
      attendees: 'a@x.org;',
      recordings: 'r1;r2',
    },
    {
      id: 'l',
      name: 'Deals',
      kind: 'list',
      entry_type: 'Contact',
      identifier: '',
      statuses: 'Won',
      fields: '',
    },
  ]);
});

test('has a column for each list field, and the columns of a process only for processes', () => {
  const plainRecord = {
    id: 'e',
    entryable_id: 'c',
    contact_id: null,
    list_fields: { f: { name: 'Notes', value: ['a'] } },
  };
  const deal = {
    ...plainRecord,
    key: 'DEAL-1',
    status: 'Won',
    assignee: { email: 'a@x.org' },
    one_time_value_cents: 120_050,
    recurring_value_cents: 0,
    recurring_value_period: null,
  };
  expect([plainRecord, deal].map((entry) => renderCells(views.entries([entry]), entry))).toEqual([
    { id: 'e', entryable_id: 'c', contact_id: '', Notes: 'a' },
    expect.objectContaining({
      key: 'DEAL-1',
      assignee: 'a@x.org',
      one_time_value: '1200.50',
      recurring_value: '0.00',
    }),
  ]);
});

const routes = {
  contacts: contacts.list,
  organizations: organizations.list,
  lists: lists.list,
  entries: entries.list,
  events: calendarEvents.list,
  recordings: recordings.get,
  notes: notes.list,
  customFields: customFields.list,
};

test.each(Object.entries(routes))('shows malformed records of a service as %s', (name, route) => {
  const malformed = [
    { id: 5 },
    { id: ['text'] },
    { id: 'a', attendees: 'x', recordings: 'y', statuses: {}, list_fields: 5, custom_fields: [null] },
  ];
  const render = createTsvRenderer(views[name as keyof typeof routes]);
  const text = render(malformed.map(createRecordNormalizer(route)));
  expect(text.split('\n').length).toBe(malformed.length + 2);
});

function renderCells(columns: readonly Column[], record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(columns.map(({ name, cell }) => [name, formatCell(cell(record), ';')]));
}

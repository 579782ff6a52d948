import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { createPlainColumn, type View } from '../../src/render/columns.ts';
import { createTableRenderer } from '../../src/render/table.ts';
import { plainPaint } from '../../src/render/text/paint.ts';
import { views } from '../../src/render/views.ts';

const createRenderer = (width: number | undefined, view: View = views.contacts) =>
  createTableRenderer(view, { width, paint: plainPaint });
const splitLines = (table: string) => table.replace(/\n$/, '').split('\n');

const people = [
  ['서연', '김', '주식회사 한빛소프트'],
  ['太郎', '山田', '東京都千代田区の株式会社'],
  ['ひなた', '佐藤', 'ﾊﾝｶｸ ﾃｽﾄ'],
  ['王', '小明', '上海有限公司'],
  ['José', 'Nuñez', 'Cafe\u0301 e\u0301toile\u0308'],
  ['नमस्ते', 'शर्मा', 'क्षत्रिय उद्योग'],
  ['สมชาย', 'ใจดี', 'บริษัทน้ำดื่ม'],
  ['محمد', 'العربي', 'شركة النور'],
  ['👩‍👩‍👧‍👦', '👋🏽', '🏳️‍🌈 🇰🇷 1️⃣ ❤️ ☺'],
  ['Zoë', 'Z̴̢̛a̸͝l̵̕g̷o̶', 'ⅷ ™ ½ — “”…'],
  ['', '', ''],
].map(([first_name, last_name, city], index) => ({
  id: `id${index}`,
  first_name,
  last_name,
  emails: [`someone.${index}@long-name.example.com`, `${city}@example.com`],
  phone_numbers: ['+821012345678'],
  organization_id: `org-${index}-${city}`,
}));

/** Every width from the narrowest for an id and a count on; from 80 on, every tenth. */
const widths = Array.from({ length: 140 }, (_, index) => index + 11).filter(
  (width) => width < 80 || width % 10 === 0,
);

test.each(people)('prints no line longer than the terminal at any width: $emails.1', (person) => {
  const tooLong = widths.filter((width) =>
    splitLines(createRenderer(width)([person])).some((line) => stringWidth(line) > width),
  );
  expect(tooLong).toEqual([]);
});

/** For words of these scripts cli-table3 and string-width count differently, and so do terminals. */
const disputed = /[\u0900-\u097f\u0e00-\u0e7f]/;

test.each(people.filter((person) => !disputed.test(String(person.first_name))))(
  'aligns columns: $emails.1',
  (person) => {
    const view: View = () => [
      createPlainColumn('name', { shrink: 1 }),
      createPlainColumn('mark', { shrink: 0 }),
    ];
    const name = `${person.last_name} ${person.first_name} ${person.organization_id}`;
    for (const width of widths.filter((width) => width >= 26)) {
      const records = [name, 'plain'].map((name) => ({ name, mark: 'X' }));
      const [header = '', first = '', second = ''] = splitLines(createRenderer(width, view)(records));
      const columns = [header.indexOf('MARK'), stringWidth(first.replace(/X$/, '')), second.lastIndexOf('X')];
      expect(columns).toEqual([columns[0], columns[0], columns[0]]);
      expect(columns[0]).toBeGreaterThan(5);
    }
  },
);

test('prints nothing for an empty list without a header', () => {
  const render = createTableRenderer(views.organizations, { width: 80, paint: plainPaint, header: false });
  expect(render([])).toBe('');
});

test('makes a table as wide as its text', () => {
  expect(
    createRenderer(80)([{ id: 'a', first_name: 'Ada', emails: ['a@x.org', 'b@x.org'] }, { id: 'bb' }]),
  ).toBe('ID  NAME  EMAILS      PHONE NUMBERS  ORGANIZATION\na   Ada   a@x.org +1\nbb\n');
});

test('prints a decomposed name whole, in composed form', () => {
  const name = { id: 'id0', first_name: '지우', last_name: '김', emails: ['é@x.example'] };
  const decomposed = JSON.parse(JSON.stringify(name).normalize('NFD'));
  expect(createRenderer(undefined)([decomposed])).toBe(createRenderer(undefined)([name]));
});

test('prints the header of an empty list', () => {
  expect(createRenderer(80, views.organizations)([])).toBe('ID  NAME  DOMAINS\n');
});

test('truncates between graphemes, with an ellipsis', () => {
  const view: View = () => [createPlainColumn('id', { shrink: 0 }), createPlainColumn('name', { shrink: 1 })];
  const family = '👩‍👩‍👧‍👦';
  const cells = [
    'abcdefghijklmnopqrstuvwxyz',
    '김이박최정강조윤장임한',
    family.repeat(11),
    'e\u0301'.repeat(21),
    'short',
  ];
  expect(splitLines(createRenderer(24, view)(cells.map((name) => ({ id: '1', name }))))).toEqual([
    'ID  NAME',
    '1   abcdefghijklmnopqrs…',
    '1   김이박최정강조윤장…',
    `1   ${family.repeat(9)}…`,
    `1   ${'é'.repeat(19)}…`,
    '1   short',
  ]);
});

test.each([
  [64, 'ID  NAME  NOTE  CODE', 'iiiiiiiiii  nnnnnnnnnnnnnnnnnnnnnnnn  xxxxxxxxxxxxxxxx  kkkkkkkk'],
  [63, 'ID  NAME  NOTE  CODE', 'iiiiiiiiii  nnnnnnnnnnnnnnnnnnnnnnnn  xxxxxxxxxxxxxx…  kkkkkkkk'],
  [59, 'ID  NAME  NOTE  CODE', 'iiiiiiiiii  nnnnnnnnnnnnnnnnnnnnnn…  xxxxxxxxxxx…  kkkkkkkk'],
  [56, 'ID  NAME  NOTE  CODE', 'iiiiiiiiii  nnnnnnnnnnnnnnnnnnn…  xxxxxxxxxxx…  kkkkkkkk'],
  [55, 'ID  NAME  NOTE  CODE', 'iiiiiiiiii  nnnnnnnnnnnnnnnnnn…  xxxxxxxxxxx…  kkkkkkkk'],
  [50, 'ID  NAME  NOTE  CODE', 'iiiiiiiiii  nnnnnnnnnnnnn…  xxxxxxxxxxx…  kkkkkkkk'],
  [49, 'ID  NAME  CODE', 'iiiiiiiiii  nnnnnnnnnnnnnnnnnnnnnnnn  kkkkkkkk'],
  [36, 'ID  NAME  CODE', 'iiiiiiiiii  nnnnnnnnnnnnn…  kkkkkkkk'],
  [35, 'ID  CODE', 'iiiiiiiiii  kkkkkkkk'],
  [20, 'ID  CODE', 'iiiiiiiiii  kkkkkkkk'],
  [19, 'ID', 'iiiiiiiiii'],
  [10, 'ID', 'iiiiiiiiii'],
  [6, 'ID', 'iiiii…'],
])('narrows flexible columns, then hides columns, the id last: %i', (width, header, row) => {
  const view: View = () => [
    createPlainColumn('id', { shrink: 0 }),
    createPlainColumn('name', { shrink: 1 }),
    createPlainColumn('note', { shrink: 3 }),
    createPlainColumn('code', { shrink: 0 }),
  ];
  const record = { id: 'i'.repeat(10), name: 'n'.repeat(24), note: 'x'.repeat(16), code: 'k'.repeat(8) };
  const lines = splitLines(createRenderer(width, view)([record]));
  expect(lines.map((line) => line.replace(/ {2,}/g, '  '))).toEqual([header, row]);
});

test('hides an empty column first, then a number without a unit, and other extra columns', () => {
  const view: View = () => [
    createPlainColumn('key', { shrink: 0 }),
    createPlainColumn('name', { shrink: 1 }),
    createPlainColumn('phone', { shrink: 0 }),
    createPlainColumn('rooms', { place: 'extra', isNumber: true, isRightAligned: true }),
    createPlainColumn('source', { place: 'extra' }),
  ];
  const record = { key: 'D-1', name: 'Acme', phone: null, rooms: 7, source: 'Fair' };
  const listHidden = (width: number) => {
    const render = createRenderer(width, view);
    render([record]);
    return render.getHiddenColumns().map(({ name }) => name);
  };
  expect([31, 30, 23, 15].map(listHidden)).toEqual([
    [],
    ['phone'],
    ['phone', 'rooms'],
    ['phone', 'rooms', 'source'],
  ]);
});

const brief = { width: 80, paint: plainPaint };

test('a screen has ids only if no name or key identifies each record', () => {
  const render = (records: readonly object[]) =>
    createTableRenderer(views.organizations, brief, { isBrief: true })(records);
  const [acme, other, twin] = ['Acme', 'Other', 'Acme'].map((name, index) => ({ id: `o${index}`, name }));
  expect(render([acme ?? {}, other ?? {}])).toBe('NAME\nAcme\nOther\n');
  expect(render([acme ?? {}, twin ?? {}])).toBe('ID  NAME\no0  Acme\no2  Acme\n');
  expect(createTableRenderer(views.organizations, brief)([acme])).toMatch(/^ID /);
});

test('a screen shows each value of all rows once, and always the fields of the filters and the order', () => {
  const contacts = ['Ada', 'Bea'].map((first_name) => ({
    ...{ first_name, emails: ['office@a.example'], created_at: '2026-05-01' },
    custom_fields: { f1: { name: 'Role', value: 'Owner' } },
  }));
  const create = (usedFields: readonly string[]) =>
    createTableRenderer(views.contacts, brief, { isBrief: true, listUsedFields: () => usedFields });
  const plain = create([]);
  expect(plain(contacts)).toBe('NAME\nAda\nBea\n');
  expect(plain.listSame()).toEqual(['emails office@a.example']);
  const selected = create(['Role', 'emails', 'created_at', 'list']);
  expect(selected(contacts).split('\n')[1]?.split(/ {2,}/)).toEqual([
    ...['Ada', 'office@a.example', 'Owner', '2026-05-01'],
  ]);
  plain([{ ...contacts[0], emails: ['other@a.example'] }]);
  expect(plain.listSame()).toEqual([]);
  expect(plain.getHiddenColumns().map(({ name }) => name)).toContain('emails');
});

test('fits the entries of a process into a narrow terminal', () => {
  const entry = {
    id: 'i'.repeat(12),
    key: 'DEAL-1024',
    status: { name: 'Won' },
    one_time_value_cents: 125_000_000,
    recurring_value_cents: 99_000,
    recurring_value_period: 'monthly',
    entryable_id: 'e'.repeat(12),
    list_fields: { f1: { name: '예산', value: 5 }, f2: { name: 'Note', value: 'x'.repeat(50) } },
  };
  const tooLong = widths.filter((width) =>
    splitLines(createRenderer(width, views.entries)([entry])).some((line) => stringWidth(line) > width),
  );
  expect(tooLong).toEqual([]);
});

test('keeps the widths of the first batch, and prints one header', () => {
  const renderTable = createRenderer(27, views.organizations);
  expect([
    renderTable([{ id: '1', name: 'Acme', domains: ['acmes-long.example'] }]),
    renderTable([{ id: '22', name: 'A name that is longer', domains: [] }]),
    renderTable([{ id: '3', name: 'B', domains: ['b.org'] }]),
  ]).toEqual(['ID  NAME  DOMAINS\n1   Acme  acmes-long.examp…\n', '22  A n…\n', '3   B     b.org\n']);
});

test('truncates nothing without a terminal, and widens columns in later batches', () => {
  const renderTable = createRenderer(undefined, views.organizations);
  expect([
    renderTable([{ id: '1', name: 'Acme', domains: ['acme.example'] }]),
    renderTable([
      { id: '2', name: 'B', domains: ['b.org'] },
      { id: '3', name: 'Acmes', domains: ['acmes.example'] },
    ]),
    renderTable([{ id: '4', name: 'C', domains: ['c.org'] }]),
  ]).toEqual([
    'ID  NAME  DOMAINS\n1   Acme  acme.example\n',
    '2   B      b.org\n3   Acmes  acmes.example\n',
    '4   C      c.org\n',
  ]);
});

test('sanitizes a cell and joins its lines', () => {
  const view: View = () => [createPlainColumn('name')];
  expect(createRenderer(80, view)([{ name: 'a\r\nb\t c\u001b[2J\u202ed\u0000' }])).toBe(
    'NAME\na b c\\x1b[2J\\u202ed\\x00\n',
  );
});

test('aligns amounts to the right', () => {
  const view: View = () => [createPlainColumn('id'), createPlainColumn('value', { isRightAligned: true })];
  expect(
    createRenderer(
      80,
      view,
    )([
      { id: 'a', value: '5.00' },
      { id: 'b', value: '12500.00' },
    ]),
  ).toBe('ID     VALUE\na       5.00\nb   12500.00\n');
});

test('prints a bold header with colors, at the same width', () => {
  const renderColored = createTableRenderer(views.organizations, {
    width: 80,
    paint: new Chalk({ level: 1 }),
  });
  expect(renderColored([{ id: '1', name: 'Acme' }])).toBe(
    '\u001b[1mID\u001b[22m  \u001b[1mNAME\u001b[22m  \u001b[1mDOMAINS\u001b[22m\n1   Acme\n',
  );
});

const extraView: View = () => [
  createPlainColumn('id', { shrink: 0 }),
  createPlainColumn('note', { shrink: 1 }),
  createPlainColumn('wide', { place: 'extra' }),
  createPlainColumn('small', { place: 'extra' }),
  createPlainColumn('owner_id', { place: 'lead', reference: () => 'organization' }),
  createPlainColumn('raw', { place: 'data' }),
];
const extraRecord = {
  ...{ id: '1', owner_id: 'o1', raw: 'r', small: 's' },
  note: 'n'.repeat(30),
  wide: 'w'.repeat(35),
};

test.each([
  [60, 'OWNER  ID  NOTE', ['wide', 'small']],
  [61, 'OWNER  ID  NOTE  SMALL', ['wide']],
  [100, 'OWNER  ID  NOTE  WIDE  SMALL', []],
])('adds columns that fit %i columns, and tells which are hidden', (width, header, hidden) => {
  const render = createRenderer(width, extraView);
  const [line = ''] = splitLines(render([extraRecord]));
  expect(line.replace(/ {2,}/g, '  ')).toBe(header);
  expect(render.getHiddenColumns().map(({ name }) => name)).toEqual(hidden);
});

test('lists the references of shown columns only, with room for their names', () => {
  const view: View = (records) => [
    ...extraView(records),
    createPlainColumn('contact_id', { place: 'extra', reference: () => 'contact' }),
  ];
  const record = { ...extraRecord, contact_id: 'c1' };
  const listReferences = (width: number) => createRenderer(width, view).listReferences([record, { id: '2' }]);
  const owner = { kind: 'organization', id: 'o1' };
  expect([listReferences(79), listReferences(90)]).toEqual([[owner], [owner, { kind: 'contact', id: 'c1' }]]);
});

test('widens the ids of a later batch, at the expense of other columns', () => {
  const render = createRenderer(24, views.organizations);
  const name = 'n'.repeat(30);
  render([{ id: 'o1', name }]);
  expect(render([{ id: 'o100', name }])).toBe(`o100  ${'n'.repeat(17)}…\n`);
});

test('right-aligns a column of numbers and its header, also if a value is missing', () => {
  const view: View = () => ['code', 'count', 'mixed'].map((name) => createPlainColumn(name));
  const records = [
    { code: '7', count: 1200, mixed: 5 },
    { code: '12', count: null, mixed: 'none' },
    { code: '3', count: 7 },
  ];
  expect(splitLines(createRenderer(undefined, view)(records))).toEqual([
    'CODE  COUNT  MIXED',
    '7      1200  5',
    '12           none',
    '3         7',
  ]);
});

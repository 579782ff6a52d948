import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { serviceInFront } from '../sync/service-in-front.ts';
import { bare, importingMachine, told } from './importing.ts';

/** A machine on a service whose requests are told. */
async function watched() {
  const front = await serviceInFront();
  return { ...front, ...(await importingMachine({ env: front.env })) };
}

/** The complaint of a command line that ended badly. */
const complaint = (err: string) => JSON.parse(err).error;

test.each([
  ['nothing.csv', 'it is not there'],
  ['.', 'it is a folder'],
])('%s is no sheet: %s', async (name, reason) => {
  const { kith, at } = await importingMachine();
  expect(await kith(['contacts', 'import', at(name)])).toEqual({
    code: 2,
    out: '',
    err: `kith: Cannot read ${at(name)}: ${reason}.\n`,
  });
});

test('a column that is for nothing is named, and nothing is sent', async () => {
  const { bring, writes, at } = await watched();
  const { code, out, err } = await bring('contacts', 'email,Shoe size,Colour\na@x.example,44,red\n');
  expect([code, out, err]).toEqual([
    2,
    '',
    'kith: The columns "Shoe size", "Colour" are no fields of a contact.\n' +
      'hint: Say what to do: --map "Shoe size=FIELD", --ignore "Shoe size" or --create-fields.\n',
  ]);
  expect([writes(), existsSync(at('sheet.report.csv'))]).toEqual([[], false]);
});

test('--map and --ignore say what columns are for, and headers are read as people write them', async () => {
  const { bring, json, good } = await importingMachine();
  await good('fields create Tier --model contact --type text');
  const sheet = 'E-mail,First Name,LAST-NAME,Shoe,Level\na@x.example,A,B,44,Gold\n';
  const { code } = await bring('contacts', sheet, '--map E-mail=email --map Level=Tier --ignore Shoe');
  expect(code).toBe(0);
  const [contact] = await json('contacts list --all');
  expect(contact && bare(contact)).toMatchObject({
    first_name: 'A',
    last_name: 'B',
    emails: ['a@x.example'],
    custom_fields: { Tier: 'Gold' },
  });
});

test.each([
  ['--map No=email', 'The sheet has no column "No".'],
  ['--map email=Nothing', '--map: a contact has no field "Nothing".'],
  ['--map name=id', '--map: a contact has no field "id".'],
  ['--ignore No', 'The sheet has no column "No".'],
  ['--map name=first_name', 'The columns "first_name" and "name" are for the same value.'],
  ['--map name', '--map: "name" is not COLUMN=FIELD.'],
  ['--status Lead', /--list/],
  ['--list-field name=Tier', /--list/],
  ['--undo --strict', /--strict/],
  ['--concurrency 0', /concurrency/],
  ['--concurrency 33', /concurrency/],
])('%s is refused before anything is sent', async (flags, message) => {
  const { bring, writes } = await watched();
  const { code, err } = await bring(
    'contacts',
    'email,first_name,name\na@x.example,A,B\n',
    `${flags} --json`,
  );
  expect([code, complaint(err).message, writes()]).toEqual([
    2,
    typeof message === 'string' ? message : expect.stringMatching(message),
    [],
  ]);
});

test('--create-fields guesses what each column holds, says so, and makes the fields once', async () => {
  const { bring, json } = await importingMachine();
  const sheet = [
    'email,Rooms,Code,Since,Visit,Site,Note,Empty,custom_fields.id',
    'a@x.example,12,007,2026-05-01,2026-05-01T09:30:00Z,https://a.example,"one\ntwo",,x',
    'b@x.example,1.5,12,2026-05-02,2026-05-02T09:30:00+09:00,http://b.example,b,,y',
  ].join('\n');
  const { code, err } = await bring('contacts', sheet, '--create-fields');
  expect([code, err]).toEqual([
    0,
    [
      'kith: + custom field Rooms: number, as its values are',
      'kith: + custom field Code: text, as its values are',
      'kith: + custom field Since: date, as its values are',
      'kith: + custom field Visit: datetime, as its values are',
      'kith: + custom field Site: url, as its values are',
      'kith: + custom field Note: textarea, as its values are',
      'kith: + custom field Empty: text, as its values are',
      'kith: + custom field id: text, as its values are',
      '',
    ].join('\n'),
  ]);
  const [contact] = await json('contacts list --all');
  expect(contact && bare(contact).custom_fields).toEqual({
    Rooms: 12,
    Code: '007',
    Since: '2026-05-01',
    Visit: expect.stringContaining('2026-05-01T09:30:00'),
    Site: 'https://a.example',
    Note: 'one\ntwo',
    id: 'x',
  });
  const again = await bring('contacts', sheet, '--create-fields');
  expect(again).toMatchObject({ code: 0, err: '', out: expect.stringContaining('2 same') });
});

test('--create-fields --dry-run shows the fields, and makes none', async () => {
  const { bring, writes, kith } = await watched();
  const { code, out, err } = await bring(
    'contacts',
    'email,Rooms\na@x.example,12\n',
    '--create-fields --dry-run',
  );
  expect([code, out, err]).toEqual([
    0,
    '+ create emails: a@x.example, Rooms: 12  (row 2)\n',
    'kith: + custom field Rooms: number, as its values are\n',
  ]);
  expect([writes(), (await kith('fields list --json')).out.trim()]).toEqual([[], '[]']);
});

const faulty = [
  'email,phone,first_name,Rooms',
  'a@x.example,,A,1',
  'none,call me,B,2',
  'c@x.example,,C,many',
  ',,D,4',
  'e@x.example,+8210555',
].join('\r\n');

test('faulty rows are set aside with row and column, and the others are brought in', async () => {
  const { bring, json, good, report } = await importingMachine();
  await good('fields create Rooms --model contact --type number');
  const { code, out, err } = await bring('contacts', faulty, '--json');
  expect([code, JSON.parse(out)]).toMatchObject([6, { rows: 5, create: 2, update: 0, same: 0, refused: 3 }]);
  expect(complaint(err)).toMatchObject({
    code: 'partial',
    message: '3 rows are set aside:',
    details: [
      {
        pointer: 'row 3',
        message: 'email: "none" is not an email address. phone: "call me" is not a phone number.',
      },
      { pointer: 'row 4', message: 'Rooms: "many" is not a number.' },
      { pointer: 'row 5', message: 'It has neither an email nor a phone number to be found by.' },
    ],
  });
  expect(report().map(({ undo: _, id: __, ...line }) => line)).toMatchObject([
    { email: 'a@x.example', phone: '', first_name: 'A', Rooms: '1', action: 'create', row: '2', error: '' },
    { email: 'none', phone: 'call me', first_name: 'B', Rooms: '2', action: 'refused', row: '3' },
    { action: 'refused', row: '4', error: 'Rooms: "many" is not a number.' },
    { action: 'refused', row: '5' },
    { email: 'e@x.example', action: 'create', row: '6' },
    { action: 'finished' },
  ]);
  expect(await json('contacts list --all')).toHaveLength(2);
});

test('a report in which somebody has mended rows is imported', async () => {
  const { kith, bring, good, at, file, json } = await importingMachine();
  await good('fields create Rooms --model contact --type number');
  const { err: hint } = await bring('contacts', faulty);
  expect(hint).toContain(
    `Mend them in ${at('sheet.report.csv')}, and import that: rows that are done stay as they are.`,
  );
  const mended = readFileSync(at('sheet.report.csv'), 'utf8')
    .replace('none,call me', 'b@x.example,')
    .replace('many', '3')
    .replace(',,D', 'd@x.example,,D');
  const { code, out, err } = await kith(`contacts import ${file('sheet.report.csv', mended)}`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('5 rows: 3 created, 0 updated, 2 same');
  expect(await json('contacts list --all')).toHaveLength(5);
});

test('--strict tells all faults at once, and sends nothing', async () => {
  const { bring, give, writes, at } = await watched();
  await give('POST /v1/custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
  writes();
  const { code, out, err } = await bring('contacts', faulty, '--strict --json');
  expect([code, out]).toEqual([2, '']);
  expect(complaint(err)).toMatchObject({
    message: `${at('sheet.csv')}: 2 rows are refused; nothing was sent:`,
    details: [
      { pointer: 'row 3, email', message: '"none" is not an email address.' },
      { pointer: 'row 3, phone', message: '"call me" is not a phone number.' },
      { pointer: 'row 4, Rooms', message: '"many" is not a number.' },
    ],
  });
  expect([writes(), existsSync(at('sheet.report.csv'))]).toEqual([[], false]);
});

test('a single faulty row is told in the sentence: its row, its column and what is wrong', async () => {
  const { bring, at } = await importingMachine();
  const sheet = 'email\na@x.example\nnone\n';
  const fault = '"none" is not an email address.';
  expect([
    (await bring('contacts', sheet, '--strict')).err,
    (await bring('contacts', sheet, '--dry-run')).err,
    (await bring('contacts', sheet)).err.split('\n')[0],
  ]).toEqual([
    `kith: ${at('sheet.csv')}: 1 row is refused; nothing was sent: row 3, email: ${fault}\n`,
    `kith: ${at('sheet.csv')}: 1 row is refused: row 3: email: ${fault}\n`,
    `kith: 1 row is set aside: row 3: email: ${fault}`,
  ]);
});

test('--strict finds what only a look-up tells, too', async () => {
  const { bring, give, writes } = await watched();
  for (const email of ['a@x.example', 'b@x.example'])
    await give('POST /v1/contacts', { first_name: 'X', emails: [email] });
  writes();
  const { code, err } = await bring(
    'contacts',
    'email\nc@x.example\na@x.example;b@x.example\n',
    '--strict --json',
  );
  expect([code, complaint(err).details.map(({ pointer }: { pointer: string }) => pointer), writes()]).toEqual(
    [2, ['row 3'], []],
  );
});

test('--allow-unmatched makes a contact of a row without email and phone, each time', async () => {
  const { bring, json } = await importingMachine();
  for (const count of [1, 2]) {
    expect((await bring('contacts', 'first_name\nNobody\n', '--allow-unmatched')).code).toBe(0);
    expect(await json('contacts list --all')).toHaveLength(count);
  }
});

test('stdin wants a report, and is read as a file is', async () => {
  const { kith, at, report } = await importingMachine();
  const bare = await kith('contacts import - --json', { stdin: 'email\na@x.example\n' });
  expect([bare.code, complaint(bare.err).message]).toEqual([
    2,
    'Give --report FILE: what comes through a pipe has no name for one.',
  ]);
  const { code, out } = await kith(`contacts import - --report ${at('r.csv')}`, {
    stdin: 'email;first_name\na@x.example;A\n',
  });
  expect([code, out]).toEqual([
    0,
    `stdin: 1 rows: 1 created, 0 updated, 0 same, 0 refused; see ${at('r.csv')}\n`,
  ]);
  expect(told(report('r.csv'))).toEqual(['2 create', 'finished']);
  expect((await kith('contacts import - --dry-run', { stdin: '{"email":"a@x.example"}\n' })).out).toMatch(
    /^= same {2}\(row 1, \w+\)\n$/,
  );
});

test('a report of before becomes …previous.csv, and what is no report is not touched', async () => {
  const { bring, at, report, file, kith } = await importingMachine();
  await bring('contacts', 'email\na@x.example\n');
  await bring('contacts', 'email\nb@x.example\n');
  expect([report(), report('sheet.report.previous.csv')].map((lines) => lines[0]?.email)).toEqual([
    'b@x.example',
    'a@x.example',
  ]);
  const mine = file('mine.csv', 'my,own,work\n');
  const { code, err } = await kith(`contacts import ${at('sheet.csv')} --report ${mine} --json`);
  expect([code, complaint(err).message, readFileSync(mine, 'utf8')]).toEqual([
    2,
    `${mine} is there, and is no report of an import.`,
    'my,own,work\n',
  ]);
});

test('the dry run knows records as the service would hold them, and gives no ids that are none', async () => {
  const { bring } = await importingMachine();
  const organizations = 'domain\nhttps://www.dr.example/a\nhttps://www.dr.example/b\n';
  expect((await bring('organizations', organizations, '--dry-run')).out).toBe(
    '+ create organization.domains: https://www.dr.example/a  (row 2)\n= same  (row 3)\n',
  );
  const contacts = 'email\na@x.example\nA@X.example;c@x.example\nb@x.example\na@x.example;b@x.example\n';
  const plan = JSON.parse((await bring('contacts', contacts, '--dry-run --json')).out);
  expect(plan[3]).toEqual({
    row: 5,
    action: 'refused',
    error: 'Its emails are those of several contacts: row 2, row 4.',
  });
});

test('the dry run is a line for each row, also in a pipe', async () => {
  const { bring, json, good } = await importingMachine();
  await good('contacts create --email a@x.example --first-name A');
  await good('contacts create --email b@x.example --first-name B');
  const [a, b] = (await json('contacts list --all')).map(({ id }) => id);
  const sheet =
    'email,first_name\na@x.example;c@x.example,Ada\nb@x.example,B\nn@x.example,N\na@x.example;b@x.example,\nnone,\n';
  const { code, out } = await bring('contacts', sheet, '--dry-run');
  expect([code, out]).toEqual([
    6,
    [
      `~ update first_name: A -> Ada, emails: + c@x.example  (row 2, ${a})`,
      `= same  (row 3, ${b})`,
      '+ create first_name: N, emails: n@x.example  (row 4)',
      `! refused Its emails are those of several contacts: ${a}, ${b}.  (row 5)`,
      '! refused email: "none" is not an email address.  (row 6)',
      '',
    ].join('\n'),
  ]);
  expect(JSON.parse((await bring('contacts', sheet, '--dry-run --json')).out)).toEqual([
    {
      row: 2,
      action: 'update',
      id: a,
      changes: [
        { field: 'first_name', from: 'A', to: 'Ada' },
        { field: 'emails', to: ['c@x.example'], added: true },
      ],
    },
    { row: 3, action: 'same', id: b },
    {
      row: 4,
      action: 'create',
      changes: [
        { field: 'first_name', to: 'N' },
        { field: 'emails', to: ['n@x.example'] },
      ],
    },
    { row: 5, action: 'refused', error: expect.any(String), candidates: [a, b] },
    { row: 6, action: 'refused', error: expect.any(String) },
  ]);
  expect(await json('contacts list --all')).toHaveLength(2);
});

import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  createImportMachine,
  createWatchedImport,
  invalidRows,
  parseError,
  stripGenerated,
} from './import-machine.ts';

test.each([
  ['nothing.csv', 'it does not exist'],
  ['.', 'it is a folder, not a file'],
])('does not import %s: %s', async (name, reason) => {
  const { kith, toPath } = await createImportMachine();
  expect(await kith(['contacts', 'import', toPath(name)])).toEqual({
    code: 2,
    out: '',
    err: `kith: Cannot read ${toPath(name)}: ${reason}.\n`,
  });
});

const unknown = 'email,Shoe size,Finish\na@x.example,44,red\n';

test('skips unknown columns, and names them with the flags for them', async () => {
  const { importRows } = await createImportMachine();
  const { code, err } = await importRows('contacts', unknown);
  expect([code, err]).toEqual([
    0,
    'kith: Skipped 2 columns without a field: Shoe size, Finish; --create-fields keeps them, --strict-columns refuses them.\n',
  ]);
  const notes = await importRows('notes', 'organization,body,Mood\n', '', 'notes.csv');
  expect(notes.err).toBe('kith: Skipped 1 column without a field: Mood; --strict-columns refuses it.\n');
});

test('--strict-columns names unknown columns and sends nothing', async () => {
  const { importRows, takeWrites, toPath } = await createWatchedImport();
  const { code, out, err } = await importRows('contacts', unknown, '--strict-columns');
  expect([code, out, err]).toEqual([
    2,
    '',
    'kith: "Shoe size" and "Finish" don\'t match any field of a contact.\n' +
      'hint: Pass --map "Shoe size=FIELD", --ignore "Shoe size" or --create-fields. ' +
      'Available fields: name, first_name, last_name, emails, phone_numbers, organization, organization_id.\n',
  ]);
  expect([takeWrites(), existsSync(toPath('sheet.report.csv'))]).toEqual([[], false]);
});

test('maps columns with --map, ignores those of --ignore, and accepts variants of headers', async () => {
  const { importRows, json, runSuccessfully } = await createImportMachine();
  await runSuccessfully('fields create Tier --model contact --type text');
  const csv = 'E-mail,First Name,LAST-NAME,Shoe,Level\na@x.example,A,B,44,Gold\n';
  const { code } = await importRows('contacts', csv, '--map E-mail=email --map Level=Tier --ignore Shoe');
  expect(code).toBe(0);
  const [contact] = await json('contacts list --all');
  expect(contact && stripGenerated(contact)).toMatchObject({
    first_name: 'A',
    last_name: 'B',
    emails: ['a@x.example'],
    custom_fields: { Tier: 'Gold' },
  });
});

test.each([
  ['--map No=email', 'The file has no column "No".'],
  ['--map email=Nothing', '--map: a contact has no field "Nothing".'],
  ['--map name=id', '--map: a contact has no field "id".'],
  ['--ignore No', 'The file has no column "No".'],
  ['--map name=first_name', 'The columns "first_name" and "name" are mapped to the same field.'],
  ['--map name', '--map: "name" is not COLUMN=FIELD.'],
  ['--status Lead', /--list/],
  ['--list-field name=Tier', /--list/],
  ['--undo --strict', /--strict/],
  ['--concurrency 0', /concurrency/],
  ['--concurrency 33', /concurrency/],
])('refuses %s before anything is sent', async (flags, message) => {
  const { importRows, takeWrites } = await createWatchedImport();
  const { code, err } = await importRows(
    'contacts',
    'email,first_name,name\na@x.example,A,B\n',
    `${flags} --json`,
  );
  expect([code, parseError(err).message, takeWrites()]).toEqual([
    2,
    typeof message === 'string' ? message : expect.stringMatching(message),
    [],
  ]);
});

test('--create-fields infers the type of each column, prints it, and creates the fields once', async () => {
  const { importRows, json } = await createImportMachine();
  const csv = [
    'email,Rooms,Code,Since,Visit,Site,Note,Empty,custom_fields.id',
    'a@x.example,12,007,2026-05-01,2026-05-01T09:30:00Z,https://a.example,"one\ntwo",,x',
    'b@x.example,1.5,12,2026-05-02,2026-05-02T09:30:00+09:00,http://b.example,b,,y',
  ].join('\n');
  const plan = await importRows('contacts', csv, '--create-fields --dry-run');
  expect(plan).toMatchObject({ code: 0, out: expect.stringContaining('Rooms: 12, Code: 007') });
  expect(await json('fields list')).toEqual([]);
  const { code, err } = await importRows('contacts', csv, '--create-fields');
  expect(err).toBe(plan.err);
  expect([code, err]).toEqual([
    0,
    [
      'kith: + custom field Rooms (number, inferred)',
      'kith: + custom field Code (text, inferred)',
      'kith: + custom field Since (date, inferred)',
      'kith: + custom field Visit (datetime, inferred)',
      'kith: + custom field Site (url, inferred)',
      'kith: + custom field Note (textarea, inferred)',
      'kith: + custom field Empty (text, inferred)',
      'kith: + custom field id (text, inferred)',
      '',
    ].join('\n'),
  ]);
  const [contact] = await json('contacts list --all');
  expect(contact && stripGenerated(contact).custom_fields).toEqual({
    Rooms: 12,
    Code: '007',
    Since: '2026-05-01',
    Visit: expect.stringContaining('2026-05-01T09:30:00'),
    Site: 'https://a.example',
    Note: 'one\ntwo',
    id: 'x',
  });
  const secondResult = await importRows('contacts', csv, '--create-fields');
  expect(secondResult).toMatchObject({ code: 0, err: '', out: expect.stringContaining('2 same') });
});

test('leaves out invalid cells, refuses rows without a valid key, and imports the others', async () => {
  const { importRows, json, runSuccessfully, readReport } = await createImportMachine();
  await runSuccessfully('fields create Rooms --model contact --type number');
  const { code, out, err } = await importRows('contacts', invalidRows, '--json');
  expect([code, JSON.parse(out)]).toMatchObject([
    6,
    { rows: 5, create: 3, update: 0, same: 0, refused: 2, left_out: 1 },
  ]);
  expect(parseError(err)).toMatchObject({
    code: 'partial',
    message: '2 rows refused, 1 row with cells left out:',
    details: [
      {
        pointer: 'row 3',
        message: 'email: "none" is not an email address. phone: "call me" is not a phone number.',
      },
      { pointer: 'row 4', message: 'Rooms: "many" is not a number.' },
      {
        pointer: 'row 5',
        message: 'No email or phone to match by; --allow-unmatched imports the row anyway.',
      },
    ],
  });
  expect(readReport().map(({ undo: _, id: __, ...line }) => line)).toMatchObject([
    { email: 'a@x.example', phone: '', first_name: 'A', Rooms: '1', action: 'create', row: '2', error: '' },
    { email: 'none', phone: 'call me', first_name: 'B', Rooms: '2', action: 'refused', row: '3' },
    { action: 'create', row: '4', error: '', left_out: 'Rooms: "many" is not a number.' },
    { action: 'refused', row: '5' },
    { email: 'e@x.example', action: 'create', row: '6' },
  ]);
  expect(await json('contacts list --all')).toHaveLength(3);
});

test('--strict lists all invalid rows and sends nothing', async () => {
  const { importRows, sendOk, takeWrites, toPath } = await createWatchedImport();
  await sendOk('POST /v1/custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
  takeWrites();
  const { code, out, err } = await importRows('contacts', invalidRows, '--strict --json');
  expect([code, out]).toEqual([2, '']);
  expect(parseError(err)).toMatchObject({
    message: `${toPath('sheet.csv')}: 2 rows refused; nothing was imported:`,
    details: [
      { pointer: 'row 3, email', message: '"none" is not an email address.' },
      { pointer: 'row 3, phone', message: '"call me" is not a phone number.' },
      { pointer: 'row 4, Rooms', message: '"many" is not a number.' },
    ],
  });
  expect([takeWrites(), existsSync(toPath('sheet.report.csv'))]).toEqual([[], false]);
});

test('a single invalid row is named in the message with its column and error', async () => {
  const { importRows, toPath } = await createImportMachine();
  const csv = 'email\na@x.example\nnone\n';
  const error = '"none" is not an email address.';
  expect([
    (await importRows('contacts', csv, '--strict')).err,
    (await importRows('contacts', csv, '--dry-run')).err,
    (await importRows('contacts', csv)).err.split('\n')[0],
  ]).toEqual([
    `kith: ${toPath('sheet.csv')}: 1 row refused; nothing was imported: row 3, email: ${error}\n`,
    `kith: ${toPath('sheet.csv')}: 1 row refused: row 3: email: ${error}\n`,
    `kith: 1 row refused: row 3: email: ${error}`,
  ]);
});

test('--allow-unmatched creates a contact from a row without email and phone each time', async () => {
  const { importRows, json } = await createImportMachine();
  for (const count of [1, 2]) {
    expect((await importRows('contacts', 'first_name\nNobody\n', '--allow-unmatched')).code).toBe(0);
    expect(await json('contacts list --all')).toHaveLength(count);
  }
});

test('a dry run prints a line for each row, also into a pipe', async () => {
  const { importRows, json, runSuccessfully } = await createImportMachine();
  await runSuccessfully('contacts create --email a@x.example --first-name A');
  await runSuccessfully('contacts create --email b@x.example --first-name B');
  const [a, b] = (await json('contacts list --all')).map(({ id }) => id);
  const csv =
    'email,first_name\na@x.example;c@x.example,Ada\nb@x.example,B\nn@x.example,N\na@x.example;b@x.example,\nnone,\n';
  const { code, out } = await importRows('contacts', csv, '--dry-run');
  expect([code, out]).toEqual([
    6,
    [
      `~ update first_name: A -> Ada, emails: + c@x.example  (row 2, ${a})`,
      `= same  (row 3, ${b})`,
      '+ create first_name: N, emails: n@x.example  (row 4)',
      `! refused Several contacts have its emails: ${a}, ${b}.  (row 5)`,
      '! refused email: "none" is not an email address.  (row 6)',
      '',
    ].join('\n'),
  ]);
  expect(JSON.parse((await importRows('contacts', csv, '--dry-run --json')).out)).toEqual([
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

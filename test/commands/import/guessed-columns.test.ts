import { expect, test } from 'vitest';
import { createWorkbookParts, createZip } from '../../import/workbook-file.ts';
import {
  createImportMachine,
  createWatchedImport,
  formatReportRows,
  stripGenerated,
} from './import-machine.ts';

const people = [
  ['Name', 'Company', 'E-Mail', 'Phone', 'Mobile'],
  ['Ludwig van Beethoven', 'Acme', 'l@acme.example', '+49 30 901820', '+49 170 1234567'],
  ['김지우', '한빛물류', 'k@hanbit.example', '', ''],
  ['山田太郎', '한빛물류', 'y@hanbit.example', '', ''],
];
const csv = `\ufeff${people.map((cells) => cells.join(',')).join('\r\n')}\r\n`;
const flags =
  "--map 'Name=name' --map 'Company=organization' --map 'E-Mail=emails' --map 'Mobile=phone_numbers'";

function createWorkbook(rows: readonly (readonly string[])[]): Buffer {
  const toCell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const xml = rows.map((cells) => `<row>${cells.map(toCell).join('')}</row>`).join('');
  return createZip(createWorkbookParts({ rows: xml }));
}

test('a dry run shows how names are split, and prints the guessed columns as flags', async () => {
  const { importRows, takeWrites } = await createWatchedImport();
  expect(await importRows('contacts', csv, '--dry-run')).toEqual({
    code: 0,
    out: [
      '+ create organization.name: Acme, first_name: Ludwig, last_name: van Beethoven, emails: l@acme.example, phone_numbers: +49 30 901820; +49 170 1234567  (row 2)',
      '+ create organization.name: 한빛물류, first_name: 지우, last_name: 김, emails: k@hanbit.example  (row 3)',
      '+ create first_name: 山田太郎, emails: y@hanbit.example  (row 4)',
      '',
    ].join('\n'),
    err:
      `kith: Guessed columns: ${flags}\n` +
      'kith: 1 name could not be split: "山田太郎" (row 4). The whole name becomes the first_name.\n',
  });
  expect(takeWrites()).toEqual([]);
});

test.each([
  ['a CSV file', 'people.csv', csv],
  ['a workbook', 'people.xlsx', createWorkbook(people)],
])('imports %s with Name and Company, and changes nothing in a second run', async (_, name, file) => {
  const { importRows, json, readReport } = await createImportMachine();
  expect((await importRows('contacts', file, '', name)).code).toBe(0);
  expect((await json('contacts list --all')).map(stripGenerated)).toMatchObject([
    { first_name: 'Ludwig', last_name: 'van Beethoven', phone_numbers: ['+4930901820', '+491701234567'] },
    { first_name: '지우', last_name: '김', emails: ['k@hanbit.example'] },
    { first_name: '山田太郎', last_name: null },
  ]);
  expect((await json('organizations list')).map(({ name: title }) => title)).toEqual(['Acme', '한빛물류']);
  await importRows('contacts', file, '', name);
  expect(formatReportRows(readReport('people.report.csv'))).toEqual(['2 same', '3 same', '4 same']);
});

test('imports the file in the same way with the printed flags, without guesses', async () => {
  const { kith, writeTestFile } = await createImportMachine();
  const words = flags.split(/'? --map '|^--map '|'$/).filter(Boolean);
  const file = writeTestFile('people.csv', csv);
  const { code, err } = await kith([
    ...['contacts', 'import', file, '--dry-run'],
    ...words.flatMap((word) => ['--map', word]),
  ]);
  expect([code, err]).toEqual([0, expect.not.stringContaining('Guessed')]);
});

test('keeps the first and last name of a contact with the same full name, however they are split', async () => {
  const { kith, importRows, readReport, json } = await createImportMachine();
  const create = (first: string, last: string, email: string) =>
    kith(['contacts', 'create', '--first-name', first, '--last-name', last, '--email', email]);
  await create('Gabriel', 'García Márquez', 'g@x.example');
  await create('太郎', '山田', 'y@x.example');
  await create('Taro', 'Yamada', 't@x.example');
  await create('Ada', 'Byron', 'a@x.example');
  const rows = [
    'Name,Email',
    'gabriel garcía márquez,g@x.example',
    '山田太郎,y@x.example',
    '山田太郎,t@x.example',
    'Ada Lovelace,a@x.example',
  ];
  expect((await importRows('contacts', rows.join('\n'))).code).toBe(0);
  expect(formatReportRows(readReport())).toEqual(['2 same', '3 same', '4 same', '5 update']);
  expect((await json('contacts list --all')).map(({ last_name }) => last_name)).toEqual([
    'García Márquez',
    '山田',
    'Yamada',
    'Lovelace',
  ]);
});

test('matches a full name by phone with a contact whose name is split in another way', async () => {
  const { kith, importRows, readReport } = await createImportMachine();
  const words = ['--first-name', 'Gabriel', '--last-name', 'García Márquez', '--email', 'g@x.example'];
  await kith(['contacts', 'create', ...words, '--phone', '+4930901820']);
  const rows =
    'Name,Email,Phone\nGabriel García Márquez,new@x.example,+4930901820\nAda Byron,a@x.example,+4930901820\n';
  await importRows('contacts', rows);
  expect(formatReportRows(readReport())).toEqual(['2 update', '3 create']);
});

test('maps a column to a custom field with the same meaning, and creates others', async () => {
  const { importRows, json, runSuccessfully } = await createImportMachine();
  await runSuccessfully('fields create Birthday --model contact --type date');
  await runSuccessfully('fields create Mobile --model contact --type text');
  const rows = 'E-Mail,Geburtstag,Mobile,Shoe\na@x.example,2001-05-01,yes,44\n';
  const { code, err } = await importRows('contacts', rows, '--create-fields');
  expect([code, err]).toEqual([
    0,
    "kith: + custom field Shoe (number, inferred)\nkith: Guessed columns: --map 'E-Mail=emails' --map 'Geburtstag=Birthday'\n",
  ]);
  const [contact] = await json('contacts list --all');
  expect(contact && stripGenerated(contact)).toMatchObject({
    phone_numbers: [],
    custom_fields: { Birthday: '2001-05-01', Mobile: 'yes', Shoe: 44 },
  });
});

test.each([
  [
    'Company,Firma,Email',
    '"Company" and "Firma" may both be the field organization.',
    "--map 'Company=organization' --ignore Firma",
  ],
  ['emial,First name,x', '"emial" doesn\'t match any field of a contact.', 'Did you mean "email"?'],
  [
    'Telefoon,Email,x',
    '"Telefoon" doesn\'t match any field of a contact.',
    'Did you mean "Telefon"? Pass --map "Telefoon=phone_numbers"',
  ],
  [
    'Shoe,Size,x',
    '/sheet.csv: no column matches a field of a contact.',
    'Its columns are Shoe, Size, x. Pass --map',
  ],
])('refuses the header %s before anything is sent', async (header, message, hint) => {
  const { importRows, takeWrites } = await createWatchedImport();
  const { code, err } = await importRows('contacts', `${header}\na,b,c@x.example\n`);
  expect([code, err, takeWrites()]).toEqual([2, expect.stringContaining(`${message}\nhint: `), []]);
  expect(err).toContain(hint);
});

test('guesses the columns of organizations and entries', async () => {
  const machine = await createImportMachine();
  const { importRows, json, runSuccessfully } = machine;
  expect((await importRows('organizations', 'Firma,Webseite\nAcme,acme.example\n')).code).toBe(0);
  await runSuccessfully(
    'lists create Deals --process --entry-type Organization --identifier D --duplicates-allowed --status Lead:active --status Won:won',
  );
  const { kith, writeTestFile } = machine;
  const file = writeTestFile('deals.csv', '회사,단계,금액\nAcme,won,1200\n');
  const { code, err } = await kith(['entries', 'import', 'Deals', file]);
  expect([code, err]).toEqual([0, expect.stringContaining("--map '금액=one_time_value'")]);
  expect(await json('entries list Deals')).toMatchObject([{ status: 'Won', one_time_value_cents: 120_000 }]);
});

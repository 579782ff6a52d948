import { expect, test } from 'vitest';
import { createImportMachine, createWatchedImport, stripGenerated } from './import-machine.ts';

const people = [
  ['Name', 'Company', 'E-Mail', 'Phone', 'Mobile'],
  ['Ludwig van Beethoven', 'Acme', 'l@acme.example', '+49 30 901820', '+49 170 1234567'],
  ['김지우', '한빛물류', 'k@hanbit.example', '', ''],
  ['山田太郎', '한빛물류', 'y@hanbit.example', '', ''],
];
const csv = `\ufeff${people.map((cells) => cells.join(',')).join('\r\n')}\r\n`;
const flags =
  "--map 'Name=name' --map 'Company=organization' --map 'E-Mail=emails' --map 'Mobile=phone_numbers'";

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

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTextTable } from '../../src/import/table-file.ts';
import { createImportMachine, stripGenerated } from '../commands/import/import-machine.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** Reads cards: the cells by column without the empty ones, and the notes. */
async function readCards(...lines: string[]) {
  const file = join(createTemporaryFolder(), 'cards.vcf');
  writeFileSync(file, ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n'));
  const { columns, notes, rows } = await openTextTable(file, file, undefined, { acceptsCards: true });
  const cards: object[] = [];
  for await (const { cells, error } of rows()) {
    const filled = columns.flatMap((column, at) => (cells[at] ? [[column, cells[at]]] : []));
    cards.push({ ...Object.fromEntries(filled), ...(error && { error }) });
  }
  return { cards, notes };
}

test('reads vCard 2.1: quoted-printable, charsets, types without names and photos', async () => {
  const { cards, notes } = await readCards(
    'VERSION:2.1',
    'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCrgen;;Dr.;',
    'ORG;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller GmbH;Vertrieb',
    'TEL;CELL;PREF:+49 170 1234567',
    'TEL;WORK;FAX:+49 30 901821',
    'EMAIL;INTERNET:j@m.example',
    'NOTE;QUOTED-PRINTABLE:eins=0D=0Azwei =',
    'drei',
    'PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQ',
    ' SkZJRgAB',
    '',
  );
  expect(cards).toEqual([
    {
      first_name: 'Jürgen',
      last_name: 'Müller',
      emails: 'j@m.example',
      phone_numbers: '+49 170 1234567',
      organization: 'Müller GmbH',
      'Name prefix': 'Dr.',
      Department: 'Vertrieb',
      Fax: '+49 30 901821',
      Note: 'eins\nzwei drei',
    },
  ]);
  expect(notes).toEqual(['Left out 1 photo or other file.']);
});

test('reads vCard 3.0 and 4.0: groups, folded lines, escapes and dates without a year', async () => {
  const { cards, notes } = await readCards(
    'VERSION:3.0',
    'N:Lovelace;Ada,Augusta;King;;',
    'item1.EMAIL;type=INTERNET;type=pref:ada@a.example',
    'EMAIL:ada@home.exam',
    ' ple',
    'ORG:Acme\\, Ltd',
    'END:VCARD',
    'BEGIN:VCARD',
    'VERSION:4.0',
    'FN:Ludwig van Beethoven',
    'TEL;VALUE=uri;TYPE="work,voice":+1-418-656-9254',
    'BDAY:--0203',
    'ADR;TYPE=work:;;2875 Laurier;Quebec;;;Canada',
    'CATEGORIES:a,b',
  );
  expect(cards).toEqual([
    {
      first_name: 'Ada Augusta',
      last_name: 'Lovelace',
      emails: 'ada@a.example;ada@home.example',
      organization: 'Acme, Ltd',
      'Middle name': 'King',
    },
    {
      first_name: 'Ludwig',
      last_name: 'van Beethoven',
      phone_numbers: '+1-418-656-9254',
      Birthday: '--02-03',
      Address: '2875 Laurier, Quebec, Canada',
      Categories: 'a; b',
    },
  ]);
  expect(notes).toEqual([]);
});

test('refuses only the damaged card of a file, and keeps the name of a company whole', async () => {
  const { cards } = await readCards(
    'FN:Acme Inc.',
    'ORG:Acme Inc.',
    'END:VCARD',
    'BEGIN:VCARD',
    'FN:A',
    'rubbish',
  );
  expect(cards).toEqual([
    { first_name: 'Acme Inc.', organization: 'Acme Inc.' },
    { first_name: 'A', error: 'Not a line of a vCard: rubbish' },
  ]);
});

test('imports cards as contacts, and writes a report that can be imported', async () => {
  const { importRows, json, kith, toPath } = await createImportMachine();
  const card = 'BEGIN:VCARD\nFN:Ada Lovelace\nEMAIL:a@x.example\nNOTE:x\nEND:VCARD\n';
  const { code, err } = await importRows('contacts', card, '', 'cards.vcf');
  expect([code, err]).toEqual([
    0,
    'kith: Skipped 1 column without a field: Note; --create-fields keeps it, --strict-columns refuses it.\n',
  ]);
  expect((await json('contacts list')).map(stripGenerated)).toMatchObject([
    { first_name: 'Ada', last_name: 'Lovelace', emails: ['a@x.example'] },
  ]);
  expect((await kith(`contacts import ${toPath('cards.report.csv')}`)).out).toContain('1 same');
});

test.each([
  ['a vCard file', 'BEGIN:VCARD\nFN:A\nEND:VCARD\n'],
  ['a calendar file', 'BEGIN:VCALENDAR\n'],
  ['a PDF file', '%PDF-1.7\n'],
  ['a web page (HTML)', '\n<!DOCTYPE html><table>\n'],
  ['an XML file', '<?xml version="1.0"?>\n'],
])('names %s that is given to an import of organizations', async (format, text) => {
  const { importRows, toPath } = await createImportMachine();
  expect(await importRows('organizations', text, '--create-fields', 'sheet.csv')).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `kith: ${toPath('sheet.csv')} is ${format}, not a spreadsheet or CSV file.\nhint: `,
    ),
  });
});

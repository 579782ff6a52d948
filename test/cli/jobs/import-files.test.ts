import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { createImportMachine, formatReportRows } from './import-machine.ts';

const workbook = readFileSync(join(import.meta.dirname, '../../import/data/exceljs.xlsx'));
const flags = '--create-fields --ignore Total --ignore phone --tz Europe/Berlin';

test('imports an .xlsx file, reports as CSV, and reads it from a pipe as well', async () => {
  const { importRows, toPath, readReport, json, kith } = await createImportMachine();
  const { code, out, err } = await importRows('contacts', workbook, `${flags} --json`, 'guests.xlsx');
  expect([code, JSON.parse(out)]).toMatchObject([0, { create: 2, report: toPath('guests.report.csv') }]);
  expect(err).toContain('Reading the sheet "Guests" of');
  expect(formatReportRows(readReport('guests.report.csv'))).toEqual(['2 create', '3 create']);
  const fields = await json<{ name: string; data_type: string }[]>('custom-fields list');
  expect(fields.map(({ name, data_type }) => `${name} ${data_type}`)).toEqual([
    ...['Birthday date', 'Visit datetime', 'Rooms number', 'Zip text'],
  ]);
  const [contact] = await json('contacts list');
  expect(JSON.stringify(contact)).toContain('"2026-05-01T09:30:00+02:00"');
  const stdinResult = await kith(`contacts import - --dry-run ${flags}`, {
    stdinChunks: Readable.from([workbook]),
  });
  expect(stdinResult.out).toMatch(/^= same {2}\(row 2, /);
});

test('refuses rows with an error in a column that is imported', async () => {
  const { importRows, readReport } = await createImportMachine();
  const { code } = await importRows('contacts', workbook, '--create-fields --ignore phone', 'guests.xlsx');
  expect([code, formatReportRows(readReport('guests.report.csv'))]).toEqual([
    6,
    ['2 create', '3 refused Total: Cell H4 has the error #N/A.'],
  ]);
});

test('imports a file with a legacy code page, from a pipe as well', async () => {
  const { importRows, json, kith } = await createImportMachine();
  const csv = iconv.encode('email,first_name\na@x.example,똠방\n', 'euc-kr');
  const unspecified = await importRows('contacts', csv);
  expect([unspecified.code, unspecified.err]).toEqual([
    2,
    expect.stringContaining('--encoding euc-kr (reads as "똠방")'),
  ]);
  expect((await importRows('contacts', csv, '--encoding cp949')).code).toBe(0);
  expect(await json('contacts list')).toMatchObject([{ first_name: '똠방' }]);
  const stdinResult = await kith('contacts import - --dry-run --encoding euc-kr', {
    stdinChunks: Readable.from([csv]),
  });
  expect(stdinResult.out).toMatch(/^= same/);
});

test.each([
  [
    '--sheet Guests',
    'email\na@x.example\n',
    /^kith: --sheet applies only to .xlsx files; .*sheet.csv is not one/,
  ],
  [
    '--encoding utf-8',
    workbook,
    /^kith: --encoding applies only to text files; .*sheet.csv is an .xlsx file/,
  ],
  ['--sheet Nobody', workbook, /^kith: --sheet: .*sheet.csv has no sheet "Nobody"/],
])('refuses %s for a file of another kind', async (fileName, content, message) => {
  const { importRows } = await createImportMachine();
  const { code, err } = await importRows('contacts', content, fileName);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

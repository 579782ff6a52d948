import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { startControlledService } from '../../import/controlled-service.ts';
import { createSignedInHome, runShell } from '../../support/binary.ts';
import { createImportMachine, formatReportRows } from './import-machine.ts';

const workbook = readFileSync(join(import.meta.dirname, '../../import/data/exceljs.xlsx'));
const flags = '--create-fields --ignore Total --ignore phone --tz Europe/Berlin';

test('imports an .xlsx file, reports as CSV, and reads it from a pipe as well', async () => {
  const { importRows, toPath, readReport, json, kith } = await createImportMachine();
  const { code, out, err } = await importRows('contacts', workbook, `${flags} --jq .`, 'guests.xlsx');
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

test('leaves out cells with an error in a column that is imported', async () => {
  const { importRows, readReport } = await createImportMachine();
  const { code } = await importRows('contacts', workbook, '--create-fields --ignore phone', 'guests.xlsx');
  expect([code, formatReportRows(readReport('guests.report.csv'))]).toEqual([
    6,
    ['2 create', '3 create (left out: Total: Cell H4 has the error #N/A.)'],
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

const csv = 'email,first_name\r\nada@x.example,Ada\r\n';

test('a report never replaces its input file or something that is not a file', async () => {
  const { kith, writeTestFile, toPath, folder } = await createImportMachine();
  const path = writeTestFile('people.csv', csv);
  execFileSync('mkfifo', [toPath('pipe')]);
  for (const [report, message] of [
    [path, `--report: ${path} is the input file.`],
    [toPath('pipe'), `--report: ${toPath('pipe')} is not a file.`],
    [folder, `--report: ${folder} is not a file.`],
  ] as const) {
    const { code, err } = await kith(['contacts', 'import', path, '--report', report]);
    expect([code, err.split('\n')[0]]).toEqual([2, `kith: ${message}`]);
  }
  const result = await kith(['contacts', 'import', path, '--report', toPath('none/report.csv')]);
  const lock = toPath('none/report.csv.lock');
  expect([result.code, result.err]).toEqual([
    1,
    `kith: Cannot write ${lock}: a folder in its path does not exist.\n`,
  ]);
  expect(readFileSync(path, 'utf8')).toBe(csv);
  expect((await kith('contacts list --json')).out).toBe('[]\n');
});

test('imports a file through a pipe', async () => {
  const { env, home: cwd } = createSignedInHome();
  const people = 'first_name,email\\nGrace,grace@navy.example\\n';
  const { code, out, err } = await runShell(
    `kith contacts import <(printf '${people}') --report r.csv && kith contacts find --email grace@navy.example --fields first_name --no-header; kith contacts import <(printf '${people}')`,
    { env, cwd },
  );
  expect([code, out.split('\n').at(-2)]).toEqual([2, 'Grace']);
  expect(err).toContain('Missing required option: --report FILE (the input is a pipe).');
});

test('--create-fields creates nothing if the report cannot be written', async () => {
  const { importRows, writeTestFile, kith } = await createImportMachine();
  const existingFile = writeTestFile('taken.csv', 'these,are\r\nmy,own\r\n');
  const { code } = await importRows(
    'contacts',
    'email,Shoe size\r\na@x.example,39\r\n',
    `--create-fields --report ${existingFile}`,
  );
  expect(code).toBe(2);
  expect((await kith('custom-fields list --json')).out).toBe('[]\n');
});

test('reports a service failure during --strict unchanged', async () => {
  const { env, control } = await startControlledService();
  const { importRows } = await createImportMachine({ env });
  let requestCount = 0;
  control.before = ({ method, url }, response) => {
    if (method !== 'GET' || !url.startsWith('/v1/contacts') || ++requestCount < 2) return false;
    response.writeHead(403).end();
    return true;
  };
  const rows = 'email,organization\r\nada@x.example,Analytical\r\nbob@x.example,Analytical\r\n';
  const { code } = await importRows('contacts', rows, '--strict --retries 0');
  expect(code).toBe(4);
});

test('imports nothing if another run is writing the report', async () => {
  const { importRows, toPath, writeTestFile, kith } = await createImportMachine();
  const since = new Date().toISOString();
  writeTestFile('sheet.report.csv.lock', JSON.stringify({ pid: 7, host: 'test', since }));
  expect(await importRows('contacts', csv)).toEqual({
    code: 75,
    out: '',
    err: `kith: Another run is writing ${toPath('sheet.report.csv')}: process 7, since ${since}.\n`,
  });
  expect((await kith('contacts list --json')).out).toBe('[]\n');
});

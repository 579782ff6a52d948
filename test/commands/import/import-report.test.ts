import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createImportMachine, formatReportRows, invalidRows, parseError } from './import-machine.ts';

test('imports a report with fixed rows', async () => {
  const { kith, importRows, runSuccessfully, toPath, writeTestFile, json } = await createImportMachine();
  await runSuccessfully('fields create Rooms --model contact --type number');
  const { err: hint } = await importRows('contacts', invalidRows);
  expect(hint).toContain(
    `Fix the refused rows in ${toPath('sheet.report.csv')} and import that file; completed rows are skipped.`,
  );
  const fixedReport = readFileSync(toPath('sheet.report.csv'), 'utf8')
    .replace('none,call me', 'b@x.example,')
    .replace('many', '3')
    .replace(',,D', 'd@x.example,,D');
  const { code, out, err } = await kith(`contacts import ${writeTestFile('sheet.report.csv', fixedReport)}`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('5 rows: 2 created, 1 updated, 2 same');
  expect(await json('contacts list --all')).toHaveLength(5);
});

test('matches completed rows of a report by id if they have no email or phone', async () => {
  const { importRows, toPath, json } = await createImportMachine();
  await importRows('contacts', 'email,first_name,last_name\n,Ada,L\n,Grace,H\n', '--allow-unmatched');
  const fixedReport = readFileSync(toPath('sheet.report.csv'), 'utf8').replace('Grace,H', 'Grace,Hopper');
  const savedReport = fixedReport.replaceAll(',', ';').replaceAll('\r\n', '\n');
  const { out } = await importRows(
    'contacts',
    `${savedReport}\n;Alan;;;;\n`,
    '--allow-unmatched',
    'fixed.csv',
  );
  expect(out).toContain('3 rows: 1 created, 1 updated, 1 same, 0 refused');
  const names = await json<{ first_name: string; last_name: string }[]>('contacts list --all');
  expect(names.map(({ first_name, last_name }) => `${first_name} ${last_name}`).toSorted()).toEqual([
    'Ada L',
    'Alan null',
    'Grace Hopper',
  ]);
});

test('refuses a row of a report whose id was changed by a spreadsheet', async () => {
  const { importRows, readReport, toPath, json } = await createImportMachine();
  await importRows('contacts', 'first_name\nAda\nGrace\n', '--allow-unmatched');
  const [ada, grace] = readReport();
  const changedReport = readFileSync(toPath('sheet.report.csv'), 'utf8')
    .replace(`${ada?.id}`, '12345')
    .replace(`${grace?.id}`, '1.2E+46');
  expect((await importRows('contacts', changedReport, '--allow-unmatched', 'saved.csv')).code).toBe(6);
  expect(readReport('saved.report.csv')).toMatchObject([
    {
      action: 'refused',
      error: expect.stringContaining('Contact 12345 not found: a spreadsheet may have'),
    },
    { action: 'refused', error: expect.stringContaining('Contact 1.2E+46 not found: ') },
  ]);
  expect(await json('contacts list --all')).toHaveLength(2);
});

test('requires --report for stdin, and reads it like a file', async () => {
  const { kith, toPath, readReport } = await createImportMachine();
  const result = await kith('contacts import - --json', { stdin: 'email\na@x.example\n' });
  expect([result.code, parseError(result.err).message]).toEqual([
    2,
    'Missing required option: --report FILE (the input is a pipe).',
  ]);
  const { code, out } = await kith(`contacts import - --report ${toPath('r.csv')}`, {
    stdin: 'email;first_name\na@x.example;A\n',
  });
  expect([code, out]).toEqual([
    0,
    `stdin: 1 row: 1 created, 0 updated, 0 same, 0 refused; see ${toPath('r.csv')}\n`,
  ]);
  expect(formatReportRows(readReport('r.csv'))).toEqual(['2 create']);
  expect((await kith('contacts import - --dry-run', { stdin: '{"email":"a@x.example"}\n' })).out).toMatch(
    /^= same {2}\(row 1, \w+\)\n$/,
  );
});

test('renames an earlier report to …previous.csv, and never touches another kind of file', async () => {
  const { importRows, toPath, readReport, writeTestFile, kith } = await createImportMachine();
  await importRows('contacts', 'email\na@x.example\n');
  await importRows('contacts', 'email\nb@x.example\n');
  expect([readReport(), readReport('sheet.report.previous.csv')].map((lines) => lines[0]?.email)).toEqual([
    'b@x.example',
    'a@x.example',
  ]);
  const ownFile = writeTestFile('mine.csv', 'my,own,work\n');
  const { code, err } = await kith(`contacts import ${toPath('sheet.csv')} --report ${ownFile} --json`);
  expect([code, parseError(err).message, readFileSync(ownFile, 'utf8')]).toEqual([
    2,
    `${ownFile} exists and is not an import report.`,
    'my,own,work\n',
  ]);
});

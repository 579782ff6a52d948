import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startControlledService } from '../../import/controlled-service.ts';
import { createSignedInHome, runShell } from '../../support/binary.ts';
import { createImportMachine } from './import-machine.ts';

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

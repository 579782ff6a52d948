import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readState } from '../../import/state.ts';
import { createImportMachine, createUndoMachine, findLastLog, readLog } from './import-machine.ts';

const csv = 'email\na@x.example\nb@x.example\n';

/** Truncates a log as if its run had been killed at the second row. */
function truncateToFirstRow(path: string): void {
  const text = readFileSync(path, 'utf8');
  const end = text.indexOf('{"n":4,"after"');
  writeFileSync(path, `${text.slice(0, end)}{"n":4,"aft`);
}

test('a report is undone after it was moved, but not if it was changed too', async () => {
  const { importRows, undo, toPath, takeWrites, sendOk } = await createUndoMachine();
  await importRows('contacts', csv);
  takeWrites();
  mkdirSync(toPath('done'));
  const report = readFileSync(toPath('sheet.report.csv'), 'utf8');
  rmSync(toPath('sheet.report.csv'));
  writeFileSync(toPath('done/sheet.report.csv'), `${report}\n`);
  expect(await undo('', 'done/sheet.report.csv')).toMatchObject({
    code: 3,
    err: expect.stringContaining(`the report ${toPath('done/sheet.report.csv')} is recorded.\nhint: `),
  });
  expect(takeWrites()).toEqual([]);
  writeFileSync(toPath('done/sheet.report.csv'), report);
  expect(await undo('', 'done/sheet.report.csv')).toMatchObject({ code: 0, err: '' });
  expect((await readState(sendOk)).contacts).toEqual([]);
});

test('does not find an import with another API key of the same service, and deletes nothing', async () => {
  const { importRows, undo, kith, toPath, folder, env, takeWrites, sendOk } = await createUndoMachine();
  await importRows('contacts', csv);
  takeWrites();
  const other = { env: { ...env, KITH_API_KEY: 'another-key' } };
  for (const flags of ['', '--dry-run']) {
    const line = `contacts import --undo ${toPath('sheet.report.csv')} --yes ${flags}`;
    expect(await kith(line, other)).toEqual({
      code: 3,
      out: '',
      err:
        `kith: No import into this workspace with the report ${toPath('sheet.report.csv')} is recorded.\n` +
        'hint: Use the key, the profile or the workspace of the import. List its recorded commands: kith undo --list\n',
    });
  }
  expect(takeWrites()).toEqual([]);
  expect(readFileSync(findLastLog(folder), 'utf8')).not.toContain(env.KITH_API_KEY);
  expect((await undo()).code).toBe(0);
  expect((await readState(sendOk)).contacts).toEqual([]);
});

test('an interrupted import into a workspace file that was moved starts over, without duplicates', async () => {
  const { kith, importRows, toPath, database, folder, json } = await createImportMachine();
  await importRows('contacts', csv, '--concurrency 1');
  truncateToFirstRow(findLastLog(folder));
  renameSync(database, toPath('moved.sqlite'));
  await kith(['auth', 'login', '--local', '--database', toPath('moved.sqlite')]);
  expect((await importRows('contacts', csv)).out).toContain('0 created, 0 updated, 2 same');
  expect(await json('contacts list --all')).toHaveLength(2);
});

test('refuses a report with the log of another import', async () => {
  const { importRows, undo, toPath, folder, takeWrites } = await createUndoMachine();
  await importRows('contacts', csv);
  await importRows('contacts', csv.replaceAll('@x', '@y'));
  renameSync(toPath('sheet.report.previous.csv'), toPath('sheet.report.csv'));
  takeWrites();
  expect(await undo()).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `sheet.report.csv and its log ${findLastLog(folder)} belong to different imports.`,
    ),
  });
  expect(takeWrites()).toEqual([]);
  rmSync(toPath('sheet.report.csv'));
  expect(await undo()).toMatchObject({ code: 0, err: '' });
});

test('refuses a damaged log, and a file that is not a report', async () => {
  const { importRows, undo, folder, writeTestFile, takeWrites } = await createUndoMachine();
  await importRows('contacts', csv);
  takeWrites();
  const log = findLastLog(folder);
  writeFileSync(log, readFileSync(log, 'utf8').replace('"what":"contact"', '"what":"con'));
  const { code, err } = await undo();
  expect([code, err.split('\n')[0]]).toEqual([1, `kith: ${log} is damaged at line 3.`]);
  writeTestFile('mine.csv', 'my,own,work\n');
  expect((await undo('', 'mine.csv')).err).toContain('No import into this workspace with the report');
  expect((await undo('', 'nothing.csv')).code).toBe(3);
  expect(takeWrites()).toEqual([]);
});

test('does not resume an import that was undone: the next run imports everything again', async () => {
  const { folder, importRows, undo, toPath, sendOk, readReport } = await createUndoMachine();
  await importRows('contacts', csv, '--concurrency 1');
  truncateToFirstRow(findLastLog(folder));
  const logText = readFileSync(findLastLog(folder), 'utf8');
  expect((await undo('--dry-run')).code).toBe(0);
  expect(readFileSync(findLastLog(folder), 'utf8')).toBe(logText);
  await undo();
  expect((await undo()).out).toContain(' 0 undone, 1 already undone');
  // The partial line is removed, and repeated undo adds only one mark.
  expect(readFileSync(findLastLog(folder), 'utf8')).toBe(logText.replace('{"n":4,"aft', '{"undone":true}\n'));
  const { code, err } = await importRows('contacts', csv);
  expect([code, err]).toEqual([0, expect.stringContaining(toPath('sheet.report.previous.csv'))]);
  expect(readReport().map(({ action }) => action)).toEqual(['create', 'create']);
  expect((await readState(sendOk)).contacts).toHaveLength(2);
});

test('resumes an import without its report, and with a report saved by a spreadsheet program', async () => {
  const { folder, importRows, toPath, readReport, takeWrites } = await createUndoMachine();
  const outcome = await importRows('contacts', csv);
  expect(outcome.code).toBe(0);
  for (const change of [
    () => rmSync(toPath('sheet.report.csv')),
    () =>
      writeFileSync(
        toPath('sheet.report.csv'),
        '"email";"action";"id";"error"\n"a@x.example";"create";"";""\n',
      ),
  ]) {
    truncateToFirstRow(findLastLog(folder));
    change();
    takeWrites();
    const { code, err } = await importRows('contacts', csv);
    expect([code, err]).toEqual([0, expect.stringContaining('Continuing the interrupted')]);
    expect([takeWrites(), readReport().map(({ action }) => action)]).toEqual([[], ['create', 'create']]);
    expect(readLog(findLastLog(folder)).at(-1)).toEqual({ finished: true });
  }
});

test('does not resume an import whose report was renamed by another import', async () => {
  const { importRows, folder, takeWrites } = await createUndoMachine();
  await importRows('contacts', csv, '--concurrency 1');
  truncateToFirstRow(findLastLog(folder));
  await importRows('contacts', 'email\nc@x.example\n');
  takeWrites();
  const { code, out, err } = await importRows('contacts', csv);
  expect([code, out, err]).toEqual([0, expect.stringContaining('2 same'), '']);
  expect(takeWrites()).toEqual([]);
});

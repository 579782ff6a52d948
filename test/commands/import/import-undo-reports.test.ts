import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readState } from '../../import/state.ts';
import { createImportMachine, hideContacts, readJournal } from './import-machine.ts';
import { createUndoMachine, parseCounts } from './undo-machine.ts';

const csv = 'email\na@x.example\nb@x.example\n';
const journal = '.sheet.report.csv.kith-journal';

/** Truncates a journal as if its run had been killed at the second row. */
function truncateToFirstRow(path: string): void {
  const text = readFileSync(path, 'utf8');
  const end = text.indexOf('{"n":2,"after"');
  writeFileSync(path, `${text.slice(0, end)}{"n":2,"aft`);
}

test('undo reverts the writes of an interrupted import, including a write whose response was lost', async () => {
  const { importRows, undo, toPath, sendOk } = await createUndoMachine();
  await importRows('contacts', csv, '--concurrency 1');
  truncateToFirstRow(toPath(journal));
  const { code, out, err } = await undo();
  expect([code, parseCounts(out), err]).toEqual([
    0,
    '2 undone, 0 already undone, 0 changed since, 0 failed',
    '',
  ]);
  expect((await readState(sendOk)).contacts).toEqual([]);
});

test('a report is undone after it was moved with its journal, not without it', async () => {
  const { importRows, undo, toPath, folder, takeWrites, sendOk } = await createUndoMachine();
  await importRows('contacts', csv);
  takeWrites();
  const moveFile = (name: string) => renameSync(toPath(name), toPath(`done/${name}`));
  await (await import('node:fs/promises')).mkdir(toPath('done'));
  moveFile('sheet.report.csv');
  expect(await undo('', 'done/sheet.report.csv')).toEqual({
    code: 3,
    out: '',
    err:
      `kith: ${folder}/done/sheet.report.csv has no journal: ${folder}/done/${journal} is missing.\n` +
      'hint: Move the journal back to that path. Without it the import cannot be undone.\n',
  });
  expect(takeWrites()).toEqual([]);
  moveFile(journal);
  expect(await undo('', 'done/sheet.report.csv')).toMatchObject({ code: 0, err: '' });
  expect((await readState(sendOk)).contacts).toEqual([]);
});

test('refuses to undo with another API key of the same service, and deletes nothing', async () => {
  const { importRows, undo, kith, toPath, folder, env, takeWrites, sendOk } = await createUndoMachine();
  await importRows('contacts', csv);
  takeWrites();
  const other = { env: { ...env, KITH_API_KEY: 'another-key' } };
  for (const flags of ['', '--dry-run']) {
    const line = `contacts import --undo ${toPath('sheet.report.csv')} --yes ${flags}`;
    expect(await kith(line, other)).toEqual({
      code: 2,
      out: '',
      err:
        `kith: ${toPath('sheet.report.csv')} is the report of an import into ${env.KITH_BASE_URL}/ with another API key.\n` +
        'hint: Use the key or the profile that the import used.\n',
    });
  }
  expect(takeWrites()).toEqual([]);
  expect(readFileSync(join(folder, journal), 'utf8')).not.toContain(env.KITH_API_KEY);
  expect((await undo()).code).toBe(0);
  expect((await readState(sendOk)).contacts).toEqual([]);
});

test('undoes and resumes an import into a workspace file that was moved', async () => {
  const { kith, importRows, toPath, database, folder } = await createImportMachine();
  await importRows('contacts', csv, '--concurrency 1');
  truncateToFirstRow(toPath(journal));
  renameSync(database, toPath('moved.sqlite'));
  await kith(['auth', 'login', '--local', '--database', toPath('moved.sqlite')]);
  const resumeResult = await importRows('contacts', csv);
  expect([resumeResult.code, resumeResult.err]).toEqual([
    0,
    expect.stringContaining('Resuming the interrupted import'),
  ]);
  const report = join(folder, 'sheet.report.csv');
  expect(await kith(`contacts import --undo ${report} --yes`)).toMatchObject({ code: 0 });
  expect((await kith('contacts list --json')).out).toBe('[]\n');
});

test('refuses a report with the journal of another import', async () => {
  const { importRows, undo, toPath, takeWrites } = await createUndoMachine();
  await importRows('contacts', csv);
  await importRows('contacts', csv.replaceAll('@x', '@y'));
  renameSync(toPath('sheet.report.previous.csv'), toPath('sheet.report.csv'));
  takeWrites();
  expect(await undo()).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `sheet.report.csv and its journal ${toPath(journal)} belong to different imports.`,
    ),
  });
  expect(takeWrites()).toEqual([]);
  rmSync(toPath('sheet.report.csv'));
  expect(await undo()).toMatchObject({ code: 0, err: '' });
});

test('refuses the report of another workspace, a damaged journal, and a file that is not a report', async () => {
  const { importRows, undo, toPath, writeTestFile, takeWrites } = await createUndoMachine();
  await importRows('contacts', csv);
  takeWrites();
  const journalText = readFileSync(toPath(journal), 'utf8');
  const undoJournal = async (text: string) => {
    writeFileSync(toPath(journal), text);
    const { code, err } = await undo();
    return [code, err.split('\n')[0]?.replaceAll(toPath('sheet.report.csv'), 'FILE')];
  };
  expect(await undoJournal(journalText.replace(/http:..127.0.0.1:\d+/g, 'https://crm.example.com'))).toEqual([
    2,
    expect.stringMatching(
      /^kith: FILE is the report of an import into https:..crm.example.com\/?, not into http:/,
    ),
  ]);
  expect(await undoJournal(journalText.replace('"what":"contact"', '"what":"con'))).toEqual([
    1,
    `kith: ${toPath(journal)} is damaged at line 3.`,
  ]);
  writeTestFile('mine.csv', 'my,own,work\n');
  expect((await undo('', 'mine.csv')).err).toContain('mine.csv has no journal');
  expect((await undo('', 'nothing.csv')).code).toBe(3);
  expect(takeWrites()).toEqual([]);
});

test('does not resume an import that was undone: the next run imports everything again', async () => {
  const { importRows, undo, toPath, sendOk, readReport } = await createUndoMachine();
  await importRows('contacts', csv, '--concurrency 1');
  truncateToFirstRow(toPath(journal));
  const journalText = readFileSync(toPath(journal), 'utf8');
  expect((await undo('--dry-run')).code).toBe(0);
  expect(readFileSync(toPath(journal), 'utf8')).toBe(journalText);
  await undo();
  expect((await undo()).out).toContain(' 0 undone, 1 already undone');
  // The partial line is removed, and repeated undo adds only one mark.
  expect(readFileSync(toPath(journal), 'utf8')).toBe(journalText.replace('{"n":2,"aft', '{"undone":true}\n'));
  const { code, err } = await importRows('contacts', csv);
  expect([code, err]).toEqual([0, expect.stringContaining(toPath('sheet.report.previous.csv'))]);
  expect(readReport().map(({ action }) => action)).toEqual(['create', 'create']);
  expect((await readState(sendOk)).contacts).toHaveLength(2);
});

test('undoes a row whose response was lost', async () => {
  const { importRows, undo, control, sendOk } = await createUndoMachine();
  control.after = ({ method, body }, response) => {
    const isLost = method === 'POST' && body.includes('a@x.example');
    if (isLost) response.destroy();
    return isLost;
  };
  hideContacts(control);
  expect((await importRows('contacts', csv, '--retries 0')).code).toBe(6);
  control.before = () => false;
  const { code, out, err } = await undo();
  expect([code, parseCounts(out), err]).toEqual([
    0,
    '2 undone, 0 already undone, 0 changed since, 0 failed',
    '',
  ]);
  expect((await readState(sendOk)).contacts).toEqual([]);
});

test('resumes an import without its report, and with a report saved by a spreadsheet program', async () => {
  const { importRows, toPath, readReport, takeWrites } = await createUndoMachine();
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
    truncateToFirstRow(toPath(journal));
    change();
    takeWrites();
    const { code, err } = await importRows('contacts', csv);
    expect([code, err]).toEqual([0, expect.stringContaining('Resuming the interrupted import')]);
    expect([takeWrites(), readReport().map(({ action }) => action)]).toEqual([[], ['create', 'create']]);
    expect(readJournal(toPath('sheet.report.csv')).at(-1)).toEqual({ finished: true });
  }
});

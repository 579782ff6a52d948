import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { getJournalPath, type ImportReport, openReport } from '../../src/import/import-report.ts';
import type { Outcome } from '../../src/import/outcome.ts';
import type { Table } from '../../src/import/table.ts';
import { readJournal, readReport } from '../cli/jobs/import-machine.ts';
import { createTemporaryFolder } from '../support/kith.ts';

const columns = ['name', '=odd'];
const reportSubject = {
  kith_import: 1,
  workspace: 'https://crm.example.com/',
  identity: { id: 'x' },
  input: 'abc',
} as const;
const rows = Array.from({ length: 30 }, (_, at) => {
  const cells = [`"N${at}"\r\n한`, ''];
  return { row: at + 2, cells, values: cells };
});
const csv: Table = {
  columns,
  isReport: false,
  async *rows() {
    yield* rows;
  },
};
const createOutcome = (id: string): Outcome => ({
  action: 'create',
  id,
  steps: [],
  completed: [{ what: 'contact', id, after: { id } }],
});
const step = { what: 'contact', body: { first_name: 'Ada' } } as const;
const readActions = (path: string) => readReport(path).map(({ row, action }) => `${row} ${action}`);
const allCreated = rows.map(({ row }) => `${row} create`);

const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function opened(path = join(createTemporaryFolder(), 'r.csv'), more: object = {}) {
  return { path, report: await openReport(path, { ...reportSubject, ...more }) };
}

const recordAll = ({ journal }: ImportReport, rowsToRecord = rows) =>
  Promise.all(
    rowsToRecord.map(async ({ row }) => {
      journal.recordStep(row, step);
      journal.recordOutcome(row, createOutcome(`c${row}`));
    }),
  );

test('a report has the columns of the input, action, id and error; its journal has everything else', async () => {
  const { path, report } = await opened();
  await report.write(csv);
  expect(readActions(path)).toEqual(rows.map(({ row }) => `${row} pending`));
  await recordAll(report, rows.toReversed());
  await report.finish(csv);
  report.close();
  expect(readActions(path)).toEqual(allCreated);
  const [first] = readReport(path);
  expect(first).toEqual({
    name: rows[0]?.cells[0],
    "'=odd": '',
    action: 'create',
    id: 'c2',
    error: '',
    row: '2',
  });
  const of2 = readJournal(path).filter(({ row }) => row === 2);
  expect(of2).toEqual([
    { row: 2, sending: step },
    { row: 2, action: 'create', id: 'c2', completed: createOutcome('c2').completed },
  ]);
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['.r.csv.kith-journal', 'r.csv']);
  expect([readMode(path), readMode(getJournalPath(path))]).toEqual(['600', '600']);
});

test('resumes a killed run with its rows and traces, and drops a partly written line', async () => {
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 3));
  report.journal.recordStep(9, step);
  report.close();
  appendFileSync(getJournalPath(path), '{"row":10,"act');
  const { report: nextReport } = await opened(path);
  expect([nextReport.isResumed, [2, 3, 4, 5, 9].map(nextReport.journal.findAction)]).toEqual([
    true,
    ['create', 'create', 'create', undefined, undefined],
  ]);
  expect([nextReport.journal.findTraces(2), nextReport.journal.findTraces(9)]).toEqual([[], [step]]);
  await nextReport.write(csv);
  expect(readActions(path).slice(0, 5)).toEqual([
    '2 create',
    '3 create',
    '4 create',
    '5 pending',
    '6 pending',
  ]);
  await recordAll(nextReport, rows.slice(3));
  await nextReport.finish(csv);
  nextReport.close();
  expect(readActions(path)).toEqual(allCreated);
});

test('resumes from a journal that was truncated at any byte', async () => {
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 3));
  report.close();
  const journalContent = readFileSync(getJournalPath(path));
  for (let end = 0; end <= journalContent.length; end += 7) {
    writeFileSync(getJournalPath(path), journalContent.subarray(0, end));
    const { report: nextReport } = await opened(path);
    const knownRows = rows.filter(({ row }) => nextReport.journal.findAction(row));
    expect(knownRows).toEqual(rows.slice(0, knownRows.length));
    nextReport.close();
  }
});

test('names a damaged journal and its line', async () => {
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 3));
  report.close();
  const journalContent = readFileSync(getJournalPath(path), 'utf8');
  for (const [text, line] of [
    [journalContent.replace('"sending"', '"sending'), 2],
    [journalContent.replace('"what":"contact"', '"what":"calendar"'), 2],
    ['\n', 1],
    [journalContent + journalContent, 8],
  ] as const) {
    writeFileSync(getJournalPath(path), text);
    await expect(openReport(path, reportSubject)).rejects.toMatchObject({
      code: 'failed',
      message: `${getJournalPath(path)} is damaged at line ${line}.`,
    });
  }
});

test('keeps the report of another workspace or input file with its journal', async () => {
  const more = { input: 'xyz' };
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 2));
  await report.write(csv);
  report.close();
  const [before, journal] = [readFileSync(path, 'utf8'), readFileSync(getJournalPath(path), 'utf8')];
  const { report: nextReport } = await opened(path, more);
  nextReport.close();
  const previous = path.replace('.csv', '.previous.csv');
  expect([nextReport.isResumed, nextReport.renamedTo, nextReport.journal.findAction(2)]).toEqual([
    false,
    previous,
    undefined,
  ]);
  expect([readFileSync(previous, 'utf8'), readFileSync(getJournalPath(previous), 'utf8')]).toEqual([
    before,
    journal,
  ]);
});

test('does not resume a finished run', async () => {
  const { path, report } = await opened();
  await recordAll(report);
  await report.finish(csv);
  report.close();
  const { report: nextReport } = await opened(path);
  nextReport.close();
  expect([nextReport.isResumed, nextReport.renamedTo, readJournal(path)]).toEqual([
    false,
    undefined,
    [reportSubject],
  ]);
});

test('keeps a report that was edited by hand, whether or not the run resumes', async () => {
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 1));
  await report.write(csv);
  report.close();
  const fixedText = readFileSync(path, 'utf8').replace('N7', 'Fixed').replaceAll(',', ';');
  writeFileSync(path, fixedText);
  const { report: nextReport } = await opened(path);
  const previous = path.replace('.csv', '.previous.csv');
  expect([nextReport.isResumed, nextReport.renamedTo, readFileSync(previous, 'utf8')]).toEqual([
    true,
    previous,
    fixedText,
  ]);
  expect(existsSync(getJournalPath(previous))).toBe(false);
  await nextReport.finish(csv);
  nextReport.close();
  // Without the journal, nothing identifies the import of the report.
  renameSync(getJournalPath(path), join(dirname(path), 'elsewhere'));
  const { report: third } = await opened(path);
  third.close();
  expect([third.isResumed, third.renamedTo]).toEqual([false, path.replace('.csv', '.previous-2.csv')]);
});

test('keeps every report with something to undo and replaces one of a run that changed nothing', async () => {
  const { path, report } = await opened();
  report.close();
  const sameOutcome: Outcome = { action: 'same', id: 'c1', steps: [], completed: [] };
  const run = async (outcome: Outcome, isFinished = true) => {
    const { report: nextReport } = await opened(path, { input: String(Math.random()) });
    for (const { row } of rows.slice(0, 2)) nextReport.journal.recordOutcome(row, outcome);
    if (isFinished) await nextReport.finish(csv);
    else await nextReport.write(csv);
    nextReport.close();
    return nextReport.renamedTo;
  };
  const previousPath = (number = '') => path.replace('.csv', `.previous${number}.csv`);
  const countReports = () => readdirSync(dirname(path)).length / 2 - 1;
  const renamedPaths = [];
  for (const outcome of [
    sameOutcome,
    createOutcome('a'),
    sameOutcome,
    createOutcome('b'),
    createOutcome('c'),
  ])
    renamedPaths.push(await run(outcome));
  expect([renamedPaths, countReports()]).toEqual([Array(5).fill(undefined), 2]);
  await run({ ...sameOutcome, action: 'unknown' }, false);
  expect([await run(sameOutcome, false), await run(sameOutcome), countReports()]).toEqual([
    previousPath('-4'),
    undefined,
    4,
  ]);
  expect(['', '-2', '-3', '-4'].map((number) => readReport(previousPath(number))[0]?.id)).toEqual([
    'a',
    'b',
    'c',
    'c1',
  ]);
});

test('imports an unknown row again, with its traces and its known writes', async () => {
  const { path, report } = await opened();
  const organization = { what: 'organization', id: 'o1', after: {} } as const;
  report.journal.recordStep(2, step);
  report.journal.recordOutcome(2, { action: 'unknown', steps: [], completed: [organization] });
  report.close();
  const { report: nextReport } = await opened(path);
  expect([nextReport.isResumed, nextReport.journal.findAction(2), nextReport.journal.findTraces(2)]).toEqual([
    true,
    undefined,
    [step],
  ]);
  nextReport.journal.recordOutcome(2, createOutcome('c2'));
  await nextReport.finish(csv);
  nextReport.close();
  const last = readJournal(path).findLast(({ row }) => row === 2);
  expect([last?.action, last?.completed]).toEqual([
    'create',
    [organization, ...createOutcome('c2').completed],
  ]);
});

test('undoes the create and the update of a record that two runs wrote', async () => {
  const { path, report } = await opened();
  const created = createOutcome('c2');
  report.journal.recordOutcome(2, { ...created, action: 'unknown' });
  report.close();
  const updateOutcome = {
    what: 'contact',
    id: 'c2',
    before: { first_name: 'A' },
    after: { first_name: 'B' },
  } as const;
  const { report: nextReport } = await opened(path);
  nextReport.journal.recordOutcome(2, { action: 'update', id: 'c2', steps: [], completed: [updateOutcome] });
  nextReport.close();
  expect(readJournal(path).at(-1)?.completed).toEqual([...created.completed, updateOutcome]);
});

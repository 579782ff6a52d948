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
import { type ImportReport, journalPath, openReport } from '../../src/import/import-report.ts';
import type { Outcome } from '../../src/import/rows.ts';
import type { Table } from '../../src/import/table.ts';
import { readJournal, readReport } from '../cli/jobs/importing.ts';
import { createTemporaryFolder } from '../support/kith.ts';

const columns = ['name', '=odd'];
const subject = {
  kith_import: 1,
  workspace: 'https://crm.example.com/',
  identity: { id: 'x' },
  input: 'abc',
} as const;
const rows = Array.from({ length: 30 }, (_, at) => {
  const cells = [`"N${at}"\r\n한`, ''];
  return { row: at + 2, cells, values: cells };
});
const sheet: Table = {
  columns,
  isReport: false,
  async *rows() {
    yield* rows;
  },
};
const made = (id: string): Outcome => ({
  action: 'create',
  id,
  steps: [],
  completed: [{ what: 'contact', id, after: { id } }],
});
const step = { what: 'contact', body: { first_name: 'Ada' } } as const;
const lines = (path: string) => readReport(path).map(({ row, action }) => `${row} ${action}`);
const allCreated = rows.map(({ row }) => `${row} create`);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function opened(path = join(createTemporaryFolder(), 'r.csv'), more: object = {}) {
  return { path, report: await openReport(path, { ...subject, ...more }) };
}

const recordAll = ({ journal }: ImportReport, of = rows) =>
  Promise.all(
    of.map(async ({ row }) => {
      journal.recordStep(row, step);
      journal.recordOutcome(row, made(`c${row}`));
    }),
  );

test('a report has the columns of the input, action, id and error; its journal has everything else', async () => {
  const { path, report } = await opened();
  await report.write(sheet);
  expect(lines(path)).toEqual(rows.map(({ row }) => `${row} pending`));
  await recordAll(report, rows.toReversed());
  await report.finish(sheet);
  report.close();
  expect(lines(path)).toEqual(allCreated);
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
    { row: 2, action: 'create', id: 'c2', completed: made('c2').completed },
  ]);
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['.r.csv.kith-journal', 'r.csv']);
  expect([modeOf(path), modeOf(journalPath(path))]).toEqual(['600', '600']);
});

test('resumes a killed run with its rows and traces, and drops a partly written line', async () => {
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 3));
  report.journal.recordStep(9, step);
  report.close();
  appendFileSync(journalPath(path), '{"row":10,"act');
  const { report: next } = await opened(path);
  expect([next.isResumed, [2, 3, 4, 5, 9].map(next.journal.findAction)]).toEqual([
    true,
    ['create', 'create', 'create', undefined, undefined],
  ]);
  expect([next.journal.findTraces(2), next.journal.findTraces(9)]).toEqual([[], [step]]);
  await next.write(sheet);
  expect(lines(path).slice(0, 5)).toEqual(['2 create', '3 create', '4 create', '5 pending', '6 pending']);
  await recordAll(next, rows.slice(3));
  await next.finish(sheet);
  next.close();
  expect(lines(path)).toEqual(allCreated);
});

test('resumes from a journal that was truncated at any byte', async () => {
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 3));
  report.close();
  const whole = readFileSync(journalPath(path));
  for (let end = 0; end <= whole.length; end += 7) {
    writeFileSync(journalPath(path), whole.subarray(0, end));
    const { report: next } = await opened(path);
    const known = rows.filter(({ row }) => next.journal.findAction(row));
    expect(known).toEqual(rows.slice(0, known.length));
    next.close();
  }
});

test('names a damaged journal and its line', async () => {
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 3));
  report.close();
  const whole = readFileSync(journalPath(path), 'utf8');
  for (const [text, line] of [
    [whole.replace('"sending"', '"sending'), 2],
    [whole.replace('"what":"contact"', '"what":"calendar"'), 2],
    ['\n', 1],
    [whole + whole, 8],
  ] as const) {
    writeFileSync(journalPath(path), text);
    await expect(openReport(path, subject)).rejects.toMatchObject({
      code: 'failed',
      message: `${journalPath(path)} is damaged at line ${line}.`,
    });
  }
});

test('keeps the report of another workspace or input file with its journal', async () => {
  const more = { input: 'xyz' };
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 2));
  await report.write(sheet);
  report.close();
  const [before, journal] = [readFileSync(path, 'utf8'), readFileSync(journalPath(path), 'utf8')];
  const { report: next } = await opened(path, more);
  next.close();
  const previous = path.replace('.csv', '.previous.csv');
  expect([next.isResumed, next.renamedTo, next.journal.findAction(2)]).toEqual([false, previous, undefined]);
  expect([readFileSync(previous, 'utf8'), readFileSync(journalPath(previous), 'utf8')]).toEqual([
    before,
    journal,
  ]);
});

test('does not resume a finished run', async () => {
  const { path, report } = await opened();
  await recordAll(report);
  await report.finish(sheet);
  report.close();
  const { report: next } = await opened(path);
  next.close();
  expect([next.isResumed, next.renamedTo, readJournal(path)]).toEqual([false, undefined, [subject]]);
});

test('keeps a report that was edited by hand, whether or not the run resumes', async () => {
  const { path, report } = await opened();
  await recordAll(report, rows.slice(0, 1));
  await report.write(sheet);
  report.close();
  const fixed = readFileSync(path, 'utf8').replace('N7', 'Fixed').replaceAll(',', ';');
  writeFileSync(path, fixed);
  const { report: next } = await opened(path);
  const previous = path.replace('.csv', '.previous.csv');
  expect([next.isResumed, next.renamedTo, readFileSync(previous, 'utf8')]).toEqual([true, previous, fixed]);
  expect(existsSync(journalPath(previous))).toBe(false);
  await next.finish(sheet);
  next.close();
  // The journal is gone: nobody knows what the report is of.
  renameSync(journalPath(path), join(dirname(path), 'elsewhere'));
  const { report: third } = await opened(path);
  third.close();
  expect([third.isResumed, third.renamedTo]).toEqual([false, path.replace('.csv', '.previous-2.csv')]);
});

test('keeps every report with something to undo and replaces one of a run that changed nothing', async () => {
  const { path, report } = await opened();
  report.close();
  const same: Outcome = { action: 'same', id: 'c1', steps: [], completed: [] };
  const run = async (outcome: Outcome, isFinished = true) => {
    const { report: next } = await opened(path, { input: String(Math.random()) });
    for (const { row } of rows.slice(0, 2)) next.journal.recordOutcome(row, outcome);
    if (isFinished) await next.finish(sheet);
    else await next.write(sheet);
    next.close();
    return next.renamedTo;
  };
  const named = (number = '') => path.replace('.csv', `.previous${number}.csv`);
  const kept = () => readdirSync(dirname(path)).length / 2 - 1;
  const renamed = [];
  for (const outcome of [same, made('a'), same, made('b'), made('c')]) renamed.push(await run(outcome));
  expect([renamed, kept()]).toEqual([Array(5).fill(undefined), 2]);
  await run({ ...same, action: 'unknown' }, false);
  expect([await run(same, false), await run(same), kept()]).toEqual([named('-4'), undefined, 4]);
  expect(['', '-2', '-3', '-4'].map((number) => readReport(named(number))[0]?.id)).toEqual([
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
  const { report: next } = await opened(path);
  expect([next.isResumed, next.journal.findAction(2), next.journal.findTraces(2)]).toEqual([
    true,
    undefined,
    [step],
  ]);
  next.journal.recordOutcome(2, made('c2'));
  await next.finish(sheet);
  next.close();
  const last = readJournal(path).findLast(({ row }) => row === 2);
  expect([last?.action, last?.completed]).toEqual(['create', [organization, ...made('c2').completed]]);
});

test('undoes the create and the update of a record that two runs wrote', async () => {
  const { path, report } = await opened();
  const created = made('c2');
  report.journal.recordOutcome(2, { ...created, action: 'unknown' });
  report.close();
  const update = {
    what: 'contact',
    id: 'c2',
    before: { first_name: 'A' },
    after: { first_name: 'B' },
  } as const;
  const { report: next } = await opened(path);
  next.journal.recordOutcome(2, { action: 'update', id: 'c2', steps: [], completed: [update] });
  next.close();
  expect(readJournal(path).at(-1)?.completed).toEqual([...created.completed, update]);
});

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { getOldLogPath, ImportLog } from '../../src/import/import-log.ts';
import { replaceReport, writeReport } from '../../src/import/import-report.ts';
import type { Outcome } from '../../src/import/outcome.ts';
import type { Table } from '../../src/import/table.ts';
import { findInterrupted } from '../../src/writes/interrupted.ts';
import { ChangeLog } from '../../src/writes/log.ts';
import { readLog, readReport } from '../commands/import/import-machine.ts';
import { createTemporaryFolder } from '../support/kith.ts';

const columns = ['name', '=odd'];
const header = { command: 'contacts import', at: '2026-05-04T09:30:00.000Z', many: 'abc' } as const;
const rows = Array.from({ length: 30 }, (_, at) => {
  const cells = [`"N${at}"\r\n한`, ''];
  return { row: at + 2, cells, values: cells };
});
const csv: Table = {
  columns,
  isReport: false,
  notes: [],
  async *rows() {
    yield* rows;
  },
};
const createOutcome = (id: string): Outcome => ({ action: 'create', id, steps: [] });
const write = { noun: 'contact', action: 'create', body: { first_name: 'Ada' } } as const;

let lastNumber = 0;

/** Records a create as the recorder does; without an id, its response is lost. */
function recordCreate(log: ImportLog, row: number, id?: string): void {
  lastNumber += 1;
  const n = lastNumber;
  log.append({ n, row, ...write });
  if (id !== undefined) log.append({ n, after: { id } });
}
const readActions = (path: string) => readReport(path).map(({ row, action }) => `${row} ${action}`);
const allCreated = rows.map(({ row }) => `${row} create`);

const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The folder of the logs of a test whose report has this path. */
const toLogs = (path: string) => join(dirname(path), 'logs');

/** Opens the report and the log of a run, as an import does. */
async function opened(path = join(createTemporaryFolder(), 'r.csv'), many = 'abc') {
  const logs = toLogs(path);
  const subject = { ...header, many, report: path };
  const interrupted = findInterrupted(logs, subject, Date.now());
  const earlier = interrupted ? ImportLog.read(interrupted.path) : ImportLog.find(logs, path);
  const isResumed = interrupted !== undefined;
  const report = await replaceReport(path, earlier, isResumed);
  const changes = interrupted ? ChangeLog.continue(interrupted) : ChangeLog.create(logs, subject);
  const log = ImportLog.read(changes.path).open();
  return { path, log, report: { ...report, isResumed } };
}

async function finishReport(path: string, table: Table, log: ImportLog): Promise<void> {
  await writeReport(path, table, log);
  log.append({ finished: true });
}

function recordAll(log: ImportLog, rowsToRecord = rows): void {
  for (const { row } of rowsToRecord) {
    recordCreate(log, row, `c${row}`);
    log.recordOutcome(row, createOutcome(`c${row}`));
  }
}

test('a report has the columns of the input, action, id, error and left_out; its log has everything else', async () => {
  const { path, log } = await opened();
  await writeReport(path, csv, log);
  expect(readActions(path)).toEqual(rows.map(({ row }) => `${row} pending`));
  recordAll(log, rows.toReversed());
  await finishReport(path, csv, log);
  log.close();
  expect(readActions(path)).toEqual(allCreated);
  const [first] = readReport(path);
  expect(first).toEqual({
    name: rows[0]?.cells[0],
    "'=odd": '',
    action: 'create',
    id: 'c2',
    error: '',
    left_out: '',
    row: '2',
  });
  const of2 = readLog(log.path).filter(({ row }) => row === 2);
  expect(of2).toEqual([
    { n: expect.any(Number), row: 2, what: 'contact', action: 'create', body: { first_name: 'Ada' } },
    { row: 2, outcome: 'create', id: 'c2' },
  ]);
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['logs', 'r.csv']);
  expect([readMode(path), readMode(log.path)]).toEqual(['600', '600']);
});

test('resumes a killed run with its rows and traces, and drops a partly written line', async () => {
  const { path, log } = await opened();
  recordAll(log, rows.slice(0, 3));
  recordCreate(log, 9);
  log.close();
  appendFileSync(log.path, '{"row":10,"out');
  const { log: nextLog, report: nextReport } = await opened(path);
  expect([nextReport.isResumed, [2, 3, 4, 5, 9].map((row) => nextLog.findAction(row))]).toEqual([
    true,
    ['create', 'create', 'create', undefined, undefined],
  ]);
  expect([2, 9].map((row) => nextLog.listWrites(row).map(({ id }) => id))).toEqual([['c2'], [undefined]]);
  await writeReport(path, csv, nextLog);
  expect(readActions(path).slice(0, 5)).toEqual([
    '2 create',
    '3 create',
    '4 create',
    '5 pending',
    '6 pending',
  ]);
  recordAll(nextLog, rows.slice(3));
  await finishReport(path, csv, nextLog);
  nextLog.close();
  expect(readActions(path)).toEqual(allCreated);
});

test('resumes from a log that was truncated at any byte', async () => {
  const { path, log } = await opened();
  recordAll(log, rows.slice(0, 3));
  log.close();
  const content = readFileSync(log.path);
  for (let end = 0; end <= content.length; end += 7) {
    rmSync(toLogs(path), { recursive: true });
    mkdirSync(toLogs(path));
    writeFileSync(log.path, content.subarray(0, end));
    const { log: nextLog } = await opened(path);
    const knownRows = rows.filter(({ row }) => nextLog.findAction(row));
    expect(knownRows).toEqual(rows.slice(0, knownRows.length));
    nextLog.close();
  }
});

test('names a damaged log and its line', async () => {
  const { log } = await opened();
  recordAll(log, rows.slice(0, 3));
  log.close();
  const content = readFileSync(log.path, 'utf8');
  for (const [text, line] of [
    [content.replace('"n":', '"n:'), 2],
    [content.replace('"what":"contact"', '"what":"calendar"'), 2],
    ['\n', 1],
    [content + content, 11],
  ] as const) {
    writeFileSync(log.path, text);
    expect(() => ImportLog.read(log.path)).toThrow(`${log.path} is damaged at line ${line}.`);
  }
});

test('keeps the report of another input file with its log', async () => {
  const { path, log } = await opened();
  recordAll(log, rows.slice(0, 2));
  await writeReport(path, csv, log);
  log.close();
  const before = readFileSync(path, 'utf8');
  const { log: nextLog, report: nextReport } = await opened(path, 'xyz');
  nextLog.close();
  const previous = path.replace('.csv', '.previous.csv');
  expect([nextReport.isResumed, nextReport.renamedTo, nextLog.findAction(2)]).toEqual([
    false,
    previous,
    undefined,
  ]);
  expect(readFileSync(previous, 'utf8')).toBe(before);
  expect(ImportLog.find(toLogs(path), previous)?.path).toBe(log.path);
});

test('does not resume a finished run', async () => {
  const { path, log } = await opened();
  recordAll(log);
  await finishReport(path, csv, log);
  log.close();
  const { log: nextLog, report: nextReport } = await opened(path);
  nextLog.close();
  expect([nextReport.isResumed, nextReport.renamedTo, readLog(nextLog.path)]).toEqual([
    false,
    undefined,
    [{ v: 1, ...header, report: path }],
  ]);
});

test('keeps a report that was edited by hand, whether or not the run resumes', async () => {
  const { path, log } = await opened();
  recordAll(log, rows.slice(0, 1));
  await writeReport(path, csv, log);
  log.close();
  const fixedText = readFileSync(path, 'utf8').replace('N7', 'Fixed').replaceAll(',', ';');
  writeFileSync(path, fixedText);
  const { log: nextLog, report: nextReport } = await opened(path);
  const previous = path.replace('.csv', '.previous.csv');
  expect([nextReport.isResumed, nextReport.renamedTo, readFileSync(previous, 'utf8')]).toEqual([
    true,
    previous,
    fixedText,
  ]);
  expect(ImportLog.find(toLogs(path), previous)).toBeUndefined();
  await finishReport(path, csv, nextLog);
  nextLog.close();
  // Without the log, nothing identifies the import of the report.
  rmSync(toLogs(path), { recursive: true });
  const { log: thirdLog, report: third } = await opened(path);
  thirdLog.close();
  expect([third.isResumed, third.renamedTo]).toEqual([false, path.replace('.csv', '.previous-2.csv')]);
});

test('keeps every report with something to undo and replaces one of a run that changed nothing', async () => {
  const { path, log } = await opened();
  log.close();
  const sameOutcome: Outcome = { action: 'same', id: 'c1', steps: [] };
  const run = async (outcome: Outcome, isFinished = true) => {
    const { log: nextLog, report: nextReport } = await opened(path, String(Math.random()));
    for (const { row } of rows.slice(0, 2)) {
      if (outcome.action !== 'same')
        recordCreate(nextLog, row, outcome.action === 'create' ? outcome.id : undefined);
      nextLog.recordOutcome(row, outcome);
    }
    if (isFinished) await finishReport(path, csv, nextLog);
    else await writeReport(path, csv, nextLog);
    nextLog.close();
    return nextReport.renamedTo;
  };
  const previousPath = (number = '') => path.replace('.csv', `.previous${number}.csv`);
  const countReports = () => readdirSync(dirname(path)).length - 2;
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

test('imports an unknown row again, with the writes of both runs', async () => {
  lastNumber = 0;
  const { path, log } = await opened();
  recordCreate(log, 2);
  log.recordOutcome(2, { action: 'unknown' });
  log.close();
  const { log: nextLog, report: nextReport } = await opened(path);
  expect([
    nextReport.isResumed,
    nextLog.findAction(2),
    nextLog.listLostCreates().map(({ row }) => row),
  ]).toEqual([true, undefined, [2]]);
  recordCreate(nextLog, 2, 'c2');
  nextLog.recordOutcome(2, createOutcome('c2'));
  await finishReport(path, csv, nextLog);
  nextLog.close();
  expect([nextLog.findAction(2), nextLog.listWrites(2).map(({ n, id }) => [n, id])]).toEqual([
    'create',
    [
      [1, undefined],
      [2, 'c2'],
    ],
  ]);
});

test('groups the writes of a record, the last record first', async () => {
  lastNumber = 0;
  const { log } = await opened();
  recordCreate(log, 2, 'c2');
  recordCreate(log, 3, 'c3');
  lastNumber += 1;
  log.append({
    n: lastNumber,
    row: 4,
    noun: 'contact',
    id: 'c2',
    action: 'update',
    body: {},
    before: {},
  });
  lastNumber += 1;
  const refused = lastNumber;
  log.append({ n: refused, row: 5, ...write });
  log.append({ n: refused, refused: true });
  recordCreate(log, 6);
  const groups = log.groupByRecord(new Map([[5, { id: 'c6' }]]));
  expect(groups.map(({ id, writes }) => [id, writes.map(({ row }) => row)])).toEqual([
    ['c6', [6]],
    ['c3', [3]],
    ['c2', [2, 4]],
  ]);
  expect(log.load(groups[1]?.writes[0] ?? never())).toMatchObject({ outcome: 'done', after: { id: 'c3' } });
  log.close();
});

test('keeps the report of an older version of kith with the log next to it', async () => {
  const { path, log } = await opened();
  await writeReport(path, csv, log);
  log.close();
  rmSync(toLogs(path), { recursive: true });
  writeFileSync(getOldLogPath(path), '{"kith_import":1}\n{"row":2,"sending":{}}\n');
  const { log: nextLog, report } = await opened(path);
  nextLog.close();
  expect([report.isResumed, report.previousReport]).toEqual([false, path.replace('.csv', '.previous.csv')]);
  expect(readFileSync(getOldLogPath(path.replace('.csv', '.previous.csv')), 'utf8')).toContain('sending');
});

function never(): never {
  throw new Error('there is a write');
}

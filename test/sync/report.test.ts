import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Outcome } from '../../src/sync/outcome.ts';
import { openReport, type Report } from '../../src/sync/report.ts';
import type { Sheet } from '../../src/sync/sheet.ts';
import { reportAt } from '../cli/importing.ts';
import { temporaryFolder } from '../kith.ts';

const columns = ['name', '=odd'];
const subject = { kith_import: 1, workspace: 'https://crm.example.com/', input: 'abc' } as const;
const rows = Array.from({ length: 30 }, (_, at) => {
  const cells = [`"N${at}"\r\n한`, ''];
  return { row: at + 2, cells, values: cells };
});
const sheet: Sheet = {
  columns,
  async *rows() {
    yield* rows;
  },
};
const made = (id: string): Outcome => ({
  action: 'create',
  id,
  steps: [],
  done: [{ what: 'contact', id, after: { id } }],
});
const step = { what: 'contact', body: { first_name: 'Ada' } } as const;
const lines = (path: string) => reportAt(path).map(({ row, action }) => `${row} ${action}`);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function opened(path = join(temporaryFolder(), 'r.csv'), more: object = {}) {
  return { path, report: await openReport(path, columns, { ...subject, ...more }) };
}

const keepAll = (report: Report, of = rows) =>
  Promise.all(
    of.map(async (row) => {
      await report.announce(row.row, step);
      await report.keep(row, made(`c${row.row}`));
    }),
  );

test('rows that end at once and out of their order stand in their order at the end, and nothing else with them', async () => {
  const { path, report } = await opened();
  await keepAll(report, rows.toReversed());
  expect(lines(path)).toContain('2 sending');
  expect(modeOf(path)).toBe('600');
  await report.finish(sheet);
  report.close();
  expect(modeOf(path)).toBe('600');
  expect(lines(path)).toEqual([...rows.map(({ row }) => `${row} create`), ' finished']);
  const [first] = reportAt(path);
  expect([first?.name, JSON.parse(first?.undo ?? '')]).toEqual([
    rows[0]?.cells[0],
    [{ what: 'contact', id: 'c2', after: { id: 'c2' } }],
  ]);
  expect(Object.keys(first ?? {})).toEqual(['name', "'=odd", 'action', 'id', 'error', 'row', 'undo']);
});

test('what a killed run left is gone on with: its rows, its traces, and not the half of a line', async () => {
  const { path, report } = await opened();
  await keepAll(report, rows.slice(0, 3));
  await report.announce(9, step);
  report.close();
  appendFileSync(path, '"half of a li');
  const { report: next } = await opened(path);
  expect([next.isResumed, [2, 3, 4, 5, 9].map(next.ended)]).toEqual([
    true,
    ['create', 'create', 'create', undefined, undefined],
  ]);
  expect([next.traces(2), next.traces(9)]).toEqual([[], [step]]);
  await keepAll(next, rows.slice(3));
  await next.finish(sheet);
  next.close();
  expect(lines(path)).toEqual([...rows.map(({ row }) => `${row} create`), ' finished']);
});

test('any byte at which a run is killed leaves a report that is gone on with or begun again', async () => {
  const { path, report } = await opened();
  await keepAll(report, rows.slice(0, 3));
  report.close();
  const whole = readFileSync(path);
  for (let end = 1; end <= whole.length; end += 7) {
    writeFileSync(path, whole.subarray(0, end));
    const { report: next } = await opened(path).catch((error: Error) => ({ report: error }));
    // Half a header says nothing of what file it is.
    if (next instanceof Error) {
      expect(whole.subarray(0, end).includes('\r\n')).toBe(false);
      continue;
    }
    const known = rows.filter(({ row }) => next.ended(row));
    expect(known).toEqual(rows.slice(0, known.length));
    next.close();
  }
});

test.each([
  ['of another workspace', { workspace: 'https://other.example.com/' }],
  ['of another sheet', { input: 'xyz' }],
])('a report %s is kept beside the new one', async (_, more) => {
  const { path, report } = await opened();
  await keepAll(report, rows.slice(0, 2));
  report.close();
  const before = readFileSync(path, 'utf8');
  const { report: next } = await opened(path, more);
  next.close();
  expect([
    next.isResumed,
    next.ended(2),
    readFileSync(path.replace('.csv', '.previous.csv'), 'utf8'),
  ]).toEqual([false, undefined, before]);
});

test('a finished report is not gone on with', async () => {
  const { path, report } = await opened();
  await keepAll(report);
  await report.finish(sheet);
  report.close();
  const { report: next } = await opened(path);
  next.close();
  expect([next.isResumed, lines(path)]).toEqual([false, [' started']]);
});

test('reports with anything to undo are all kept; one of a run that changed nothing makes way', async () => {
  const { path, report } = await opened();
  report.close();
  const same: Outcome = { action: 'same', id: 'c1', steps: [], done: [] };
  const run = async (outcome: Outcome, isFinished = true) => {
    const { report: next } = await opened(path, { input: String(Math.random()) });
    for (const row of rows.slice(0, 2)) await next.keep(row, outcome);
    if (isFinished) await next.finish(sheet);
    next.close();
    return next.setAside;
  };
  const named = (number = '') => path.replace('.csv', `.previous${number}.csv`);
  const kept = () => readdirSync(dirname(path)).length - 1;
  const aside = [];
  for (const outcome of [same, made('a'), same, made('b'), made('c')]) aside.push(await run(outcome));
  expect([aside, kept()]).toEqual([Array(5).fill(undefined), 2]);
  await run({ ...same, action: 'unknown' }, false);
  expect([await run(same, false), await run(same), kept()]).toEqual([named('-4'), undefined, 4]);
  expect(['', '-2', '-3', '-4'].map((number) => reportAt(named(number))[0]?.id)).toEqual(['a', 'b', 'c', '']);
});

test('a row of which nothing is known is worked on again, with its traces and what was known to be written', async () => {
  const { path, report } = await opened();
  const row = rows[0] ?? expect.fail();
  const organization = { what: 'organization', id: 'o1', after: {} } as const;
  await report.announce(row.row, step);
  await report.keep(row, { action: 'unknown', steps: [], done: [organization] });
  report.close();
  const { report: next } = await opened(path);
  expect([next.isResumed, next.ended(2), next.traces(2)]).toEqual([true, undefined, [step]]);
  await next.keep(row, made('c2'));
  await next.finish(sheet);
  next.close();
  const [line] = reportAt(path);
  const done = [organization, ...made('c2').done];
  expect([line?.action, JSON.parse(line?.undo ?? '')]).toEqual(['create', done]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatReportRows } from '../commands/import/import-machine.ts';
import { splitWords } from '../support/kith.ts';
import { readState } from './state.ts';
import { createSampleWorkspace } from './workspace.ts';

/**
 * The examples in `rows.txt`: a title, the command, the header of the file, its rows, each with its action and error in
 * the report, and the requests that the import sends, apart from GET.
 */
const examples = readFileSync(join(import.meta.dirname, 'rows.txt'), 'utf8')
  .trim()
  .split('\n\n')
  .map((block) => {
    const [title = '', command = '', columns = '', ...lines] = block.split('\n');
    const [rows, writes] = [true, false].map((isRow) =>
      lines.filter((line) => line.includes(' -> ') === isRow),
    );
    const example = { command, columns, rows: rows?.map(readRow) ?? [], writes: writes ?? [] };
    return [title.slice(2), example] as const;
  });

function readRow(line: string): { cells: string; outcome: string } {
  const [cells = '', outcome = ''] = line.split(' -> ');
  return { cells: cells.replace(/\\(u[\da-f]{4}|r|n)/g, (escaped) => JSON.parse(`"${escaped}"`)), outcome };
}

test.each(examples)(
  '%s; a dry run plans it, a second run writes nothing, and --undo restores the workspace',
  async (_, { command, columns, rows, writes }) => {
    const { kith, toPath, writeTestFile, toIds, toNames, takeWrites, readReport, sendOk } =
      await createSampleWorkspace();
    const before = await readState(sendOk);
    const text = [columns, ...rows.map(({ cells }) => cells)].join('\n');
    const line = [
      ...splitWords(command),
      writeTestFile('sheet.csv', await toIds(text)),
      '--concurrency',
      '1',
    ];
    const plan = await kith([...line, '--dry-run', '--json']);
    const plannedActions = JSON.parse(plan.out).map(({ action }: { action: string }) => action);
    expect(plannedActions).toEqual(rows.map(({ outcome }) => outcome.split(' ')[0]));
    expect(takeWrites()).toEqual([]);
    const { code } = await kith(line);
    const sent = takeWrites();
    const outcomes = rows.map(({ outcome }, index) => `${index + 2} ${outcome}`);
    expect(await toNames(formatReportRows(readReport()))).toEqual(outcomes);
    expect(await toNames(sent)).toEqual(writes);
    expect([plan.code, code]).toEqual(Array(2).fill(/refused|left out/.test(outcomes.join()) ? 6 : 0));
    await kith([...line, '--report', toPath('again.csv')]);
    expect(takeWrites()).toEqual([]);
    if (writes.length > 0)
      expect((await kith(['contacts', 'import', '--undo', toPath('sheet.report.csv'), '--yes'])).code).toBe(
        0,
      );
    expect(await readState(sendOk)).toEqual(before);
  },
);

import { expect, test } from 'vitest';
import { startControlledService } from '../../import/controlled-service.ts';
import { createPeopleFile } from '../../import/people.ts';
import { createImportMachine } from './import-machine.ts';

const rows = process.env.KITH_LONG === '1' ? 10_000 : 150;

test(`${rows} rows with duplicates, errors and ambiguous rows: each is counted, and a second run writes nothing`, async () => {
  const { env, sendOk, takeWrites } = await startControlledService();
  const { kith, writeTestFile, folder } = await createImportMachine({ env });
  await sendOk('POST /v1/custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
  const { text, counts } = createPeopleFile(rows);
  const line = `contacts import ${writeTestFile('people.csv', text)} --json --concurrency 8`;
  const report = `${folder}/people.report.csv`;
  const plan = await kith(`${line} --dry-run`);
  const first = await kith(line);
  expect([first.code, JSON.parse(first.out)]).toEqual([6, { ...counts, report }]);
  expect(takeWrites()).toHaveLength(counts.create + counts.update);
  expect([plan.code, countActions(JSON.parse(plan.out))]).toEqual([6, counts]);
  const second = await kith(line);
  const { create, update, same } = counts;
  const unchangedCounts = { ...counts, create: 0, update: 0, same: create + update + same, report };
  expect([second.code, JSON.parse(second.out), takeWrites()]).toEqual([6, unchangedCounts, []]);
}, 300_000);

function countActions(plan: readonly { action: string }[]) {
  const countAction = (name: string) => plan.filter(({ action }) => action === name).length;
  const [create, update, same, refused, unknown] = ['create', 'update', 'same', 'refused', 'unknown'].map(
    countAction,
  );
  return { rows: plan.length, create, update, same, refused, unknown };
}

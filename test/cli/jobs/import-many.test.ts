import { expect, test } from 'vitest';
import { people } from '../../import/people.ts';
import { serviceInFront } from '../../import/service-in-front.ts';
import { importingMachine } from './importing.ts';

const rows = process.env.KITH_LONG === '1' ? 10_000 : 300;

test(`${rows} rows with duplicates, errors and ambiguous rows: each is counted, and a second run writes nothing`, async () => {
  const { env, give, writes } = await serviceInFront();
  const { kith, file, folder } = await importingMachine({ env });
  await give('POST /v1/custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
  const { text, counts } = people(rows);
  const line = `contacts import ${file('people.csv', text)} --json --concurrency 8`;
  const report = `${folder}/people.report.csv`;
  const planned = await kith(`${line} --dry-run`);
  const first = await kith(line);
  expect([first.code, JSON.parse(first.out)]).toEqual([6, { ...counts, report }]);
  expect(writes()).toHaveLength(counts.create + counts.update);
  expect([planned.code, countsIn(JSON.parse(planned.out))]).toEqual([6, counts]);
  const second = await kith(line);
  const { create, update, same } = counts;
  const unchanged = { ...counts, create: 0, update: 0, same: create + update + same, report };
  expect([second.code, JSON.parse(second.out), writes()]).toEqual([6, unchanged, []]);
}, 300_000);

function countsIn(plan: readonly { action: string }[]) {
  const of = (wanted: string) => plan.filter(({ action }) => action === wanted).length;
  const [create, update, same, refused, unknown] = ['create', 'update', 'same', 'refused', 'unknown'].map(of);
  return { rows: plan.length, create, update, same, refused, unknown };
}

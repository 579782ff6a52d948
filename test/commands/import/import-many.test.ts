import { expect, test } from 'vitest';
import { startControlledService } from '../../import/controlled-service.ts';
import { createPeopleFile } from '../../import/people.ts';
import { readState } from '../../import/state.ts';
import { createImportMachine, createUndoMachine } from './import-machine.ts';

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
  // The rows that change the contact of an earlier row are part of its write.
  expect(takeWrites()).toHaveLength(counts.create);
  expect([plan.code, countActions(JSON.parse(plan.out))]).toEqual([6, counts]);
  const second = await kith(line);
  const { create, update, same } = counts;
  const unchangedCounts = { ...counts, create: 0, update: 0, same: create + update + same, report };
  expect([second.code, JSON.parse(second.out), takeWrites()]).toEqual([6, unchangedCounts, []]);
}, 300_000);

function countActions(plan: readonly { action: string; left_out?: string }[]) {
  const countAction = (name: string) => plan.filter(({ action }) => action === name).length;
  const [create, update, same, refused, unknown] = ['create', 'update', 'same', 'refused', 'unknown'].map(
    countAction,
  );
  const left_out = plan.filter((row) => row.left_out !== undefined).length;
  return { rows: plan.length, create, update, same, refused, unknown, left_out };
}

/** Counts concurrent deletes; each takes a few milliseconds. */
function countDeletes(control: Awaited<ReturnType<typeof createUndoMachine>>['control']) {
  const state = { now: 0, most: 0 };
  control.delay = 3;
  control.before = ({ method }) => {
    if (method === 'DELETE') state.now += 1;
    state.most = Math.max(state.most, state.now);
    return false;
  };
  control.after = ({ method }) => {
    if (method === 'DELETE') state.now -= 1;
    return false;
  };
  return state;
}

test.each([
  ['', 4],
  ['--concurrency 1', 1],
  ['--concurrency 9', 9],
])('--undo %s sends %i requests at once and restores the previous state', async (flags, most) => {
  const { sendOk, importRows, control, undo } = await createUndoMachine();
  await sendOk('POST /v1/contacts', { first_name: 'Old', emails: ['p3@x.example'] });
  const before = await readState(sendOk);
  expect(
    (await importRows('contacts', createPeopleFile(24, 5).text, '--list Funnel --status Lead')).code,
  ).toBe(0);
  const deletes = countDeletes(control);
  expect(await undo(flags)).toMatchObject({ code: 0, err: '' });
  expect(deletes.most).toBe(most);
  expect(await readState(sendOk)).toEqual(before);
});

import { expect, test } from 'vitest';
import { createPeopleFile } from '../../import/people.ts';
import { readState } from '../../import/state.ts';
import { createUndoMachine } from './undo-machine.ts';

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

test('keeps a created record that has new related records, also concurrently', async () => {
  const { sendOk, importRows, json, undo } = await createUndoMachine();
  const csv = `email,organization\n${Array.from({ length: 30 }, (_, index) => `p${index}@x.example,Company ${index % 3}`).join('\n')}\n`;
  await importRows('contacts', csv, '--list Funnel --status Lead');
  const [company] = await json<{ id: string }[]>('organizations list');
  // The import creates records in any order. This contact's organization is not the one with the note.
  const contacts = await json<{ id: string; organization_id: string }[]>('contacts list --all');
  const changedContact = contacts.find(({ organization_id }) => organization_id !== company?.id);
  await sendOk('POST /v1/notes', { organization_id: company?.id, body: 'Ours' });
  await sendOk(`PATCH /v1/contacts/${changedContact?.id}`, { first_name: 'Renamed' });
  const { code, err } = await undo();
  expect([code, err]).toEqual([6, expect.stringContaining('3 writes were not undone')]);
  expect(await json('contacts list --all')).toMatchObject([{ id: changedContact?.id }]);
  expect((await json('organizations list')).map(({ id }) => id)).toContain(company?.id);
});

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecordingMachine, withoutUpdates } from './recording-machine.ts';

const dohyun = 'dohyun.park@hanbit-cold.example';

test('undoes a merge: addresses, values, entries and the deleted contact', async () => {
  const { kith, run, dumpContent } = await createRecordingMachine();
  const before = await dumpContent();
  await run(`contacts merge 0rlnky ${dohyun} --take Role --yes`);
  expect(await dumpContent()).not.toEqual(before);
  const { code, err } = await kith('undo --yes');
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('create contact 박도현 again') });
  expect(await dumpContent()).toEqual(before);
  expect((await kith(`contacts merge 0rlnky ${dohyun} --yes`)).code).toBe(0);
});

test('undoes an import with its report', async () => {
  const { kith, run, folder, dump } = await createRecordingMachine();
  const file = join(folder, 'people.csv');
  writeFileSync(file, 'email,first_name\nnew@analytical.example,지우\njiwoo.kim@hanbit-cold.example,Ada\n');
  const before = await dump();
  await run(['contacts', 'import', file]);
  expect(withoutUpdates(await dump())).not.toEqual(withoutUpdates(before));
  const report = join(folder, 'people.report.csv');
  expect(await kith('undo --dry-run')).toEqual({
    code: 0,
    out: expect.stringMatching(
      /: 2 would be undone, 0 already undone, 0 changed since, 0 failed\n {2}update contact Ada 김 \(0rlnky\)\n {4}first_name: Ada -> 지우\n {2}delete contact 지우 \(\w+\)\n$/,
    ),
    err: `kith: Undo \`kith contacts import\` from just now, recorded in ${report}.\n`,
  });
  expect((await kith('undo', { terminal: 80, answers: [false] })).code).toBe(1);
  const { code, out } = await kith('undo --yes');
  expect({ code, out }).toEqual({
    code: 0,
    out: `${report}: 2 undone, 0 already undone, 0 changed since, 0 failed\n`,
  });
  expect(withoutUpdates(await dump())).toEqual(withoutUpdates(before));
  expect((await kith('undo --yes')).code).toBe(3);
  expect(await kith('redo --yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining(`The last undo reverted the import recorded in ${report}.`),
  });
});

test('undoes an import whose report was removed, and names the report', async () => {
  const { kith, run, folder } = await createRecordingMachine();
  const file = join(folder, 'people.csv');
  writeFileSync(file, 'email\nnew@analytical.example\n');
  await run(['contacts', 'import', file]);
  for (const name of readdirSync(folder)) if (name.includes('report')) rmSync(join(folder, name));
  const { code, out } = await kith('undo --yes');
  expect([code, out]).toEqual([
    0,
    `${join(folder, 'people.report.csv')}: 1 undone, 0 already undone, 0 changed since, 0 failed\n`,
  ]);
});

test('each undo reverts the previous command, and each redo the last undo', async () => {
  const { kith, run } = await createRecordingMachine();
  const read = async () => (await kith('contacts get 0rlnky --jq .last_name')).out.trim();
  await run('contacts update 0rlnky --last-name Kim');
  await run('contacts update 0rlnky --last-name Lee');
  const names: string[] = [];
  for (const verb of ['undo', 'undo', 'redo', 'undo', 'redo', 'redo']) {
    await run(`${verb} --yes`);
    names.push(await read());
  }
  expect(names).toEqual(['Kim', '김', 'Kim', '김', 'Kim', 'Lee']);
  expect((await kith('redo --yes')).code).toBe(3);
  await run('undo --yes');
  await run('contacts update 0rlnky --first-name Ada');
  expect((await kith('redo --yes')).code).toBe(3); // another command has changed the workspace
  expect(await read()).toBe('Kim');
});

test('reverts only the deletions that succeeded', async () => {
  const { kith, run, dumpContent } = await createRecordingMachine();
  const before = await dumpContent();
  expect((await kith('contacts delete 0rlnky zzzzzz --yes')).code).toBe(6);
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts delete`: 7 changes.\n');
  expect(await dumpContent()).toEqual(before);
  await run('notes create --organization 한빛물류 --body Hi');
});

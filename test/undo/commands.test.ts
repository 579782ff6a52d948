import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecordingMachine, withoutUpdates } from './recording-machine.ts';

const dohyun = 'dohyun.park@hanbit-cold.example';

test('undoes a merge: addresses, values, entries and the deleted contact', async () => {
  const { kith, run, dumpContent } = createRecordingMachine();
  const before = await dumpContent();
  await run(`contacts merge 0rlnky ${dohyun} --take Role --yes`);
  expect(await dumpContent()).not.toEqual(before);
  const { code, err } = await kith('undo --yes');
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('create contact 박도현 again') });
  expect(await dumpContent()).toEqual(before);
  expect((await kith(`contacts merge 0rlnky ${dohyun} --yes`)).code).toBe(0);
});

test('undoes a merge of contacts that references name', async () => {
  const { kith, run, dumpContent } = createRecordingMachine();
  await run('custom-fields create Referrer --model contact --type contact');
  await run('custom-fields create Sponsor --model organization --type contact');
  await run(`organizations update 한빛물류 --field Sponsor=${dohyun}`);
  await run(`contacts create --first-name Ada --field Referrer=${dohyun}`);
  await run(`entries update "Sales pipeline" DEAL-1 --contact-id ${dohyun}`);
  const before = await dumpContent();
  await run(`contacts merge 0rlnky ${dohyun} --yes`);
  expect((await kith('undo --yes')).code).toBe(0);
  expect(await dumpContent()).toEqual(before);
});

test('does not undo a merge that an earlier run started', async () => {
  const { kith, run, folder, dump } = createRecordingMachine();
  await run(`contacts merge 0rlnky ${dohyun} --yes`);
  const [name = ''] = readdirSync(join(folder, 'undo')).filter((one) => one.endsWith('.jsonl'));
  const header = {
    kith_undo: 1,
    command: 'contacts merge',
    at: new Date().toISOString(),
    incomplete: 'It completed an interrupted merge.',
  };
  writeFileSync(join(folder, 'undo', name), `${JSON.stringify(header)}\n{"impossible":0,"reason":"x"}\n`);
  const before = await dump();
  const { code, err } = await kith('undo --yes');
  expect({ code, err }).toEqual({
    code: 2,
    err: 'kith: `kith contacts merge` cannot be undone: It completed an interrupted merge. x\n',
  });
  expect(await dump()).toEqual(before);
});

test('undoes an import with its report', async () => {
  const { kith, run, folder, dump } = createRecordingMachine();
  const file = join(folder, 'people.csv');
  writeFileSync(file, 'email,first_name\nnew@analytical.example,지우\njiwoo.kim@hanbit-cold.example,Ada\n');
  const before = await dump();
  await run(['contacts', 'import', file]);
  expect(withoutUpdates(await dump())).not.toEqual(withoutUpdates(before));
  const report = join(folder, 'people.report.csv');
  expect(await kith('undo --dry-run')).toEqual({
    code: 0,
    out: `${report}: 2 would be undone, 0 already undone, 0 changed since, 0 failed\n`,
    err: `kith: Undo \`kith contacts import\` from just now, recorded in ${report}.\n`,
  });
  expect((await kith('undo', { terminal: 80, answers: [false] })).code).toBe(1);
  const { code, out } = await kith('undo --yes');
  expect({ code, out }).toEqual({
    code: 0,
    out: `${report}: 2 undone, 0 already undone, 0 changed since, 0 failed\n`,
  });
  expect(withoutUpdates(await dump())).toEqual(withoutUpdates(before));
  const again = await kith('undo --yes');
  expect(again.code).toBe(2);
  expect(again.err).toContain(`The last command undid the import ${report}. It cannot be reverted.`);
});

test('names the report of an import if it was removed', async () => {
  const { kith, run, folder } = createRecordingMachine();
  const file = join(folder, 'people.csv');
  writeFileSync(file, 'email\nnew@analytical.example\n');
  await run(['contacts', 'import', file]);
  for (const name of readdirSync(folder)) if (name.includes('report')) rmSync(join(folder, name));
  const { code, err } = await kith('undo --yes');
  expect(code).toBe(3);
  expect(err).toContain(join(folder, 'people.report.csv'));
});

test('undoes a request of kith api', async () => {
  const { kith, run, dump } = createRecordingMachine();
  const before = await dump();
  await run('api /v1/contacts/0rlnky -X PATCH -f last_name=Kim');
  expect(withoutUpdates(await dump())).not.toEqual(withoutUpdates(before));
  expect((await kith('undo --yes')).out).toBe('Undid `kith api`: 1 change.\n');
  expect(withoutUpdates(await dump())).toEqual(withoutUpdates(before));
});

test('reads create a journal neither with kith api nor before a failed request', async () => {
  const { kith } = createRecordingMachine();
  expect((await kith('api /v1/unknown -X POST -f a=b')).code).not.toBe(0);
  expect((await kith('undo --yes')).code).toBe(3);
});

test('reverts the second of two commands, and then the undo', async () => {
  const { kith, run } = createRecordingMachine();
  await run('contacts update 0rlnky --last-name Kim');
  await run('contacts update 0rlnky --last-name Lee');
  const undone: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    expect((await kith('undo --yes')).code).toBe(0);
    undone.push((await kith('contacts get 0rlnky --jq .last_name')).out.trim());
  }
  expect(undone).toEqual(['Kim', 'Lee', 'Kim', 'Lee']);
});

test('reverts only the deletions that succeeded', async () => {
  const { kith, run, dumpContent } = createRecordingMachine();
  const before = await dumpContent();
  expect((await kith('contacts delete 0rlnky zzzzzz --yes')).code).toBe(6);
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts delete`: 1 change.\n');
  expect(await dumpContent()).toEqual(before);
  await run('notes create --organization 한빛물류 --body Hi');
});

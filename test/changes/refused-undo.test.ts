import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRecordingMachine, listLogs } from './recording-machine.ts';

const off = { env: { KITH_UNDO: 'off' } };

test('an undo whose only write was refused is not continued before later commands are undone', async () => {
  const { kith, run, folder } = createRecordingMachine();
  await run('contacts delete 0rlnky --yes');
  await run('contacts create --first-name X --email jiwoo.kim@hanbit-cold.example', off);
  expect((await kith('undo --yes')).code).toBe(5);
  expect(listLogs(folder)).toHaveLength(1);
  await run('contacts update e4yek8 --first-name Ada');
  expect(await kith('undo --yes')).toMatchObject({
    code: 0,
    out: 'Undid `kith contacts update`: 1 change.\n',
  });
});

test('a redo distinguishes an undo that it cannot revert from a missing undo', async () => {
  const { kith, run, folder } = createRecordingMachine();
  for (const name of ['Ada', 'Grace', 'Joan']) await run(`contacts update 0rlnky --first-name ${name}`);
  const [first = '', , third = ''] = listLogs(folder);
  writeFileSync(first, '{');
  expect(await kith('redo --yes')).toMatchObject({
    code: 3,
    err: 'kith: Nothing to redo: the last command that changed this workspace was not an undo.\n',
  });
  await run('undo --yes');
  await run('contacts update 0rlnky --first-name Mary');
  writeFileSync(third.replace('3.jsonl', '5.jsonl'), '{');
  expect(await kith('redo --yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining('The last undo cannot be redone: a later command was not recorded'),
  });
});

test('a log without a line, of a command that was killed before it sent anything, is ignored', async () => {
  const { kith, run, folder } = createRecordingMachine();
  await run('contacts update 0rlnky --first-name Ada');
  const [log = ''] = listLogs(folder);
  writeFileSync(log.replace('1.jsonl', '2.jsonl'), '');
  expect(await kith('undo --yes')).toMatchObject({
    code: 0,
    out: 'Undid `kith contacts update`: 1 change.\n',
  });
});

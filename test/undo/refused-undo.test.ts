import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import type { MachineOptions } from '../support/kith.ts';
import { createRecordingMachine, listLogs } from './recording-machine.ts';

/** Creates a machine with a function that returns the JSON output of a command. */
async function createJsonMachine() {
  const machine = await createRecordingMachine();
  const json = async (line: string, options: MachineOptions = {}) =>
    JSON.parse((await machine.run(`${line} --json`, options)).out);
  return { ...machine, json };
}

test('an undo whose only write was refused is not continued before later commands are undone', async () => {
  const { kith, run, folder, elsewhere } = await createRecordingMachine();
  // Without its only address, the contact cannot be created again.
  await run('contacts create --email only@x.example', elsewhere);
  await run('contacts delete only@x.example --yes');
  await run('contacts create --first-name X --email only@x.example', elsewhere);
  expect((await kith('undo --yes')).code).toBe(5);
  expect(listLogs(folder)).toHaveLength(1);
  await run('contacts update e4yek8 --first-name Ada');
  expect(await kith('undo --yes')).toMatchObject({
    code: 0,
    out: 'Undid `kith contacts update`: 1 change.\n',
  });
});

test('an undo restores a record without the address that another record has now, and says so', async () => {
  const { kith, run, json, elsewhere } = await createJsonMachine();
  const { emails } = await json('contacts get 0rlnky');
  await run('contacts delete 0rlnky --yes');
  const { id } = await json(
    'contacts create --first-name X --email jiwoo.kim@hanbit-cold.example',
    elsewhere,
  );
  expect(emails).toContain('jiwoo.kim@hanbit-cold.example');
  expect(await kith('undo --yes')).toMatchObject({
    code: 0,
    err: expect.stringContaining(
      `Not restored: The email address "jiwoo.kim@hanbit-cold.example" has already been taken by the contact ${id}.`,
    ),
  });
  const contacts = await json('contacts list --all');
  expect(contacts.at(-1)).toMatchObject({ emails: emails.slice(1) });
});

test.each([
  ['{', 'is damaged: a line is invalid'],
  ['{"v":1}\n', 'is damaged: command is invalid'],
  ['{"v":2,"writes":[]}\n', 'was written by a newer version of kith'],
])('undo --list and undo NUMBER name the problem of the log %s', async (text, problem) => {
  const { kith, run, json, folder } = await createJsonMachine();
  await run('contacts update 0rlnky --first-name Ada');
  await run('contacts update 0rlnky --first-name Grace');
  const [log = ''] = listLogs(folder);
  writeFileSync(log, text);
  const status = `The log of a command ${log} ${problem}.`;
  const list = await json('undo --list');
  const number = Number(basename(log, '.jsonl'));
  expect(list).toContainEqual({ command: null, at: null, changes: null, status, number });
  expect(list).toContainEqual(expect.objectContaining({ status: 'can be undone' }));
  expect(await kith(`undo ${number}`)).toMatchObject({ code: 1, err: expect.stringContaining(status) });
});

test('a redo distinguishes an undo that it cannot revert from a missing undo', async () => {
  const { kith, run, folder } = await createRecordingMachine();
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
    err: expect.stringContaining(
      'The last command is not recorded, so it cannot be reverted: an unknown command.',
    ),
  });
});

test('a log without a line, of a command that was killed before it sent anything, is ignored', async () => {
  const { kith, run, folder } = await createRecordingMachine();
  await run('contacts update 0rlnky --first-name Ada');
  const [log = ''] = listLogs(folder);
  writeFileSync(log.replace('1.jsonl', '2.jsonl'), '');
  expect(await kith('undo --yes')).toMatchObject({
    code: 0,
    out: 'Undid `kith contacts update`: 1 change.\n',
  });
});

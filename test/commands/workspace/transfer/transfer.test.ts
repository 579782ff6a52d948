import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestWorkspace } from '../../../service/service.ts';
import { fillWorkspace } from '../../../support/full-workspace.ts';
import { createLocalMachine, createTemporaryFolder } from '../../../support/kith.ts';
import { readCopiedState } from './copied-state.ts';
import { createTransferMachine } from './transfer-machine.ts';

test('copies all records to a hosted service, a second run adds nothing, and one undo reverts all', async () => {
  const { kith, source, sendOk, takeWrites } = await createTransferMachine();
  const before = await readCopiedState(sendOk);
  const first = await kith('workspace copy @source.sqlite team --yes --format tsv');
  expect(first).toEqual({
    code: 0,
    out: [
      'noun\trecords\tcreate\tupdate\tsame\tskip\tfail\tkept',
      'custom-fields\t3\t3\t0\t0\t0\t0\t0',
      'organizations\t3\t3\t0\t0\t0\t0\t0',
      'contacts\t4\t4\t0\t0\t0\t0\t0',
      'lists\t2\t2\t0\t0\t0\t0\t0',
      'entries\t6\t6\t0\t0\t0\t0\t0',
      'notes\t5\t5\t0\t0\t0\t0\t0',
      '',
    ].join('\n'),
    err: expect.stringContaining('get new ids, entry keys and times'),
  });
  expect(await readCopiedState(sendOk)).toEqual(await readCopiedState(source.sendOk));
  takeWrites();
  const second = await kith('workspace copy @source.sqlite team --yes --json');
  expect(second.code).toBe(0);
  expect(takeWrites()).toEqual([]);
  expect(JSON.parse(second.out).nouns).toMatchObject([
    { noun: 'custom-fields', same: 3 },
    { noun: 'organizations', same: 3, kept: 0 },
    { noun: 'contacts', same: 4, kept: 0 },
    { noun: 'lists', same: 2, kept: 0 },
    { noun: 'entries', same: 6, kept: 0 },
    { noun: 'notes', same: 5, kept: 0 },
  ]);
  const undo = await kith('undo --yes --profile team');
  expect(undo).toMatchObject({ code: 0, out: expect.stringContaining('Undid `kith workspace copy`') });
  expect(await readCopiedState(sendOk)).toEqual(before);
});

test('copies every type of field, awkward names and duplicates', async () => {
  const { kith, sendOk, takeWrites } = await createTransferMachine();
  const home = createTemporaryFolder();
  await fillWorkspace(createLocalMachine(home, 'full.sqlite'), home);
  const file = join(home, 'full.sqlite');
  const { code, err } = await kith(`workspace copy ${file} team --yes`);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('1 meeting and 2 recordings') });
  const { sendOk: sendToSource } = await openTestWorkspace(file);
  expect(await readCopiedState(sendOk)).toEqual(await readCopiedState(sendToSource));
  takeWrites();
  expect(await kith(`workspace copy ${file} team --yes`)).toMatchObject({ code: 0 });
  expect(takeWrites()).toEqual([]);
});

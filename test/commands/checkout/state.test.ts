import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CheckoutState } from '../../../src/commands/checkout/state.ts';
import { ExportFolder, hashContent } from '../../../src/export/folder.ts';
import { createTemporaryFolder } from '../../support/kith.ts';

const owner = { workspace: '/srv/kith.sqlite', identity: { id: 'w1' } };

const createFile = (text: string, file = 'contacts/ada.yaml') => ({
  noun: 'contacts' as const,
  id: 'a1',
  file,
  place: file,
  hash: hashContent(text),
  record: '{"id":"a1"}',
  words: {},
});

function createFolder() {
  const folder = new ExportFolder(createTemporaryFolder());
  return { folder, journal: join(folder.path, '.kith/files.ndjson') };
}

test('decides by the content whether a killed run wrote a file', async () => {
  const { folder, journal } = createFolder();
  const state = await CheckoutState.open(folder, owner);
  await state.write(createFile('old\n'), 'old\n');
  await state.close();
  const next = createFile('new\n', 'contacts/ada-king.yaml');
  appendFileSync(journal, `${JSON.stringify({ next })}\n{"next":{"noun":"con`);
  const unwritten = await CheckoutState.open(folder, owner);
  expect(unwritten.get('contacts a1')).toMatchObject({
    file: 'contacts/ada.yaml',
    hash: hashContent('old\n'),
  });
  await unwritten.close();
  appendFileSync(journal, `${JSON.stringify({ next })}\n`);
  await folder.write(next.file, 'new\n');
  const written = await CheckoutState.open(folder, owner);
  expect(written.get('contacts a1')).toMatchObject({ file: next.file, hash: next.hash });
  expect(folder.has('contacts/ada.yaml')).toBe(false);
  await written.close();
});

test('rewrites the journal when most of its lines are obsolete', async () => {
  const { folder, journal } = createFolder();
  const state = await CheckoutState.open(folder, owner);
  for (let count = 0; count < 200; count += 1) await state.write(createFile(`${count}\n`), `${count}\n`);
  const before = statSync(journal).size;
  await state.close();
  expect(statSync(journal).size).toBeLessThan(before / 10);
  const reopened = await CheckoutState.open(folder, owner);
  expect(reopened.owner).toMatchObject(owner);
  const entry = reopened.get('contacts a1');
  expect(entry && reopened.read(entry)).toEqual(createFile('199\n'));
  await reopened.close();
});

test('notices a change of equal length right after the file was written', async () => {
  const { folder } = createFolder();
  const state = await CheckoutState.open(folder, owner);
  await state.write(createFile('old\n'), 'old\n');
  await state.close();
  writeFileSync(join(folder.path, 'contacts/ada.yaml'), 'new\n');
  const reopened = await CheckoutState.open(folder, owner);
  const entry = reopened.get('contacts a1');
  expect(entry && reopened.hashFile(entry)).toBe(hashContent('new\n'));
  await reopened.close();
});

const outside = { next: createFile('x\n', 'contacts/../../outside.yaml') };

test.each([
  ['of another program', () => 'nonsense\n', 'is damaged: its first line is not JSON.'],
  ['without a whole header', () => '{"kith_check', 'is damaged: its first line is incomplete.'],
  [
    'with a path outside of the folder',
    (text: string) => `${text}${JSON.stringify(outside)}\n{"written":"contacts a1","size":1,"changed":1}\n`,
    'is damaged: line 4 is invalid.',
  ],
  [
    'that lost the line of a file',
    (text: string) => text.replace('{"next":', '\0'),
    'is damaged: line 2 is invalid.',
  ],
  ['of a newer version', () => '{"kith_checkout":2}\n', 'was written by a newer version of kith.'],
])('refuses a state %s, and does not change it', async (_, change, problem) => {
  const { folder, journal } = createFolder();
  const state = await CheckoutState.open(folder, owner);
  await state.write(createFile('old\n'), 'old\n');
  await state.close();
  const text = change(readFileSync(journal, 'utf8'));
  writeFileSync(journal, text);
  await expect(CheckoutState.open(folder, owner)).rejects.toThrow(
    `The state of the working copy ${journal} ${problem}`,
  );
  expect(readFileSync(journal, 'utf8')).toBe(text);
});

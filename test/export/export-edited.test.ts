import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportOne } from './edited-meeting.ts';
import { createMeeting, emptyResult } from './export-host.ts';

const one = '2026-10-01-one-a.md';
const secondFile = '2026-10-01-two-a.md';

test('renames the file of a renamed meeting', async () => {
  const { run, setSummary, readTextLines } = await exportOne();
  setSummary('New.', 'Two');
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readTextLines()).toEqual({ [secondFile]: ['New.'] });
});

test('moves the file of a rescheduled meeting, and removes its old folder if it is empty', async () => {
  const { run, setSummary, readTextLines, folder } = await exportOne({
    layout: 'by-month',
    contents: { transcript: false, with: ['txt'] },
  });
  setSummary('New.', 'One', { start_at: '2026-11-02T09:00:00.000+09:00' });
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readTextLines()).toEqual({
    '2026-11/2026-11-02-one-a.md': ['New.'],
    '2026-11/2026-11-02-one-a.txt': ['Ada: Hello'],
  });
  expect(() => readFileSync(join(folder, '2026-10'))).toThrow('ENOENT');
});

test('keeps an edited file, writes the new text next to it, and reports this once', async () => {
  const { run, setSummary, readTextLines, edit } = await exportOne();
  edit(one);
  setSummary('New.');
  const newFile = '2026-10-01-one-a.new.md';
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: [one] });
  expect(readTextLines()).toEqual({ [one]: ['Of r-a.', 'mine'], [newFile]: ['New.'] });
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  setSummary('Newer.');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: [one] });
  expect(readTextLines()).toEqual({ [one]: ['Of r-a.', 'mine'], [newFile]: ['Newer.'] });
});

test('keeps an edited .new file too, and numbers the next one', async () => {
  const { run, setSummary, readTextLines, edit } = await exportOne();
  edit(one);
  for (const newFile of ['2026-10-01-one-a.new.md', '2026-10-01-one-a.new2.md']) {
    setSummary(`For ${newFile}.`);
    await run();
    edit(newFile);
  }
  setSummary('Last.');
  await run();
  expect(readTextLines()).toEqual({
    [one]: ['Of r-a.', 'mine'],
    '2026-10-01-one-a.new.md': ['For 2026-10-01-one-a.new.md.', 'mine'],
    '2026-10-01-one-a.new2.md': ['For 2026-10-01-one-a.new2.md.', 'mine'],
    '2026-10-01-one-a.new3.md': ['Last.'],
  });
});

test('renames the edited file of a renamed meeting together with its .new file', async () => {
  const { run, setSummary, readTextLines, edit } = await exportOne();
  edit(one);
  setSummary('New.');
  await run();
  setSummary('Newer.', 'Two');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: [secondFile] });
  expect(readTextLines()).toEqual({
    [secondFile]: ['Of r-a.', 'mine'],
    '2026-10-01-two-a.new.md': ['Newer.'],
  });
});

test('writes no .new file if an edited meeting did not change upstream', async () => {
  const { run, readTextLines, edit } = await exportOne();
  edit(one);
  expect(await run({ full: true })).toEqual({ ...emptyResult, unchanged: 1 });
  expect(readTextLines()).toEqual({ [one]: ['Of r-a.', 'mine'] });
});

test('overwrites a file again once its edits are reverted; --prune deletes its .new file', async () => {
  const { run, setSummary, readTextLines, edit, toPath } = await exportOne();
  const before = readFileSync(toPath(one));
  edit(one);
  setSummary('New.');
  await run();
  writeFileSync(toPath(one), before);
  setSummary('Newer.');
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  const newFile = '2026-10-01-one-a.new.md';
  expect(readTextLines()).toEqual({ [one]: ['Newer.'], [newFile]: ['New.'] });
  await run({ prune: 'all' });
  expect(readTextLines()).toEqual({ [one]: ['Newer.'] });
});

test('has one file again after a person moves the .new file over the edited one', async () => {
  const { run, setSummary, readTextLines, edit, toPath } = await exportOne();
  edit(one);
  setSummary('New.');
  await run();
  renameSync(toPath('2026-10-01-one-a.new.md'), toPath(one));
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  setSummary('Newer.');
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readTextLines()).toEqual({ [one]: ['Newer.'] });
});

test('--prune deletes the .new file of an edited meeting that was deleted upstream, but not the edited file', async () => {
  const { run, setSummary, readTextLines, edit, service } = await exportOne();
  edit(one);
  setSummary('New.');
  await run();
  service.meetings = [createMeeting('b', 'Other')];
  await run({ prune: 'all' });
  expect(Object.keys(readTextLines())).toEqual([one, '2026-10-01-other-b.md']);
});

test('does not overwrite another file that has the new name, and keeps the old name', async () => {
  const { run, setSummary, readTextLines, toPath } = await exportOne();
  writeFileSync(toPath(secondFile), 'not of the export\n');
  setSummary('New.', 'Two');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: [secondFile] });
  expect(readTextLines()).toEqual({
    [one]: ['Of r-a.'],
    [secondFile]: ['not of the export'],
    '2026-10-01-two-a.new.md': ['New.'],
  });
  await run({ prune: 'all' });
  expect(readTextLines()).toEqual({
    [secondFile]: ['not of the export'],
    '2026-10-01-two-a.new.md': ['New.'],
  });
});

test('writes the new text next to an existing file with other content if the ledger is lost', async () => {
  const { run, setSummary, readTextLines, folder } = await exportOne();
  rmSync(join(folder, '.kith-export.jsonl'));
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  rmSync(join(folder, '.kith-export.jsonl'));
  setSummary('New.');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: [one] });
  expect(readTextLines()).toEqual({ [one]: ['Of r-a.'], '2026-10-01-one-a.new.md': ['New.'] });
});

test('does not write a deleted .new file again until the meeting changes', async () => {
  const { run, setSummary, readTextLines, edit, toPath } = await exportOne();
  edit(one);
  setSummary('New.');
  await run();
  rmSync(toPath('2026-10-01-one-a.new.md'));
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  expect(readTextLines()).toEqual({ [one]: ['Of r-a.', 'mine'] });
  setSummary('Newer.');
  await run();
  expect(readTextLines()).toEqual({ [one]: ['Of r-a.', 'mine'], '2026-10-01-one-a.new.md': ['Newer.'] });
});

import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createMeeting,
  createRecording,
  emptyResult,
  readLedgerLines,
  readTexts,
  startHost,
} from './export-host.ts';

let minutes = 0;

/** Returns a meeting that was updated just now. */
const changeMeeting = (id: string, title: string, more = {}) => {
  minutes += 1;
  const updated_at = new Date(Date.parse('2026-11-20T10:00:00Z') + minutes * 60_000).toISOString();
  return createMeeting(id, title, 'done', { updated_at, ...more });
};

const one = '2026-10-01-one-a.md';
const secondFile = '2026-10-01-two-a.md';
const three = '2026-10-01-three-a.md';

/** Exports a meeting to a folder, and returns functions that change it on the service and on disk. */
async function exportOne(options = {}) {
  const host = await startHost([createMeeting('a', 'One')]);
  const toPath = (name: string) => join(host.folder, name);
  await host.run(options);
  return {
    ...host,
    run: (more = {}) => host.run({ ...options, ...more }),
    setSummary(summary: string, title = 'One', more = {}) {
      host.service.meetings = [changeMeeting('a', title, more)];
      host.service.responses.set('/v1/recordings/r-a', [
        200,
        createRecording('r-a', { summary: { summary } }),
      ]);
    },
    toPath,
    edit: (name: string) => appendFileSync(toPath(name), 'mine\n'),
    /** Reads the summary in each file and the text that a person added. */
    readTextLines: () =>
      Object.fromEntries(
        Object.entries(readTexts(host.folder)).map(([name, text]) => [
          name,
          text
            .replace(/^[\s\S]*## Summary\n\n/, '')
            .trim()
            .split('\n'),
        ]),
      ),
  };
}

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

test('recognizes unedited files without the ledger, and keeps all others', async () => {
  const { run, setSummary, readTextLines, folder } = await exportOne();
  rmSync(join(folder, '.kith-export.jsonl'));
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  rmSync(join(folder, '.kith-export.jsonl'));
  setSummary('New.');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: [one] });
  expect(readTextLines()).toEqual({ [one]: ['Of r-a.'], '2026-10-01-one-a.new.md': ['New.'] });
});

type Host = Awaited<ReturnType<typeof exportOne>>;

interface LedgerMeeting {
  readonly files: readonly { readonly name: string; readonly hash: string }[];
}

const readKeptMeeting = (folder: string): LedgerMeeting =>
  readLedgerLines(folder)
    .flatMap(({ meeting }) => (meeting as LedgerMeeting | undefined) ?? [])
    .at(-1) ?? { files: [] };

/**
 * Simulates a run that was killed before its first file change: only the ledger has its plan. Returns the texts that
 * the files would have.
 */
async function beginUpdate({ folder, toPath, run }: Host): Promise<Record<string, string>> {
  const ledger = toPath('.kith-export.jsonl');
  const [journal, texts, old] = [readFileSync(ledger), readTexts(folder), readKeptMeeting(folder)];
  await run();
  const [written, next] = [readTexts(folder), readKeptMeeting(folder)];
  for (const name of Object.keys(written)) rmSync(toPath(name));
  for (const [name, text] of Object.entries(texts)) writeFileSync(toPath(name), text);
  const begunMeeting = { ...old, files: [{ ...old.files[0], next: next.files[0] }] };
  writeFileSync(ledger, `${journal}${JSON.stringify({ meeting: begunMeeting })}\n`);
  return written;
}

/** The steps that a run did before it was killed. */
type PartialUpdate = (toPath: (name: string) => string, texts: Record<string, string>) => void;

const renameOnly: PartialUpdate = (toPath) => renameSync(toPath(one), toPath(secondFile));

test.each<[string, PartialUpdate]>([
  ['before its first step', () => {}],
  ['when the file was renamed', renameOnly],
  [
    'when it was written',
    (toPath, texts) => {
      renameOnly(toPath, texts);
      writeFileSync(toPath(secondFile), texts[secondFile] ?? '');
    },
  ],
])('completes a run that was killed %s, even if the meeting changed since', async (_, steps) => {
  const host = await exportOne();
  const { run, setSummary, readTextLines, folder, toPath } = host;
  setSummary('New.', 'Two');
  steps(toPath, await beginUpdate(host));
  setSummary('Newest.', 'Three');
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readTextLines()).toEqual({ [three]: ['Newest.'] });
  expect(readLedgerLines(folder).at(-1)).toEqual({
    meeting: expect.not.objectContaining({ left: expect.anything() }),
  });
});

test('completes a --full run that was killed before its first step, even if nothing changed upstream', async () => {
  const host = await exportOne();
  const { run, service, readTextLines } = host;
  service.responses.set('/v1/recordings/r-a', [
    200,
    createRecording('r-a', { summary: { summary: 'New.' } }),
  ]);
  await beginUpdate({ ...host, run: () => run({ full: true }) });
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readTextLines()).toEqual({ [one]: ['New.'] });
});

const firstNewFile = '2026-10-01-one-a.new.md';
const secondNewFile = '2026-10-01-two-a.new.md';
const editedTexts = { [three]: ['Of r-a.', 'mine'], '2026-10-01-three-a.new.md': ['Newest.'] };

const renameBoth: PartialUpdate = (toPath, texts) => {
  renameOnly(toPath, texts);
  renameSync(toPath(firstNewFile), toPath(secondNewFile));
};
const writeBeside: PartialUpdate = (toPath, texts) => {
  renameBoth(toPath, texts);
  writeFileSync(toPath(secondNewFile), texts[secondNewFile] ?? '');
};

test.each<[string, PartialUpdate, Record<string, readonly string[]>]>([
  ['before its first step', () => {}, editedTexts],
  ['when the file was renamed', renameOnly, editedTexts],
  ['when its .new file was renamed too', renameBoth, editedTexts],
  ['when all was done', writeBeside, editedTexts],
  [
    'when all was done, and a person took the text over',
    (toPath, texts) => {
      writeBeside(toPath, texts);
      renameSync(toPath(secondNewFile), toPath(secondFile));
    },
    { [three]: ['Newest.'] },
  ],
])('completes a run that was killed at an edited file %s', async (_, steps, expected) => {
  const host = await exportOne();
  const { run, setSummary, readTextLines, toPath, edit } = host;
  edit(one);
  setSummary('New.');
  await run();
  setSummary('Newer.', 'Two');
  steps(toPath, await beginUpdate(host));
  setSummary('Newest.', 'Three');
  await run();
  expect(readTextLines()).toEqual(expected);
});

import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hosted, ledgerIn, meeting, nothing, recorded, textsIn } from './hosted.ts';

let minutes = 0;

/** A meeting as a service has it that changed it just now. */
const now = (id: string, title: string, more = {}) => {
  minutes += 1;
  const updated_at = new Date(Date.parse('2026-11-20T10:00:00Z') + minutes * 60_000).toISOString();
  return meeting(id, title, 'done', { updated_at, ...more });
};

const one = '2026-10-01-one-a.md';
const two = '2026-10-01-two-a.md';
const three = '2026-10-01-three-a.md';

/** A folder with a meeting, and what its service says of it from then on. */
async function exportedOne(options = {}) {
  const host = await hosted([meeting('a', 'One')]);
  const path = (name: string) => join(host.folder, name);
  await host.run(options);
  return {
    ...host,
    run: (more = {}) => host.run({ ...options, ...more }),
    says(summary: string, title = 'One', more = {}) {
      host.service.meetings = [now('a', title, more)];
      host.service.answers.set('/v1/recordings/r-a', [200, recorded('r-a', { summary: { summary } })]);
    },
    path,
    edit: (name: string) => appendFileSync(path(name), 'mine\n'),
    /** What the files say: what a person wrote, and the summary. */
    told: () =>
      Object.fromEntries(
        Object.entries(textsIn(host.folder)).map(([name, text]) => [
          name,
          text
            .replace(/^[\s\S]*## Summary\n\n/, '')
            .trim()
            .split('\n'),
        ]),
      ),
  };
}

test('a renamed meeting keeps one file, which takes the new name', async () => {
  const { run, says, told } = await exportedOne();
  says('New.', 'Two');
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(told()).toEqual({ [two]: ['New.'] });
});

test('a meeting that moved keeps one file, and its old folder goes when it is empty', async () => {
  const { run, says, told, folder } = await exportedOne({
    layout: 'by-month',
    contents: { transcript: false, with: ['txt'] },
  });
  says('New.', 'One', { start_at: '2026-11-02T09:00:00.000+09:00' });
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(told()).toEqual({
    '2026-11/2026-11-02-one-a.md': ['New.'],
    '2026-11/2026-11-02-one-a.txt': ['Ada: Hello'],
  });
  expect(() => readFileSync(join(folder, '2026-10'))).toThrow('ENOENT');
});

test('an edited file is left as it is, the new text goes beside it, and the run says so once', async () => {
  const { run, says, told, edit } = await exportedOne();
  edit(one);
  says('New.');
  const beside = '2026-10-01-one-a.new.md';
  expect(await run()).toEqual({ ...nothing, updated: 1, edited: [one] });
  expect(told()).toEqual({ [one]: ['Of r-a.', 'mine'], [beside]: ['New.'] });
  expect(await run()).toEqual({ ...nothing, unchanged: 1 });
  says('Newer.');
  expect(await run()).toEqual({ ...nothing, updated: 1, edited: [one] });
  expect(told()).toEqual({ [one]: ['Of r-a.', 'mine'], [beside]: ['Newer.'] });
});

test('a text beside that was edited too is left, and the next one has a number', async () => {
  const { run, says, told, edit } = await exportedOne();
  edit(one);
  for (const beside of ['2026-10-01-one-a.new.md', '2026-10-01-one-a.new2.md']) {
    says(`For ${beside}.`);
    await run();
    edit(beside);
  }
  says('Last.');
  await run();
  expect(told()).toEqual({
    [one]: ['Of r-a.', 'mine'],
    '2026-10-01-one-a.new.md': ['For 2026-10-01-one-a.new.md.', 'mine'],
    '2026-10-01-one-a.new2.md': ['For 2026-10-01-one-a.new2.md.', 'mine'],
    '2026-10-01-one-a.new3.md': ['Last.'],
  });
});

test('an edited file of a renamed meeting takes the new name, and what stands beside it comes along', async () => {
  const { run, says, told, edit } = await exportedOne();
  edit(one);
  says('New.');
  await run();
  says('Newer.', 'Two');
  expect(await run()).toEqual({ ...nothing, updated: 1, edited: [two] });
  expect(told()).toEqual({ [two]: ['Of r-a.', 'mine'], '2026-10-01-two-a.new.md': ['Newer.'] });
});

test('an edited file about which nothing is new gets nothing beside it', async () => {
  const { run, told, edit } = await exportedOne();
  edit(one);
  expect(await run({ full: true })).toEqual({ ...nothing, unchanged: 1 });
  expect(told()).toEqual({ [one]: ['Of r-a.', 'mine'] });
});

test('a file that was taken back to what was written is overwritten again; --prune takes what stood beside', async () => {
  const { run, says, told, edit, path } = await exportedOne();
  const before = readFileSync(path(one));
  edit(one);
  says('New.');
  await run();
  writeFileSync(path(one), before);
  says('Newer.');
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  const beside = '2026-10-01-one-a.new.md';
  expect(told()).toEqual({ [one]: ['Newer.'], [beside]: ['New.'] });
  await run({ prune: 'all' });
  expect(told()).toEqual({ [one]: ['Newer.'] });
});

test('a person who takes the new text over has one file again', async () => {
  const { run, says, told, edit, path } = await exportedOne();
  edit(one);
  says('New.');
  await run();
  renameSync(path('2026-10-01-one-a.new.md'), path(one));
  expect(await run()).toEqual({ ...nothing, unchanged: 1 });
  says('Newer.');
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(told()).toEqual({ [one]: ['Newer.'] });
});

test('of an edited meeting that is gone --prune takes what stands beside, and leaves the rest', async () => {
  const { run, says, told, edit, service } = await exportedOne();
  edit(one);
  says('New.');
  await run();
  service.meetings = [meeting('b', 'Other')];
  await run({ prune: 'all' });
  expect(Object.keys(told())).toEqual([one, '2026-10-01-other-b.md']);
});

test("somebody else's file of the new name is left alone, and so is the meeting's own", async () => {
  const { run, says, told, path } = await exportedOne();
  writeFileSync(path(two), 'not of the export\n');
  says('New.', 'Two');
  expect(await run()).toEqual({ ...nothing, updated: 1, edited: [two] });
  expect(told()).toEqual({
    [one]: ['Of r-a.'],
    [two]: ['not of the export'],
    '2026-10-01-two-a.new.md': ['New.'],
  });
  await run({ prune: 'all' });
  expect(told()).toEqual({ [two]: ['not of the export'], '2026-10-01-two-a.new.md': ['New.'] });
});

test('without the ledger, files that are as the service has them are known again; others are left', async () => {
  const { run, says, told, folder } = await exportedOne();
  rmSync(join(folder, '.kith-export.jsonl'));
  expect(await run()).toEqual({ ...nothing, unchanged: 1 });
  rmSync(join(folder, '.kith-export.jsonl'));
  says('New.');
  expect(await run()).toEqual({ ...nothing, updated: 1, edited: [one] });
  expect(told()).toEqual({ [one]: ['Of r-a.'], '2026-10-01-one-a.new.md': ['New.'] });
});

type Host = Awaited<ReturnType<typeof exportedOne>>;

interface KeptOne {
  readonly files: readonly { readonly name: string; readonly hash: string }[];
}

const keptIn = (folder: string): KeptOne =>
  ledgerIn(folder)
    .flatMap(({ meeting }) => (meeting as KeptOne | undefined) ?? [])
    .at(-1) ?? { files: [] };

/**
 * A run that was killed before its first step: the files are as they were, and the ledger says what it was about to
 * do. Gives what the files would have held.
 */
async function begunOnly({ folder, path, run }: Host): Promise<Record<string, string>> {
  const ledger = path('.kith-export.jsonl');
  const [journal, texts, old] = [readFileSync(ledger), textsIn(folder), keptIn(folder)];
  await run();
  const [written, next] = [textsIn(folder), keptIn(folder)];
  for (const name of Object.keys(written)) rmSync(path(name));
  for (const [name, text] of Object.entries(texts)) writeFileSync(path(name), text);
  const begun = { ...old, files: [{ ...old.files[0], next: next.files[0] }] };
  writeFileSync(ledger, `${journal}${JSON.stringify({ meeting: begun })}\n`);
  return written;
}

/** The steps that a run has done before it was killed. */
type Steps = (path: (name: string) => string, written: Record<string, string>) => void;

const renamed: Steps = (path) => renameSync(path(one), path(two));

test.each<[string, Steps]>([
  ['before its first step', () => {}],
  ['when the file was renamed', renamed],
  [
    'when it was written',
    (path, written) => {
      renamed(path, written);
      writeFileSync(path(two), written[two] ?? '');
    },
  ],
])('a run that was killed %s is completed, though the meeting has changed since', async (_, steps) => {
  const host = await exportedOne();
  const { run, says, told, folder, path } = host;
  says('New.', 'Two');
  steps(path, await begunOnly(host));
  says('Newest.', 'Three');
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(told()).toEqual({ [three]: ['Newest.'] });
  expect(ledgerIn(folder).at(-1)).toEqual({
    meeting: expect.not.objectContaining({ left: expect.anything() }),
  });
});

test('a run with --full that was killed before its first step is completed, though its service tells of no change', async () => {
  const host = await exportedOne();
  const { run, service, told } = host;
  service.answers.set('/v1/recordings/r-a', [200, recorded('r-a', { summary: { summary: 'New.' } })]);
  await begunOnly({ ...host, run: () => run({ full: true }) });
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(told()).toEqual({ [one]: ['New.'] });
});

const besideOne = '2026-10-01-one-a.new.md';
const besideTwo = '2026-10-01-two-a.new.md';
const mine = { [three]: ['Of r-a.', 'mine'], '2026-10-01-three-a.new.md': ['Newest.'] };

const bothRenamed: Steps = (path, written) => {
  renamed(path, written);
  renameSync(path(besideOne), path(besideTwo));
};
const besideWritten: Steps = (path, written) => {
  bothRenamed(path, written);
  writeFileSync(path(besideTwo), written[besideTwo] ?? '');
};

test.each<[string, Steps, Record<string, readonly string[]>]>([
  ['before its first step', () => {}, mine],
  ['when the file was renamed', renamed, mine],
  ['when what stood beside it was renamed too', bothRenamed, mine],
  ['when all was done', besideWritten, mine],
  [
    'when all was done, and a person took the text over',
    (path, written) => {
      besideWritten(path, written);
      renameSync(path(besideTwo), path(two));
    },
    { [three]: ['Newest.'] },
  ],
])('a run that was killed at an edited file %s is completed', async (_, steps, wanted) => {
  const host = await exportedOne();
  const { run, says, told, path, edit } = host;
  edit(one);
  says('New.');
  await run();
  says('Newer.', 'Two');
  steps(path, await begunOnly(host));
  says('Newest.', 'Three');
  await run();
  expect(told()).toEqual(wanted);
});

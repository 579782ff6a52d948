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
  await run({ prune: true });
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

/** What the ledger of a run says that was killed after so many of its writes and renames. */
type Killed = (path: (name: string) => string, written: string) => void;

test.each<[string, Killed]>([
  ['before its first step', () => {}],
  ['when the file was renamed', (path) => renameSync(path(one), path(two))],
  [
    'when it was written',
    (path, written) => {
      renameSync(path(one), path(two));
      writeFileSync(path(two), written);
    },
  ],
])('a run that was killed %s is completed, though the meeting has changed since', async (_, killed) => {
  const { run, says, told, folder, path } = await exportedOne();
  const ledger = join(folder, '.kith-export.jsonl');
  const before = readFileSync(ledger);
  const text = readFileSync(path(one));
  says('New.', 'Two');
  await run();
  const written = readFileSync(path(two), 'utf8');
  const [meetingLine] = ledgerIn(folder).flatMap(
    ({ meeting }) => (meeting as { files: { name: string; hash: string }[] }) ?? [],
  );
  // As it was when the run had told the ledger what it was about to do.
  const [old] = before
    .toString()
    .split('\n')
    .flatMap((line) => (line.startsWith('{"meeting') ? JSON.parse(line).meeting : []));
  const begun = { ...old, files: [{ ...old.files[0], next: meetingLine?.files[0] }] };
  writeFileSync(ledger, `${before}${JSON.stringify({ meeting: begun })}\n`);
  rmSync(path(two));
  writeFileSync(path(one), text);
  killed(path, written);
  says('Newest.', 'Three');
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(told()).toEqual({ '2026-10-01-three-a.md': ['Newest.'] });
  expect(ledgerIn(folder).at(-1)).toEqual({
    meeting: expect.not.objectContaining({ left: expect.anything() }),
  });
});

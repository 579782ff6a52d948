import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exportOne } from './edited-meeting.ts';
import { createRecording, emptyResult, readLedgerLines, readTexts } from './export-host.ts';

const one = '2026-10-01-one-a.md';
const secondFile = '2026-10-01-two-a.md';
const three = '2026-10-01-three-a.md';

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
  const planned = next.files.map((file) => ({ name: file.name, hash: '', next: file }));
  const begunMeeting = { ...old, files: [...old.files, ...planned] };
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

test('writes the planned text next to a file that was edited after the run was killed', async () => {
  const host = await exportOne();
  const { run, setSummary, readTextLines, edit } = host;
  setSummary('New.');
  await beginUpdate(host);
  edit(one);
  expect(await run()).toEqual({ ...emptyResult, updated: 1, edited: [one] });
  expect(readTextLines()).toEqual({ [one]: ['Of r-a.', 'mine'], [firstNewFile]: ['New.'] });
});

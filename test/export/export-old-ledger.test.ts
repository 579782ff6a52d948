import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createMeeting,
  emptyResult,
  listRequest,
  readLedgerLines,
  readTexts,
  startHost,
  updatedMeeting,
} from './export-host.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

const one = '2026-10-01-one-a.md';
const newFile = '2026-10-01-one-a.new.md';
const two = '2026-10-01-two-a.md';
const three = '2026-10-01-three-a.md';

/**
 * Exports a meeting, and replaces its files and its ledger line with the output of kith 0.1. `createFields` gets the
 * exported text.
 */
async function exportAsBefore(
  texts: Readonly<Record<string, string>>,
  createFields: (text: string) => object,
  ...otherLines: readonly object[]
) {
  const host = await startHost([createMeeting('a', 'One')]);
  await host.run();
  const text = readTexts(host.folder)[one] ?? '';
  const recordings = [{ id: 'r-a', updated_at: '2026-10-01T01:00:00.000Z', state: 'exported' }];
  const meeting = {
    ...{ id: 'a', title: 'One', updated_at: '2026-10-01T02:00:00.000Z', made: 'md', layout: 'flat' },
    ...{ files: [{ name: one, hash: hash(text) }], recordings },
    ...createFields(text),
  };
  const path = join(host.folder, '.kith-export.jsonl');
  const lines = [...readLedgerLines(host.folder).slice(0, 2), ...otherLines, { meeting }];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const [name, content] of Object.entries(texts)) writeFileSync(join(host.folder, name), content);
  const rename = (title: string) => {
    host.service.meetings = [updatedMeeting('a', title, '2026-11-20T09:59:00.000Z')];
  };
  return { ...host, text, rename, ledger: () => readFileSync(path, 'utf8') };
}

test('changes neither the files nor the ledger of a folder that an earlier version exported', async () => {
  const { run, folder, ledger } = await exportAsBefore({}, () => ({}));
  const before = [readTexts(folder), ledger()];
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  expect([readTexts(folder), ledger()]).toEqual(before);
});

test('updates the .new file of an edited file that an earlier version exported, in all layouts', async () => {
  const { run, rename, folder } = await exportAsBefore({ [one]: 'mine', [newFile]: 'new' }, (text) => ({
    files: [{ name: one, hash: hash(text), beside: { name: newFile, hash: hash('new') } }],
  }));
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  expect(readTexts(folder)).toEqual({ [one]: 'mine', [newFile]: 'new' });
  rename('Two');
  expect(await run({ layout: 'by-month' })).toEqual({
    ...emptyResult,
    updated: 1,
    edited: [`2026-10/${two}`],
  });
  expect(readTexts(folder)).toEqual({
    [`2026-10/${two}`]: 'mine',
    '2026-10/2026-10-01-two-a.new.md': expect.stringContaining('# Two'),
  });
});

test('overwrites a file that was replaced with the .new file of an earlier version', async () => {
  const { run, rename, folder } = await exportAsBefore({ [one]: 'new' }, (text) => ({
    files: [{ name: one, hash: hash(text), beside: { name: newFile, hash: hash('new') } }],
  }));
  rename('Two');
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect(readTexts(folder)).toEqual({ [two]: expect.stringContaining('# Two') });
});

test.each<[string, Record<string, string>]>([
  ['before its first step', {}],
  ['after it wrote the file', { [two]: 'planned' }],
])('completes a run of an earlier version that was killed %s', async (_, texts) => {
  const { run, rename, folder } = await exportAsBefore(texts, (text) => ({
    files: [{ name: one, hash: hash(text), next: { name: two, hash: hash('planned') } }],
  }));
  rename('Three');
  expect(await run({ prune: 'all' })).toMatchObject({ updated: 1, edited: [] });
  expect(readTexts(folder)).toEqual({ [three]: expect.stringContaining('# Three') });
});

test('prunes files that earlier options of an earlier version produced, but no edited ones', async () => {
  const [vtt, txt] = ['2026-10-01-one-a.vtt', '2026-10-01-one-a.txt'];
  const { run, folder, text } = await exportAsBefore({ [txt]: 'words', [vtt]: 'mine' }, () => ({
    left: [txt, vtt].map((name) => ({ name, hash: hash('words') })),
  }));
  const pruned = { files: 0, meetings: 0, unused: 1 };
  expect(await run({ prune: 'all' })).toEqual({ ...emptyResult, unchanged: 1, pruned });
  expect(readTexts(folder)).toEqual({ [one]: text, [vtt]: 'mine' });
});

test('keeps the files of a meeting that an earlier version found deleted', async () => {
  const { run, folder, service, text } = await exportAsBefore({}, () => ({
    gone: true,
    recordings: [{ id: 'r-a', updated_at: null, state: 'gone' }],
  }));
  service.meetings = [];
  expect(await run({ full: true })).toEqual({ ...emptyResult, deleted_upstream: 1 });
  expect(readTexts(folder)).toEqual({ [one]: text });
});

test('lists all meetings if an earlier version was killed after it found its ledger damaged', async () => {
  const watermark = { filter: {}, made: 'md flat', listed: 1 };
  const { run, takeRequests } = await exportAsBefore({}, () => ({}), { watermark }, { incomplete: true });
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 1 });
  expect(takeRequests()).toEqual([listRequest()]);
});

import { readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTemporaryFolder } from '../support/kith.ts';

/** Opens a journal on a disk that returns fewer bytes than requested, as network disks may. Calls `onSync` at a flush. */
async function openTestJournal(path: string, name: string, onSync = () => {}) {
  vi.doMock('node:fs', async (original) => {
    const fs = await original<typeof import('node:fs')>();
    const readOneByte: typeof readSync = (
      file: number,
      bytes: NodeJS.ArrayBufferView,
      ...rest: unknown[]
    ) => {
      const [offset, length, position] = rest as [number, number, number];
      return readSync(file, bytes, offset, Math.min(length, 7), position);
    };
    return { ...fs, readSync: readOneByte, fsyncSync: onSync };
  });
  // A separate import for each test, so that the other tests keep the real module.
  const another = `../../src/files/journal.ts?${name}`;
  const { Journal }: typeof import('../../src/files/journal.ts') = await import(another);
  vi.doUnmock('node:fs');
  const journal = new Journal(path);
  onTestFinished(() => journal.close());
  return journal;
}

test('reads a journal from a disk that returns fewer bytes than requested', async () => {
  const path = join(createTemporaryFolder(), 'journal');
  const texts = Array.from({ length: 100 }, (_, index) => `a line of some length, ${index}`);
  writeFileSync(path, `${texts.join('\n')}\n`);
  const journal = await openTestJournal(path, 'short');
  const lines = [...journal.readLines()];
  expect(lines.map(({ text }) => text)).toEqual(texts);
  expect(lines.map(({ start }) => journal.readLine(start))).toEqual(texts);
  expect(journal.head).toContain('line of some length, 50');
});

test('flushes a line to the disk only on request, after it is in the file', async () => {
  const path = join(createTemporaryFolder(), 'journal');
  writeFileSync(path, '');
  const flushed: string[] = [];
  const journal = await openTestJournal(path, 'flushed', () => flushed.push(readFileSync(path, 'utf8')));
  journal.append('a');
  journal.append('b', true);
  expect(flushed).toEqual(['a\nb\n']);
});

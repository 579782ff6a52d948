import { type readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Journal } from '../../src/disk/journal.ts';
import { temporaryFolder } from '../kith.ts';

// A disk that gives less than it is asked for, as those of a network may.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const short: typeof readSync = (file: number, bytes: NodeJS.ArrayBufferView, ...rest: unknown[]) => {
    const [offset, length, position] = rest as [number, number, number];
    return fs.readSync(file, bytes, offset, Math.min(length, 7), position);
  };
  return { ...fs, readSync: short };
});

test('a disk that gives less than it is asked for ends no journal', () => {
  const path = join(temporaryFolder(), 'journal');
  const texts = Array.from({ length: 100 }, (_, at) => `a line of some length, ${at}`);
  writeFileSync(path, `${texts.join('\n')}\n`);
  const journal = new Journal(path);
  const lines = [...journal.lines()];
  expect(lines.map(({ text }) => text)).toEqual(texts);
  expect(lines.map(({ start }) => journal.lineAt(start))).toEqual(texts);
  expect(journal.head).toContain('line of some length, 50');
  journal.close();
});

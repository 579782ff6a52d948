import { type fsync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createTemporaryFolder } from '../support/kith.ts';

/** Loads the module with a `fsync` that calls `onSync` first. */
async function loadWith(onSync: () => void) {
  vi.doMock('node:fs', async (original) => {
    const fs = await original<typeof import('node:fs')>();
    const observed = (file: number, done: Parameters<typeof fsync>[1]) => {
      onSync();
      fs.fsync(file, done);
    };
    return { ...fs, fsync: observed };
  });
  // Under another name, because the other tests use theirs.
  const another = '../../src/files/atomic-write.ts?observed';
  const module: typeof import('../../src/files/atomic-write.ts') = await import(another);
  vi.doUnmock('node:fs');
  return module;
}

test('flushes the whole text to the disk before the file has its name', async () => {
  const folder = createTemporaryFolder();
  const readAll = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  const flushed: string[][][] = [];
  const { writeFileAtomically } = await loadWith(() => flushed.push(readAll()));
  await writeFileAtomically(join(folder, 'notes.md'), ['one, ', 'two']);
  expect(flushed).toEqual([[['.notes.md.kith-tmp', 'one, two']]]);
  expect(readAll()).toEqual([['notes.md', 'one, two']]);
});

import fs, { cpSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTemporaryFolder } from '../support/kith.ts';
import { createMeeting, readLedgerLines, readTexts, startHost } from './export-host.ts';

/** The functions by which an export changes its folder, except for the content of its files. */
const changes = ['appendFileSync', 'mkdirSync', 'renameSync', 'rmSync', 'rmdirSync'] as const;
const originals = changes.map((name) => [name, fs[name] as (...args: unknown[]) => unknown] as const);

/** The changes before the rest fails. */
let remaining = Number.POSITIVE_INFINITY;

beforeAll(() => {
  for (const [name, change] of originals) {
    const changeOrFail = (path: unknown, ...args: unknown[]) => {
      if (!String(path).endsWith('.lock')) remaining -= 1;
      if (remaining < 0) throw Object.assign(new Error('killed'), { code: 'EIO' });
      return change(path, ...args);
    };
    Object.assign(fs, { [name]: changeOrFail });
  }
  syncBuiltinESMExports();
});

afterAll(() => {
  Object.assign(fs, Object.fromEntries(originals));
  syncBuiltinESMExports();
});

/** Lets all changes of an export after the first `count` fail: as if it was killed there. Returns whether it made more. */
async function stopAfter(count: number, run: () => Promise<unknown>): Promise<boolean> {
  remaining = count;
  try {
    await run();
  } catch (error) {
    if (remaining >= 0) throw error;
  }
  const isStopped = remaining < 0;
  remaining = Number.POSITIVE_INFINITY;
  return isStopped;
}

const readFolder = (folder: string) => ({
  entries: readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort(),
  texts: readTexts(folder),
  meetings: readLedgerLines(folder).filter(({ meeting }) => meeting),
});

test('--prune leaves only the files of a clean export after two runs that were killed at any step', async () => {
  const { service, run } = await startHost([]);
  const setTitle = (title: string, month: number) => {
    const updated_at = `2026-11-20T09:0${month}:00.000Z`;
    const start_at = `2026-0${month}-01T09:00:00.000Z`;
    service.meetings = [createMeeting('a', title, 'done', { start_at, updated_at })];
  };
  const root = createTemporaryFolder();
  const copyFolder = (from: string, name: string) => {
    const to = join(root, name);
    cpSync(from, to, { recursive: true });
    return to;
  };
  const folder = join(root, 'out');
  setTitle('One', 1);
  await run({ folder });
  const second = { layout: 'by-month', contents: { transcript: false, with: ['txt'] } } as const;
  const third = { layout: 'by-month', contents: { transcript: true, with: ['json'] } } as const;
  setTitle('Three', 3);
  await run({ ...third, folder: join(root, 'clean') });
  const expected = readFolder(join(root, 'clean'));
  for (let count = 0, isKilled = true; isKilled; count += 1) {
    const once = copyFolder(folder, `${count}`);
    setTitle('Two', 2);
    isKilled = await stopAfter(count, () => run({ ...second, folder: once }));
    setTitle('Three', 3);
    for (let count = 0, isKilled = true; isKilled; count += 1) {
      const twice = copyFolder(once, `${basename(once)}-${count}`);
      isKilled = await stopAfter(count, () => run({ ...third, folder: twice, prune: 'all' }));
      expect(await run({ ...third, folder: twice, prune: 'all' })).toMatchObject({ edited: [], failed: [] });
      expect(readFolder(twice)).toEqual(expected);
    }
  }
});

import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Failure } from '../../../../src/contract/errors.ts';
import { copyWorkspaceFile, writeSnapshot } from '../../../../src/service/db/sqlite/snapshot.ts';
import { createSampleWorkspace, createTemporaryFolder } from '../../../support/kith.ts';

test('a large workspace is copied in another thread, with its progress', async () => {
  const workspace = createSampleWorkspace();
  const file = join(createTemporaryFolder(), 'copy.sqlite');
  const reports: (readonly [number, number])[] = [];
  const copy = async (from: string, to: string) => {
    copyWorkspaceFile(from, to);
    await wait(250);
  };
  const report = (...progress: [number, number]) => void reports.push(progress);
  const { size } = await writeSnapshot(workspace, file, false, { copy, report, minSize: 0 });
  expect(reports).toContainEqual([size, statSync(workspace).size]);
  expect(readdirSync(join(file, '..'))).toEqual(['copy.sqlite']);
});

test('keeps the copy of a running process at any age, and a copy without a lock for an hour', async () => {
  const folder = createTemporaryFolder();
  for (const [name, minutes] of Object.entries({ '.kith-copy-old': 61, '.kith-copy-new': 1 })) {
    mkdirSync(join(folder, name));
    const copy = join(folder, name, 'copy.sqlite');
    writeFileSync(copy, 'half');
    const time = Date.now() / 1000 - minutes * 60;
    utimesSync(copy, time, time);
  }
  const workspace = createSampleWorkspace();
  let names: readonly string[] = [];
  const copy = async (from: string, to: string) => {
    copyWorkspaceFile(from, to);
    utimesSync(to, 0, 0);
    await writeSnapshot(workspace, join(folder, 'second'), false);
    names = readdirSync(folder);
  };
  await writeSnapshot(workspace, join(folder, 'first'), false, { copy, report: () => {}, minSize: 0 });
  expect(names).toHaveLength(3);
  expect(names).toEqual(expect.arrayContaining(['.kith-copy-new', 'second']));
  expect(readdirSync(folder).sort()).toEqual(['.kith-copy-new', 'first', 'second']);
});

test('a small workspace is copied without a thread', async () => {
  const file = join(createTemporaryFolder(), 'copy.sqlite');
  const copy = () => Promise.reject(new Error('not called'));
  await writeSnapshot(createSampleWorkspace(), file, false, { copy, report: () => {} });
  expect(existsSync(file)).toBe(true);
});

test.each([
  [new Failure('interrupted', 'Interrupted.'), 'Interrupted.'],
  [new Error('lost'), 'Cannot copy the workspace file'],
])('leaves nothing behind if the copy ends with %s', async (error, message) => {
  const folder = createTemporaryFolder();
  const thread = { copy: () => Promise.reject(error), report: () => {}, minSize: 0 };
  const snapshot = writeSnapshot(createSampleWorkspace(), join(folder, 'copy.sqlite'), false, thread);
  await expect(snapshot).rejects.toThrow(message);
  expect(readdirSync(folder)).toEqual([]);
});

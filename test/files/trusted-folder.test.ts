import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isTrustedFolder, readTrustedFile } from '../../src/files/trusted-folder.ts';
import { createTemporaryFolder } from '../support/kith.ts';

const us = process.getuid?.() ?? 0;
const other = 12_345;
const testAsRoot = test.runIf(us === 0);

/** A folder with one in it, and the inner one's path. */
function createNestedFolders() {
  const outer = join(createTemporaryFolder(), 'outer');
  const inner = join(outer, 'inner');
  mkdirSync(inner, { recursive: true, mode: 0o755 });
  return { outer, inner };
}

test.each([
  ['closed folders', 0o755, 0o700, true],
  ['an outer folder that everybody can write', 0o777, 0o700, false],
  ['an outer folder that its group can write', 0o775, 0o700, false],
  ['a sticky outer folder, like /tmp', 0o1777, 0o700, true],
  ['an inner folder that everybody can write', 0o755, 0o777, false],
  ['a sticky inner folder: other users can add files to it', 0o755, 0o1777, false],
])('trusts %s: %#', (_, outerMode, innerMode, isTrusted) => {
  const { outer, inner } = createNestedFolders();
  chmodSync(outer, outerMode);
  chmodSync(inner, innerMode);
  expect(isTrustedFolder(inner, us)).toBe(isTrusted);
});

test('trusts a missing path like the folder above it', () => {
  const { outer, inner } = createNestedFolders();
  expect(isTrustedFolder(join(inner, 'not/there'), us)).toBe(true);
  chmodSync(outer, 0o777);
  expect(isTrustedFolder(join(inner, 'not/there'), us)).toBe(false);
});

test('trusts neither a file nor a cycle of links', () => {
  const { outer } = createNestedFolders();
  writeFileSync(join(outer, 'file'), '');
  symlinkSync('loop', join(outer, 'loop'));
  expect(isTrustedFolder(join(outer, 'file'), us)).toBe(false);
  expect(isTrustedFolder(join(outer, 'loop'), us)).toBe(false);
});

testAsRoot('does not trust a folder of another user on the way, sticky or not', () => {
  const { outer, inner } = createNestedFolders();
  for (const mode of [0o755, 0o1777]) {
    chmodSync(outer, mode);
    chownSync(outer, other, other);
    expect(isTrustedFolder(inner, us)).toBe(false);
    // Root can write anywhere, so its folders are as safe as the user's own.
    expect(isTrustedFolder(inner, other)).toBe(true);
    chownSync(outer, us, us);
    expect(isTrustedFolder(inner, us)).toBe(true);
  }
});

testAsRoot('follows only links that nobody else can change', () => {
  const { outer, inner } = createNestedFolders();
  const link = join(outer, 'link');
  symlinkSync('inner', link);
  expect(isTrustedFolder(link, us)).toBe(true);
  expect(isTrustedFolder(join(link, 'deeper'), us)).toBe(true);
  lchownSync(link, other, other);
  expect(isTrustedFolder(link, us)).toBe(false);
  lchownSync(link, us, us);
  chmodSync(inner, 0o777);
  expect(isTrustedFolder(join(link, 'deeper'), us)).toBe(false);
});

test('reads only regular files that no other user can write to', () => {
  const folder = createTemporaryFolder();
  const toPath = (name: string) => join(folder, name);
  writeFileSync(toPath('own'), 'text', { mode: 0o600 });
  linkSync(toPath('own'), toPath('twin'));
  writeFileSync(toPath('open'), 'text');
  chmodSync(toPath('open'), 0o666);
  symlinkSync('own', toPath('link'));
  execFileSync('mkfifo', [toPath('pipe')]);
  const read = (name: string) => readTrustedFile(toPath(name), us)?.toString();
  expect(['own', 'twin', 'open', 'link', 'pipe', '.', 'none'].map(read)).toEqual([
    'text',
    'text',
    ...Array(5).fill(undefined),
  ]);
  if (us !== 0) return;
  chownSync(toPath('own'), other, other);
  expect(read('own')).toBe(undefined);
});

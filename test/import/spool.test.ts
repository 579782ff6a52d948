import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { saveToTemporaryFile } from '../../src/import/table.ts';
import { hashInput } from '../../src/import/table-file.ts';
import { createTemporaryFolder } from '../support/kith.ts';

async function* bytes() {
  yield Buffer.from('email\n');
  yield Buffer.from('a@x.example\n');
}

test('saves a stream to a file that only its owner can read', async () => {
  const { path, remove } = await saveToTemporaryFile(bytes());
  expect(readFileSync(path, 'utf8')).toBe('email\na@x.example\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await remove();
  expect(existsSync(dirname(path))).toBe(false);
});

test('removes the file of a stream that fails', async () => {
  const folder = createTemporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const failing = async function* () {
    yield* bytes();
    throw new Error('no more');
  };
  await expect(saveToTemporaryFile(failing())).rejects.toThrow('no more');
  expect(readdirSync(folder)).toEqual([]);
});

test('the hash of an input depends on its bytes and on the settings', async () => {
  const folder = createTemporaryFolder();
  const of = (text: string, manner: unknown) => {
    writeFileSync(join(folder, 'sheet.csv'), text);
    return hashInput(join(folder, 'sheet.csv'), manner);
  };
  const all = [await of('a', ['x']), await of('b', ['x']), await of('a', ['y'])];
  expect(new Set(all).size).toBe(3);
  expect(await of('a', ['x'])).toBe(all[0]);
});

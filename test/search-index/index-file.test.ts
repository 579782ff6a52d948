import { lstatSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { startRecordService } from './record-service.ts';

test('signing out removes the index, and so does signing in again, also to the same service', async () => {
  const [one, other] = [await startRecordService(), await startRecordService()];
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const login = (url: string) =>
    kith(`auth login --profile work --base-url ${url} --key-stdin`, { stdin: 'key-for-tests' });
  const countIndexes = () => readdirSync(folder).filter((name) => name.endsWith('.sqlite')).length;
  await login(one.url);
  await kith('index update');
  expect(countIndexes()).toBe(1);
  for (const { url } of [other, other]) {
    await login(url);
    expect(countIndexes()).toBe(0);
    await kith('index update');
  }
  await kith('auth logout --profile work');
  expect(countIndexes()).toBe(0);
});

/** Returns a machine with an index of a service. */
async function createIndexedMachine() {
  const { env } = await startRecordService();
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  await kith('index update', { env });
  const name = readdirSync(folder).find((one) => one.endsWith('.sqlite')) ?? 'missing';
  return { folder, file: join(folder, name), kith: (line: string) => kith(line, { env }) };
}

test('replaces a link in the place of the index, and writes nothing to its target', async () => {
  const { folder, file, kith } = await createIndexedMachine();
  const target = join(folder, 'elsewhere');
  renameSync(file, target);
  const before = readFileSync(target);
  symlinkSync(target, file);
  expect((await kith('index update --full')).code).toBe(0);
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readFileSync(target).equals(before)).toBe(true);
});

test('searches and clears an index whose lock cannot be written, as on a full disk', async () => {
  const { folder, file, kith } = await createIndexedMachine();
  symlinkSync(join(folder, 'nowhere'), `${file}.lock`);
  const { code, err } = await kith('search zoe --max-age 0');
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(
      /^kith: Searching the index from .* ago\. Updating it failed: Cannot read .*\.lock/,
    ),
  });
  expect((await kith('index clear')).out).toBe('Removed the search index.\n');
  expect((await kith('search zoe')).code).toBe(1);
});

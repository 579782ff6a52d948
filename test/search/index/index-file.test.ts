import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createCompleter } from '../../completion/machine.ts';
import { createMachine, createTemporaryFolder } from '../../support/kith.ts';
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
  const { env, requests } = await startRecordService();
  const folder = join(createTemporaryFolder(), 'kith');
  mkdirSync(folder, { mode: 0o700 });
  const kith = createMachine(folder);
  await kith('index update', { env });
  const name = readdirSync(folder).find((one) => one.endsWith('.sqlite')) ?? 'missing';
  const complete = createCompleter(folder, env);
  return {
    folder,
    file: join(folder, name),
    requests,
    complete,
    kith: (line: string) => kith(line, { env }),
  };
}

const isRoot = process.getuid?.() === 0;

test.each([
  ['that everybody can write', (folder: string) => chmodSync(folder, 0o777), ''],
  ['below one that its group can write', (folder: string) => chmodSync(dirname(folder), 0o770), '..'],
  ...(isRoot
    ? ([['of another user', (folder: string) => chownSync(folder, 12_345, 12_345), '']] as const)
    : []),
] as const)('neither reads nor writes an index in a folder %s', async (_, share, culprit) => {
  const { folder, file, requests, complete, kith } = await createIndexedMachine();
  expect(complete('contacts', { word: 'zo' })).not.toEqual([]);
  share(folder);
  const isOther = lstatSync(folder).uid !== process.getuid?.();
  const path = join(folder, culprit);
  const failure = {
    code: 1,
    out: '',
    err: expect.stringContaining(
      isOther
        ? `kith: Cannot use the search index in ${folder}: ${path} belongs to another user.\nhint: Set XDG_CACHE_HOME to a folder that only you can write to; KITH_CONFIG_DIR overrides it.\n`
        : `kith: Cannot use the search index in ${folder}: other users can write to ${path}.\nhint: chmod go-w ${path}\n`,
    ),
  };
  const before = readFileSync(file);
  expect(await kith('search zoe')).toEqual(failure);
  expect(await kith('index update')).toEqual(failure);
  expect(readFileSync(file).equals(before)).toBe(true);
  requests.length = 0;
  await kith('organizations get コールドチェーン');
  expect(requests.map(({ url }) => url.split('?')[0])).toContain('/v1/organizations');
  expect(complete('contacts', { word: 'zo' })).toEqual([]);
  rmSync(file);
  expect(await kith('search zoe')).toEqual(failure);
  expect(existsSync(file)).toBe(false);
});

test('rebuilds an index that other users could write to', async () => {
  const { file, kith } = await createIndexedMachine();
  chmodSync(file, 0o666);
  expect((await kith('search zoe')).err).toContain('Building the search index.');
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
});

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

import { type ChildProcess, execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sendPage, startTestService } from '../client/loopback.ts';
import { createSignedInHome, runKith } from '../support/binary.ts';
import type { CommandResult } from '../support/kith.ts';

/** Creates a home folder with its own compile cache, unlike the other tests. */
function createCachingHome(more: Readonly<Record<string, string>> = {}) {
  const { home, env } = createSignedInHome(more);
  const { XDG_CACHE_HOME: _, ...ownEnv } = env;
  return { home, env: ownEnv, folder: join(home, '.cache/kith/compiled') };
}

const list = ['contacts', 'list', '--format', 'table', '--limit', '2'];

const cacheListing = mkdtempSync(join(tmpdir(), 'kith-listed-'));
afterAll(() => rmSync(cacheListing, { recursive: true }));
let listingRun: Promise<CommandResult> | undefined;

/** Creates a home folder with a filled compile cache, by a copy: filling it takes most of a test. */
async function createWarmHome() {
  const warmHome = createCachingHome();
  listingRun ??= (async () => {
    const { env, folder } = createCachingHome();
    const first = await runKith(list, { env });
    cpSync(folder, cacheListing, { recursive: true });
    return first;
  })();
  const first = await listingRun;
  mkdirSync(warmHome.folder, { recursive: true, mode: 0o700 });
  cpSync(cacheListing, warmHome.folder, { recursive: true });
  return { ...warmHome, first };
}

/** Returns the inodes of the files below a folder, which show whether they were replaced. */
function readFileTimes(folder: string): Record<string, number> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((path) => [path, statSync(path).ino]));
}

/** Returns the names of the program's files in the cache of a noun, without their hashes. */
function listCompiledFiles(folder: string, noun: string): string[] {
  const cache = join(folder, `${process.version}-${process.arch}-${noun}`);
  return readdirSync(cache)
    .map((name) => name.replace(/-[\w-]{12}\.cjs$/, ''))
    .sort();
}

test('a lookup in a workspace file loads few files', async () => {
  const { env, folder } = createCachingHome();
  const find = ['contacts', 'find', '--email', 'jiwoo.kim@hanbit-cold.example', '--format'];
  // Each file takes half a millisecond. A module that moves without src/build/main.ts gets a file of its own.
  for (const [format, files] of [
    ['json', ['contacts', 'program', 'service']],
    ['table', ['contacts', 'names', 'program', 'service', 'table']],
  ] as const) {
    expect((await runKith([...find, format], { env })).code).toBe(0);
    expect(listCompiledFiles(folder, 'contacts')).toEqual(files);
  }
});

test('stores compiled code for its owner only and reuses it', async () => {
  const { env, folder } = createCachingHome();
  const first = await runKith(list, { env });
  const filesBefore = readFileTimes(folder);
  expect(first).toMatchObject({ code: 0, err: expect.stringContaining('more records') });
  expect(Object.keys(filesBefore).length).toBeGreaterThan(3);
  expect(statSync(folder).mode & 0o077).toBe(0);
  expect(await runKith(list, { env })).toEqual(first);
  expect(readFileTimes(folder)).toEqual(filesBefore);
});

test('reuses compiled code that was copied from another folder', async () => {
  const { env, folder, first } = await createWarmHome();
  const filesBefore = readFileTimes(folder);
  expect(await runKith(list, { env })).toEqual(first);
  expect(readFileTimes(folder)).toEqual(filesBefore);
});

test('reuses compiled code after a long list of requests', async () => {
  const service = await startTestService(({ url }, response) =>
    sendPage(response, url, { length: 41, at: (index) => ({ id: `c${index}` }) }),
  );
  const { env, folder } = createCachingHome(service.env);
  const longList = ['contacts', 'list', '--all', '--page-size', '1', '--format', 'table'];
  const first = await runKith(longList, { env });
  const filesBefore = readFileTimes(folder);
  expect(first.out.split('\n')).toHaveLength(43);
  expect(listCompiledFiles(folder, 'contacts')).toEqual(['contacts', 'http', 'program', 'table']);
  expect(await runKith(longList, { env })).toEqual(first);
  expect(readFileTimes(folder)).toEqual(filesBefore);
});

test.each([
  ['a block', 3 / 8, 3 / 8],
  ['all behind one', 7 / 8, 1],
])('compiles again if part of the compile cache is lost on disk: %s', async (_, from, to) => {
  const { env, folder, first } = await createWarmHome();
  const filesBefore = readFileTimes(folder);
  for (const path of Object.keys(filesBefore)) {
    const bytes = readFileSync(path);
    bytes.fill(
      0,
      Math.floor(bytes.length * from),
      Math.min(bytes.length, Math.floor(bytes.length * to) + 512),
    );
    writeFileSync(path, bytes);
  }
  const { code, out } = await runKith(list, { env });
  expect({ code, out }).toEqual({ code: 0, out: first.out });
  expect(readFileTimes(folder)).not.toEqual(filesBefore);
});

test('runs kith doctor, which names the folder to remove, if both copies of the compiled code are damaged identically', async () => {
  const { env, folder } = await createWarmHome();
  expect((await runKith(['doctor'], { env })).code).toBe(0);
  for (const path of Object.keys(readFileTimes(folder)).filter((path) => statSync(path).size > 100_000)) {
    const bytes = readFileSync(path);
    for (const part of [0, 1 / 2]) {
      const from = bytes.length * (part + 1 / 8);
      bytes.fill(0xa5, from, from + bytes.length / 4);
    }
    writeFileSync(path, bytes);
  }
  expect((await runKith(list, { env })).code).not.toBe(0);
  const { code, out } = await runKith(['doctor', '--format', 'tsv'], { env });
  expect(code).toBe(0);
  expect(out).toContain(`ok\tcompile cache\t${folder}; remove it if Node crashes at startup\t`);
  rmSync(folder, { recursive: true });
  expect((await runKith(list, { env })).code).toBe(0);
});

test('does not use a cache folder that other users can write to, or a relative one', async () => {
  const { env, folder, home } = createCachingHome();
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect((await runKith(list, { env })).code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  await runKith(list, { env: { ...env, XDG_CACHE_HOME: 'here' }, cwd: home });
  expect(existsSync(join(home, 'here'))).toBe(false);
});

test('compiles again if the compile cache is damaged', async () => {
  const { env, folder, first } = await createWarmHome();
  for (const path of Object.keys(readFileTimes(folder))) writeFileSync(path, 'damaged');
  expect(await runKith(list, { env })).toEqual(first);
  expect(Object.keys(readFileTimes(folder)).filter((path) => statSync(path).size < 100)).toEqual([]);
});

test('does not wait for a pipe in place of compiled code', async () => {
  const { env, folder, first } = await createWarmHome();
  const paths = Object.keys(readFileTimes(folder));
  for (const path of paths) rmSync(path);
  execFileSync('mkfifo', paths);
  const onStart = (child: ChildProcess) => void setTimeout(() => child.kill('SIGKILL'), 20_000).unref();
  expect(await runKith(list, { env, onStart, stdin: '' })).toEqual(first);
});

test('runs without a compile cache if its folder cannot be created', async () => {
  const { home, env } = createCachingHome();
  writeFileSync(join(home, '.cache'), '');
  const end = await runKith(list, { env });
  expect({ code: end.code, lines: end.err.split('\n').length }).toEqual({ code: 0, lines: 2 });
});

test('runs if the settings folder cannot be created', async () => {
  const { env } = createCachingHome({ KITH_CONFIG_DIR: '/proc/kith' });
  const end = await runKith(['config', 'list'], { env });
  expect(end.code).toBe(0);
});

test.runIf(process.getuid?.() === 0)(
  'neither uses nor changes the compile cache of another user',
  async () => {
    const { env, folder } = createCachingHome();
    mkdirSync(folder, { recursive: true });
    chownSync(folder, 12_345, 12_345);
    expect((await runKith(list, { env })).code).toBe(0);
    expect(readFileTimes(folder)).toEqual({});
  },
);

test('stores compiled code per noun', async () => {
  const { env, folder } = createCachingHome();
  for (const line of [list, ['auth', 'status'], ['--no-color', 'auth', 'status']])
    await runKith(line, { env });
  const node = `${process.version}-${process.arch}`;
  expect(readdirSync(folder).sort()).toEqual([node, `${node}-auth`, `${node}-contacts`]);
});

test('stores no compiled code after an unknown command', async () => {
  const { env, folder } = createCachingHome();
  expect((await runKith(['contcat', 'list'], { env })).code).toBe(2);
  expect(existsSync(folder)).toBe(false);
});

test('removes compiled code of other versions after a month without use', async () => {
  const { env, folder } = await createWarmHome();
  const [cacheEntry = ''] = readdirSync(folder);
  const chunk = readdirSync(join(folder, cacheEntry))[0] ?? '';
  const used = ['used-1.cjs', `../v98.0.0-x64/${chunk}`].map((name) => join(folder, cacheEntry, name));
  const old = ['old-1.cjs', `../v98.0.0-x64/old-1.cjs`, `../v99.0.0-x64/${chunk}`].map((name) =>
    join(folder, cacheEntry, name),
  );
  for (const path of [...used, ...old]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x');
  }
  for (const path of [...old, join(folder, cacheEntry, chunk)]) utimesSync(path, 0, 0);
  await runKith(['auth', 'status'], { env });
  expect([...used, join(folder, cacheEntry, chunk)].filter((path) => !existsSync(path))).toEqual([]);
  expect(old.filter((path) => existsSync(path))).toEqual([]);
  const auth = cacheEntry.replace('contacts', 'auth');
  expect(readdirSync(folder).sort()).toEqual([auth, cacheEntry, 'v98.0.0-x64'].sort());
});

test('stores no compiled code after printing help', async () => {
  const { env, folder } = createCachingHome();
  await runKith(['help', 'contacts', 'list'], { env });
  await runKith(['contacts', 'list', '--help'], { env });
  expect(existsSync(folder)).toBe(false);
  await runKith(['events', 'grep', 'help'], { env });
  expect(Object.keys(readFileTimes(folder)).length).toBeGreaterThan(3);
});

test("does not change other programs' files in the cache folder", async () => {
  const { env, folder, home } = createCachingHome();
  const [precious, version] = [join(home, 'precious'), join(folder, 'v99.0.0-x64')];
  for (const subfolder of [precious, join(version, 'folder')]) mkdirSync(subfolder, { recursive: true });
  chmodSync(folder, 0o700);
  const files = [join(folder, '.DS_Store'), join(precious, 'old.txt')];
  for (const file of files) {
    writeFileSync(file, '');
    utimesSync(file, 0, 0);
  }
  symlinkSync(precious, join(folder, 'link'));
  symlinkSync(join(precious, 'old.txt'), join(version, 'link'));
  await runKith(list, { env });
  expect(files.filter((file) => existsSync(file))).toEqual(files);
  expect(readdirSync(folder).length).toBe(4);
});

test('does not follow a link in place of the compile cache folder', async () => {
  const { env, folder, home } = createCachingHome();
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(join(home, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(home, 'elsewhere'), folder);
  expect((await runKith(list, { env })).code).toBe(0);
  expect(readdirSync(join(home, 'elsewhere'))).toEqual([]);
});

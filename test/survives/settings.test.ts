import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, freshEnv, kithJs, signedIn } from '../binary.ts';
import { answer, loopback } from '../client/loopback.ts';
import { store, temporaryFolder, words } from '../kith.ts';

const key = 'sk_live_0123456789abcdef';
const twenty = Array.from({ length: 20 }, (_, at) => `p${at}`);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A home folder, with the file of its settings. */
function place() {
  const home = temporaryFolder();
  const folder = join(home, '.config/kith');
  return { home, env: freshEnv(home), folder, file: join(folder, 'config.json') };
}

const storedIn = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test('20 logins at once', async () => {
  const { env, home, folder, file } = place();
  const login = (name: string) =>
    binary(['auth', 'login', '--local', '--profile', name, '--database', join(home, `${name}.sqlite`)], {
      env,
    });
  const all = await Promise.all(twenty.map(login));
  expect(all.map(({ code, err }) => [code, err])).toEqual(twenty.map(() => [0, '']));
  expect(Object.keys(storedIn(file).profiles).sort()).toEqual([...twenty].sort());
  expect(readdirSync(folder)).toEqual(['config.json']);
  expect([modeOf(folder), modeOf(file)]).toEqual(['700', '600']);
});

test('20 lists of names at once', async () => {
  const { env, folder } = signedInHere();
  const all = await Promise.all(twenty.map((name) => binary(['lists', 'list', '--profile', name], { env })));
  expect(all.map(({ code, err }) => [code, err])).toEqual(twenty.map(() => [0, '']));
  const seen: Record<string, unknown[]> = storedIn(join(folder, 'lists.json'));
  // One that finds another at it lets it be: it is a cache.
  expect(Object.values(seen).map((lists) => lists.length)).toContain(4);
  expect(readdirSync(folder).sort()).toEqual(['config.json', 'lists.json']);
});

/** Twenty profiles of one sample workspace. */
function signedInHere() {
  const { env, home, database } = signedIn();
  const folder = join(home, '.config/kith');
  store(folder, { active: 'p0', profiles: Object.fromEntries(twenty.map((name) => [name, { database }])) });
  return { env, folder };
}

/** A lock as a run holds it. */
function lockBy(pid: number, { folder, file }: { folder: string; file: string }) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.lock`, JSON.stringify({ pid, host: hostname(), since: '2026-11-20T10:00:00.000Z' }));
}

test('settings that another run holds for long', async () => {
  const here = place();
  store(here.folder, { profiles: {} });
  lockBy(process.pid, here);
  const started = performance.now();
  expect(await binary(['config', 'set', 'limit', '9'], { env: here.env })).toEqual({
    code: 75,
    out: '',
    err:
      `kith: Another run changes the settings in ${here.file}: process ${process.pid}, ` +
      'since 2026-11-20T10:00:00.000Z.\n',
  });
  expect(performance.now() - started).toBeGreaterThan(9000);
  expect(storedIn(here.file)).toEqual({ profiles: {} });
});

test('the lock of a login that was killed', async () => {
  const here = place();
  const child = spawn('true');
  await once(child, 'close');
  lockBy(child.pid ?? 0, here);
  const { code } = await binary(['config', 'set', 'limit', '9'], { env: here.env });
  expect([code, storedIn(here.file), readdirSync(here.folder)]).toEqual([
    0,
    { defaults: { limit: '9' }, profiles: {} },
    ['config.json'],
  ]);
});

test('logins killed with -9 at any moment', async () => {
  const { env, folder, file } = place();
  store(folder, { defaults: { limit: '9' }, profiles: {} });
  for (const [round, name] of twenty.entries()) {
    const child = spawn(process.execPath, [kithJs, 'config', 'set', 'page-size', `${round + 1}`], { env });
    setTimeout(() => child.kill('SIGKILL'), 90 + round * 4);
    await once(child, 'close');
    expect(storedIn(file).defaults.limit, name).toBe('9');
  }
  expect((await binary(['config', 'set', 'timeout', '5'], { env })).code).toBe(0);
  expect(readdirSync(folder)).toEqual(['config.json']);
});

const cut =
  '{"profiles": {"work": {"base_url": "https://crm.example.com", "api_key": "sk_live_0123456789abcdef';
const damages: readonly (readonly [string, string | Buffer, string])[] = [
  ['cut off', cut, 'it is not JSON'],
  ['empty', '', 'it is empty'],
  ['an array', '[]', 'it is no object'],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'it is not UTF-8'],
  ['binary', Buffer.alloc(64), 'it is not JSON'],
  ['of a wrong shape', '{"profiles":{"work":5}}', 'profiles.work is not what it should be'],
];

/** Settings that are damaged. */
function damaged(text: string | Buffer) {
  const here = place();
  mkdirSync(here.folder, { recursive: true, mode: 0o700 });
  writeFileSync(here.file, text, { mode: 0o644 });
  return here;
}

test.each(damages)('a settings file that is %s: reading names it', async (_, text, what) => {
  const { env, file } = damaged(text);
  expect(await binary(['contacts', 'list', '-q'], { env })).toEqual({
    code: 1,
    out: '',
    err:
      `kith: Cannot read the settings in ${file}: ${what}.\n` +
      'hint: Mend the file, or sign in again with `kith auth login`, which sets it aside.\n',
  });
  expect(readFileSync(file).equals(Buffer.from(text))).toBe(true);
});

test.each(damages)('a settings file that is %s: login sets it aside', async (_, text) => {
  const { env, home, folder, file } = damaged(text);
  const line = ['auth', 'login', '--local', '--database', join(home, 'w.sqlite'), '--quiet'];
  const { code, err } = await binary(line, { env });
  const aside = readdirSync(folder).find((name) => name.includes('damaged')) ?? '';
  expect(aside).toMatch(/^config\.damaged-\d{8}T\d{6}Z\.json$/);
  const said = `kith: The settings in ${file} were damaged; they are kept in ${join(folder, aside)}.\n`;
  expect({ code, err }).toEqual({ code: 0, err: said });
  expect(readFileSync(join(folder, aside)).equals(Buffer.from(text))).toBe(true);
  expect([modeOf(join(folder, aside)), modeOf(file)]).toEqual(['600', '600']);
  expect(storedIn(file)).toEqual({
    active: 'local',
    profiles: { local: { database: join(home, 'w.sqlite') } },
  });
});

test.each([
  ['config set limit 9', 0],
  ['config unset limit', 0],
  ['auth switch work', 4],
  ['auth logout', 4],
])('a damaged settings file and kith %s, again and again: each is kept', async (line, code) => {
  const { env, folder, file } = damaged('{');
  for (const text of ['{', '{{', '{{{']) {
    writeFileSync(file, text);
    expect((await binary(words(line), { env })).code).toBe(code);
  }
  const kept = readdirSync(folder).filter((name) => name.includes('damaged'));
  expect(kept.map((name) => readFileSync(join(folder, name), 'utf8')).sort()).toEqual(['{', '{{', '{{{']);
});

test('a damaged settings file and 20 writers at once: one sets it aside, nothing is lost', async () => {
  const { env, home, folder, file } = damaged('{');
  const login = (name: string) =>
    binary(['auth', 'login', '--local', '--profile', name, '--database', join(home, `${name}.sqlite`)], {
      env,
    });
  const all = await Promise.all(twenty.map(login));
  expect(all.map(({ code }) => code)).toEqual(twenty.map(() => 0));
  expect(all.filter(({ err }) => err !== '')).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(1);
  expect(Object.keys(storedIn(file).profiles).sort()).toEqual([...twenty].sort());
});

test('a damaged settings file where the environment has all that is needed', async () => {
  const { url } = await loopback((_, response) => answer(response, 200, { data: [{ id: 'c1' }] }));
  const { env, file } = damaged('{');
  const all = { ...env, KITH_API_KEY: key, KITH_BASE_URL: url };
  const line = ['contacts', 'list', '--fields', 'id', '--no-header'];
  expect(await binary(line, { env: all })).toEqual({
    code: 0,
    out: 'c1\n',
    err: `kith: Cannot read the settings in ${file}: it is not JSON. The defaults in it are not used.\n`,
  });
  expect(await binary([...line, '--quiet'], { env: all })).toEqual({ code: 0, out: 'c1\n', err: '' });
  expect(readFileSync(file, 'utf8')).toBe('{');
});

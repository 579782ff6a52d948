import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createEnv, createSignedInHome, launcher, runKith } from '../support/binary.ts';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';

const key = 'sk_live_0123456789abcdef';
const twenty = Array.from({ length: 20 }, (_, at) => `p${at}`);
const eight = twenty.slice(0, 8);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Creates a home folder. `kith` runs in this process. */
function place() {
  const home = createTemporaryFolder();
  const folder = join(home, '.config/kith');
  return {
    home,
    env: createEnv(home),
    folder,
    file: join(folder, 'config.json'),
    kith: createMachine(folder),
  };
}

type Place = ReturnType<typeof place>;

/** Signs in to a new workspace, in another process. */
const login = (name: string, { env, home }: Place) =>
  runKith(['auth', 'login', '--local', '--profile', name, '--database', join(home, `${name}.sqlite`)], {
    env,
  });

const storedIn = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test('stores the profiles of 20 simultaneous logins', async () => {
  const here = place();
  const { folder, file } = here;
  const all = await Promise.all(twenty.map((name) => login(name, here)));
  expect(all.map(({ code, err }) => [code, err])).toEqual(twenty.map(() => [0, '']));
  expect(Object.keys(storedIn(file).profiles).sort()).toEqual([...twenty].sort());
  expect(readdirSync(folder)).toEqual(['config.json']);
  expect([modeOf(folder), modeOf(file)]).toEqual(['700', '600']);
});

test('keeps the cache of list names intact if 8 commands write to it at once', async () => {
  const { env, folder } = signedInHere();
  const all = await Promise.all(eight.map((name) => runKith(['lists', 'list', '--profile', name], { env })));
  expect(all.map(({ code, err }) => [code, err])).toEqual(eight.map(() => [0, '']));
  const seen: Record<string, unknown[]> = storedIn(join(folder, 'lists.json'));
  // A command that finds the cache locked does not write it.
  expect(Object.values(seen).map((lists) => lists.length)).toContain(4);
  expect(readdirSync(folder).sort()).toEqual(['config.json', 'lists.json']);
});

/** Creates eight profiles for one sample workspace. */
function signedInHere() {
  const { env, home, database } = createSignedInHome();
  const folder = join(home, '.config/kith');
  writeStoredSettings(folder, {
    active: 'p0',
    profiles: Object.fromEntries(eight.map((name) => [name, { database }])),
  });
  return { env, folder };
}

/** Writes the lock of a process. */
function lockBy(pid: number, { folder, file }: Place, host = hostname()) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.lock`, JSON.stringify({ pid, host, since: '2026-11-20T10:00:00.000Z' }));
}

test('exits with 75 after a time limit, and names the process, if another command keeps the settings locked', async () => {
  const here = place();
  writeStoredSettings(here.folder, { profiles: {} });
  lockBy(process.ppid, here, 'test');
  const started = performance.now();
  expect(await here.kith('config set limit 9', { lockTimeout: 300 })).toEqual({
    code: 75,
    out: '',
    err:
      `kith: Another run is changing the settings in ${here.file}: process ${process.ppid}, ` +
      'since 2026-11-20T10:00:00.000Z.\n',
  });
  expect(performance.now() - started).toBeGreaterThan(300);
  expect(storedIn(here.file)).toEqual({ profiles: {} });
});

test('removes the lock of a killed process', async () => {
  const here = place();
  const child = spawn('true');
  await once(child, 'close');
  lockBy(child.pid ?? 0, here);
  const { code } = await runKith(['config', 'set', 'limit', '9'], { env: here.env });
  expect([code, storedIn(here.file), readdirSync(here.folder)]).toEqual([
    0,
    { defaults: { limit: '9' }, profiles: {} },
    ['config.json'],
  ]);
});

test('leaves the old or the new settings, never a mixture, if a command is killed with SIGKILL at any moment', async () => {
  const { env, folder, file } = place();
  writeStoredSettings(folder, { defaults: { limit: '9' }, profiles: {} });
  const changing = () =>
    spawn(process.execPath, [launcher, 'config', 'set', 'page-size', '7'], { env, stdio: 'ignore' });
  const started = performance.now();
  await once(changing(), 'close');
  const whole = performance.now() - started;
  const rounds = process.env.KITH_LONG === '1' ? 60 : 6;
  for (let round = 0; round < rounds; round += 1) {
    const child = changing();
    setTimeout(() => child.kill('SIGKILL'), whole * (0.4 + (0.6 * round) / rounds));
    await once(child, 'close');
    expect(storedIn(file).defaults.limit, `round ${round}`).toBe('9');
  }
  expect((await runKith(['config', 'set', 'timeout', '5'], { env })).code).toBe(0);
  expect(readdirSync(folder)).toEqual(['config.json']);
});

const cut =
  '{"profiles": {"work": {"base_url": "https://crm.example.com", "api_key": "sk_live_0123456789abcdef';
const damages: readonly (readonly [string, string | Buffer, string])[] = [
  ['truncated', cut, 'it is not JSON'],
  ['empty', '', 'it is empty'],
  ['an array', '[]', 'it is not an object'],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'it is not UTF-8'],
  ['binary', Buffer.alloc(64), 'it is not JSON'],
  ['with a wrong structure', '{"profiles":{"work":5}}', 'profiles.work is invalid'],
];

/** Creates a home folder with damaged settings. */
function damaged(text: string | Buffer) {
  const here = place();
  mkdirSync(here.folder, { recursive: true, mode: 0o700 });
  writeFileSync(here.file, text, { mode: 0o644 });
  return here;
}

test.each(damages)(
  'names a damaged settings file and leaves it unchanged if a command reads it (exit code 1): %s',
  async (_, text, what) => {
    const { kith, file } = damaged(text);
    expect(await kith('contacts list -q')).toEqual({
      code: 1,
      out: '',
      err:
        `kith: Cannot read the settings in ${file}: ${what}.\n` +
        'hint: Fix the file, or run `kith auth login`, which renames the damaged file and starts a new one.\n',
    });
    expect(readFileSync(file).equals(Buffer.from(text))).toBe(true);
  },
);

test.each(damages)(
  'renames a damaged settings file at a login, prints its path, and creates a new one: %s',
  async (_, text) => {
    const { kith, home, folder, file } = damaged(text);
    const { code, err } = await kith(`auth login --local --database ${join(home, 'w.sqlite')} --quiet`);
    const renamed = readdirSync(folder).find((name) => name.includes('damaged')) ?? '';
    expect(renamed).toMatch(/^config\.damaged-\d{8}T\d{6}Z\.json$/);
    const said = `kith: The settings in ${file} are damaged; the file was renamed to ${join(folder, renamed)}.\n`;
    expect({ code, err }).toEqual({ code: 0, err: said });
    expect(readFileSync(join(folder, renamed)).equals(Buffer.from(text))).toBe(true);
    expect([modeOf(join(folder, renamed)), modeOf(file)]).toEqual(['600', '600']);
    expect(storedIn(file)).toEqual({
      active: 'local',
      profiles: { local: { database: join(home, 'w.sqlite') } },
    });
  },
);

test.each([
  ['config set limit 9', 0],
  ['config unset limit', 0],
  ['auth switch work', 4],
  ['auth logout', 4],
])('keeps every damaged settings file if several are renamed: kith %s', async (line, code) => {
  const { kith, folder, file } = damaged('{');
  for (const text of ['{', '{{', '{{{']) {
    writeFileSync(file, text);
    expect((await kith(line)).code).toBe(code);
  }
  const kept = readdirSync(folder).filter((name) => name.includes('damaged'));
  expect(kept.map((name) => readFileSync(join(folder, name), 'utf8')).sort()).toEqual(['{', '{{', '{{{']);
});

test('renames a damaged settings file once and loses nothing if 8 logins run at once', async () => {
  const here = damaged('{');
  const { folder, file } = here;
  const all = await Promise.all(eight.map((name) => login(name, here)));
  expect(all.map(({ code }) => code)).toEqual(eight.map(() => 0));
  expect(all.filter(({ err }) => err !== '')).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(1);
  expect(Object.keys(storedIn(file).profiles).sort()).toEqual([...eight].sort());
});

test('ignores a damaged settings file, with a note, if the environment has the key and the base URL', async () => {
  const { url } = await startTestService((_, response) => sendJson(response, 200, { data: [{ id: 'c1' }] }));
  const { kith, file } = damaged('{');
  const env = { KITH_API_KEY: key, KITH_BASE_URL: url };
  const line = 'contacts list --fields id --no-header';
  expect(await kith(line, { env })).toEqual({
    code: 0,
    out: 'c1\n',
    err: `kith: Cannot read the settings in ${file}: it is not JSON. The stored flag defaults are ignored.\n`,
  });
  expect(await kith(`${line} --quiet`, { env })).toEqual({ code: 0, out: 'c1\n', err: '' });
  expect(readFileSync(file, 'utf8')).toBe('{');
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createEnv, createSignedInHome, launcher, runKith } from '../support/binary.ts';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';
import { countRounds, createRandom } from '../support/rounds.ts';

const key = 'sk_live_0123456789abcdef';
const five = Array.from({ length: 5 }, (_, at) => `p${at}`);
const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Creates a home folder. `kith` runs in this process. */
function createSettingsHome() {
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

type SettingsHome = ReturnType<typeof createSettingsHome>;

/** Signs in to a new workspace, in another process. */
const logIn = (name: string, { env, home }: SettingsHome) =>
  runKith(['auth', 'login', '--local', '--profile', name, '--database', join(home, `${name}.sqlite`)], {
    env,
  });

const readStored = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test('stores the profiles of five simultaneous logins', async () => {
  const home = createSettingsHome();
  const { folder, file } = home;
  const all = await Promise.all(five.map((name) => logIn(name, home)));
  expect(all.map(({ code, err }) => [code, err])).toEqual(five.map(() => [0, '']));
  expect(Object.keys(readStored(file).profiles).sort()).toEqual([...five].sort());
  expect(readdirSync(folder)).toEqual(['config.json']);
  expect([readMode(folder), readMode(file)]).toEqual(['700', '600']);
});

test('keeps the name cache intact if five commands write to it at once', async () => {
  const { env: shared, home } = createSignedInHome();
  const env = { ...shared, XDG_CACHE_HOME: join(home, '.cache') };
  const all = await Promise.all(five.map(() => runKith(['lists', 'list'], { env })));
  expect(all.map(({ code, err }) => [code, err])).toEqual(five.map(() => [0, '']));
  const { out } = await runKith(['complete', 'lists', '--word=News'], { env });
  expect(out).toBe('Newsletter\n');
  const [file, ...others] = readdirSync(join(home, '.cache/kith')).filter((name) =>
    name.startsWith('names-'),
  );
  expect(others).toEqual([]);
  expect(readMode(join(home, '.cache/kith', file ?? ''))).toBe('600');
});

/** Writes the lock of a process. */
function writeLockFile(pid: number, { folder, file }: SettingsHome, host = hostname()) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.lock`, JSON.stringify({ pid, host, since: '2026-11-20T10:00:00.000Z' }));
}

test('exits with 75 after a time limit, and names the process, if another command keeps the settings locked', async () => {
  const home = createSettingsHome();
  writeStoredSettings(home.folder, { profiles: {} });
  writeLockFile(process.ppid, home, 'test');
  const startTime = performance.now();
  expect(await home.kith('config set limit 9', { lockTimeout: 300 })).toEqual({
    code: 75,
    out: '',
    err:
      `kith: Another run is changing the settings file ${home.file}: process ${process.ppid}, ` +
      'since 2026-11-20T10:00:00.000Z.\n',
  });
  expect(performance.now() - startTime).toBeGreaterThan(300);
  expect(readStored(home.file)).toEqual({ profiles: {} });
});

test('removes the lock of a killed process', async () => {
  const home = createSettingsHome();
  const child = spawn('true');
  await once(child, 'close');
  writeLockFile(child.pid ?? 0, home);
  const { code } = await runKith(['config', 'set', 'limit', '9'], { env: home.env });
  expect([code, readStored(home.file), readdirSync(home.folder)]).toEqual([
    0,
    { defaults: { limit: '9' }, profiles: {} },
    ['config.json'],
  ]);
});

test('leaves the old or the new settings, never a mixture, if a command is killed with SIGKILL at any moment', async () => {
  const { env, folder, file } = createSettingsHome();
  writeStoredSettings(folder, { defaults: { limit: '9' }, profiles: {} });
  const changeSettings = () =>
    spawn(process.execPath, [launcher, 'config', 'set', 'page-size', '7'], { env, stdio: 'ignore' });
  const startTime = performance.now();
  await once(changeSettings(), 'close');
  const duration = performance.now() - startTime;
  const random = createRandom(0);
  for (const round of countRounds(1, 60)) {
    const child = changeSettings();
    setTimeout(() => child.kill('SIGKILL'), duration * (0.4 + 0.6 * random()));
    await once(child, 'close');
    expect(readStored(file).defaults.limit, `round ${round}`).toBe('9');
  }
  expect((await runKith(['config', 'set', 'timeout', '5'], { env })).code).toBe(0);
  expect(readdirSync(folder)).toEqual(['config.json']);
});

const createTruncated =
  '{"profiles": {"work": {"base_url": "https://crm.example.com", "api_key": "sk_live_0123456789abcdef';
const damages: readonly (readonly [string, string | Buffer, string])[] = [
  ['truncated', createTruncated, 'it is not JSON'],
  ['empty', '', 'it is empty'],
  ['an array', '[]', 'it is not an object'],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'it is not UTF-8'],
  ['binary', Buffer.alloc(64), 'it is not JSON'],
  ['with a wrong structure', '{"profiles":{"work":5}}', 'profiles.work is invalid'],
];

/** Creates a home folder with damaged settings. */
function createDamagedSettings(text: string | Buffer) {
  const home = createSettingsHome();
  mkdirSync(home.folder, { recursive: true, mode: 0o700 });
  writeFileSync(home.file, text, { mode: 0o644 });
  return home;
}

test.each(damages)(
  'names a damaged settings file and leaves it unchanged if a command reads it (exit code 1): %s',
  async (_, text, problem) => {
    const { kith, file } = createDamagedSettings(text);
    expect(await kith('contacts list -q')).toEqual({
      code: 1,
      out: '',
      err:
        `kith: The settings file ${file} is damaged: ${problem}.\n` +
        'hint: Fix the file, or run `kith auth login`, which renames the damaged file and starts a new one.\n',
    });
    expect(readFileSync(file).equals(Buffer.from(text))).toBe(true);
  },
);

test.each(damages)(
  'renames a damaged settings file at a login, prints its path, and creates a new one: %s',
  async (_, text) => {
    const { kith, home, folder, file } = createDamagedSettings(text);
    const { code, err } = await kith(`auth login --local --database ${join(home, 'w.sqlite')} --quiet`);
    const renamedFile = readdirSync(folder).find((name) => name.includes('damaged')) ?? '';
    expect(renamedFile).toMatch(/^config\.damaged-\d{8}T\d{6}Z\.json$/);
    const message = `kith: The settings in ${file} are damaged; the file was renamed to ${join(folder, renamedFile)}.\n`;
    expect({ code, err }).toEqual({ code: 0, err: message });
    expect(readFileSync(join(folder, renamedFile)).equals(Buffer.from(text))).toBe(true);
    expect([readMode(join(folder, renamedFile)), readMode(file)]).toEqual(['600', '600']);
    expect(readStored(file)).toEqual({
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
  const { kith, folder, file } = createDamagedSettings('{');
  for (const text of ['{', '{{', '{{{']) {
    writeFileSync(file, text);
    expect((await kith(line)).code).toBe(code);
  }
  const damagedFiles = readdirSync(folder).filter((name) => name.includes('damaged'));
  expect(damagedFiles.map((name) => readFileSync(join(folder, name), 'utf8')).sort()).toEqual([
    '{',
    '{{',
    '{{{',
  ]);
});

test('renames a damaged settings file once and loses nothing if five logins run at once', async () => {
  const home = createDamagedSettings('{');
  const { folder, file } = home;
  const all = await Promise.all(five.map((name) => logIn(name, home)));
  expect(all.map(({ code }) => code)).toEqual(five.map(() => 0));
  expect(all.filter(({ err }) => err !== '')).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(1);
  expect(Object.keys(readStored(file).profiles).sort()).toEqual([...five].sort());
});

test('ignores a damaged settings file, with a note, if the environment has the key and the base URL', async () => {
  const { url } = await startTestService((_, response) => sendJson(response, 200, { data: [{ id: 'c1' }] }));
  const { kith, file } = createDamagedSettings('{');
  const env = { KITH_API_KEY: key, KITH_BASE_URL: url };
  const line = 'contacts list --fields id --no-header';
  expect(await kith(line, { env })).toEqual({
    code: 0,
    out: 'c1\n',
    err: `kith: The settings file ${file} is damaged: it is not JSON. The stored flag defaults are ignored.\n`,
  });
  expect(await kith(`${line} --quiet`, { env })).toEqual({ code: 0, out: 'c1\n', err: '' });
  expect(readFileSync(file, 'utf8')).toBe('{');
});

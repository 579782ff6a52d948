import { chmodSync, chownSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/render/findings.ts';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createEnv, runKith, runProgram } from '../support/binary.ts';
import {
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  writeStoredSettings,
} from '../support/kith.ts';

const key = 'sk_live_0123456789abcdef';
const contacts = { data: [], pagination: { has_next_page: false } };

const isUnchecked = (found: string) => found.startsWith('not checked: ');

/** Returns the finding of a check that depends on a failed one. */
const formatUnchecked = (check: string, cause: string) =>
  `${check}: warning, not checked: see ${cause}; Fix the ${cause} first.`;

/** Parses the output: the state of each check, and the complete findings that are not ok. */
function read(out: string) {
  const findings: Finding[] = JSON.parse(out);
  return {
    states: findings.map(({ check, state }) => `${check}: ${state}`),
    failed: findings.filter(({ state, found }) => state !== 'ok' && !isUnchecked(found)),
    unchecked: findings
      .filter(({ found }) => isUnchecked(found))
      .map(({ check, state, found, advice }) => `${check}: ${state}, ${found}; ${advice}`),
    found: Object.fromEntries(findings.map(({ check, found }) => [check, found])),
  };
}

const readErrorMessage = (err: string): string => JSON.parse(err).error.message;

/** Returns a machine that is signed in to a service. */
async function startHostedService(status = 200, headers: Record<string, string> = {}) {
  const { url, requests } = await startTestService((_, response) =>
    sendJson(response, status, contacts, headers),
  );
  const folder = createTemporaryFolder();
  writeStoredSettings(folder, { active: 'work', profiles: { work: { base_url: url, api_key: key } } });
  return { kith: createMachine(folder), folder, url, requests };
}

test('every check passes with a hosted service', async () => {
  const { kith, folder, url, requests } = await startHostedService();
  chmodSync(folder, 0o700);
  const { code, out, err } = await kith('doctor --json', {
    env: { LANG: 'C.UTF-8', HTTPS_PROXY: 'http://a:b@c' },
  });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { states, found } = read(out);
  expect(states).toEqual(
    [
      'Node',
      'command',
      'config folder',
      'config file',
      'file modes',
      'compile cache',
      'profile',
      'base URL',
      'key',
      'offline copy',
      'service',
      'clock',
      'proxy',
      'time zone',
      'locale',
      'terminal',
    ].map((check) => `${check}: ok`),
  );
  expect(found).toMatchObject({
    Node: process.versions.node,
    'config folder': folder,
    'config file': `${join(folder, 'config.json')} (0600), profiles: work`,
    profile: 'work',
    'base URL': `${url}, from profile work`,
    key: 'from profile work',
    command: 'not on the PATH',
    proxy: 'set by HTTPS_PROXY',
    locale: 'C.UTF-8',
    terminal: 'none: lists are printed as TSV',
  });
  expect(out).not.toContain(key);
  expect(requests).toHaveLength(1);
});

test('every check passes with a local workspace in a terminal', async () => {
  const folder = createTemporaryFolder();
  const database = createSampleWorkspace(folder);
  writeStoredSettings(folder, { active: 'demo', profiles: { demo: { database } } });
  const { code, out, err } = await createMachine(folder)('doctor', {
    terminal: 400,
    env: { TERM: 'xterm', NO_COLOR: '1' },
  });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(new RegExp(`^ok +profile +demo, file ${database} *$`, 'm'));
  expect(out).toMatch(/^ok +SQLite +3\.[\d.]+ *$/m);
  expect(out).toMatch(/^ok +terminal +xterm, 400 columns *$/m);
});

test.each([
  [401, 'The service responded with 401.', 'See kith auth status, then kith auth login.'],
  [500, 'The service responded with 500.', 'Run again with --debug for details.'],
])('reports a service that responds with %i', async (status, found, advice) => {
  const { kith } = await startHostedService(status);
  const { code, out, err } = await kith('doctor --json --retries 0');
  expect([code, readErrorMessage(err)]).toEqual([1, '1 check failed: service.']);
  expect(read(out).failed).toEqual([{ check: 'service', state: 'error', found, advice }]);
});

test.each([
  ['2026-11-21T10:00:00Z', '120 s ahead of the service'],
  ['2026-11-21T09:55:00Z', '180 s behind the service'],
])('warns if the clock is %s and that of the service 09:58', async (now, found) => {
  const { kith } = await startHostedService(200, { date: 'Sat, 21 Nov 2026 09:58:00 GMT' });
  const { code, out } = await kith('doctor --json', { now: new Date(now) });
  const advice = 'Correct the clock of this machine or of the service.';
  expect([code, read(out).failed]).toEqual([1, [{ check: 'clock', state: 'warning', found, advice }]]);
});

test('names the checkout that the command on the PATH is a link into', async () => {
  const folder = createTemporaryFolder();
  const checkout = join(folder, 'checkout');
  for (const part of ['bin', 'checkout/bin']) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(checkout, 'bin/kith.js'), '');
  const command = join(folder, 'bin/kith');
  symlinkSync(join(checkout, 'bin/kith.js'), command);
  const PATH = `/nonexistent${delimiter}${join(folder, 'bin')}`;
  const readFound = async () =>
    read((await createMachine()('doctor --json', { env: { PATH } })).out).found.command;
  expect(await readFound()).toBe(command);
  mkdirSync(join(checkout, '.git'));
  expect(await readFound()).toBe(`${command}, a link into ${checkout}; it changes with this checkout`);
});

test('warns about a settings file that other users can read', async () => {
  const { kith, folder } = await startHostedService();
  const file = join(folder, 'config.json');
  chmodSync(file, 0o644);
  const { code, out } = await kith('doctor --json --quiet');
  const found = `${file} contains a key and is readable by other users`;
  expect([code, read(out).failed]).toEqual([
    1,
    [{ check: 'file modes', state: 'warning', found, advice: `Run: chmod 600 ${file}` }],
  ]);
});

test('reports a missing sign-in', async () => {
  const { code, out, err } = await createMachine()('doctor --json');
  expect([code, readErrorMessage(err)]).toEqual([1, '1 check failed: profile.']);
  const found = 'You are not signed in to a workspace.';
  const advice = expect.stringContaining('kith auth login --local --demo');
  expect(read(out).failed).toEqual([{ check: 'profile', state: 'error', found, advice }]);
});

test('reports every broken check in one run', async () => {
  const home = createTemporaryFolder();
  mkdirSync(join(home, '.config/kith'), { recursive: true });
  writeFileSync(join(home, '.config/kith/config.json'), '{"profiles": {');
  writeFileSync(join(home, 'empty'), '', { mode: 0o600 });
  const brokenMachine = {
    KITH_BASE_URL: 'https://service.invalid',
    KITH_API_KEY_FILE: join(home, 'empty'),
    HTTPS_PROXY: 'socks5://nobody',
    TZ: 'Nowhere/Else',
    LC_ALL: 'C',
    TERM: '',
  };
  const { code, out, err } = await runKith(['doctor', '--json'], {
    env: { ...createEnv(home), ...brokenMachine },
  });
  expect([code, readErrorMessage(err)]).toEqual([
    1,
    '4 checks failed: config file, profile, proxy, time zone.',
  ]);
  expect(read(out).failed.map(({ check, state }) => `${check}: ${state}`)).toEqual([
    'config file: error',
    'profile: error',
    'proxy: error',
    'time zone: warning',
  ]);
  for (const { advice } of read(out).failed) expect(advice).not.toBe('');

  writeFileSync(join(home, 'empty'), key, { mode: 0o600 });
  const env = { ...createEnv(home), ...brokenMachine, KITH_CONFIG_DIR: '/dev/null/kith' };
  const secondResult = await runKith(['doctor', '--json', '--retries', '0'], { env });
  expect(read(secondResult.out).failed.map(({ check }) => check)).toEqual([
    'config folder',
    'proxy',
    'time zone',
  ]);
  expect(read(secondResult.out).unchecked).toEqual([formatUnchecked('service', 'proxy')]);
  expect(secondResult.out + secondResult.err).not.toContain(key);
});

test('passes the clock check if the service does not report its time', async () => {
  const { url } = await startTestService((_, response) => {
    response.sendDate = false;
    sendJson(response, 200, contacts);
  });
  const line = 'doctor --json';
  const env = { KITH_BASE_URL: url, KITH_API_KEY: key };
  const { out } = await createMachine()(line, { env, now: new Date('2026-11-21T10:00:00Z') });
  expect(read(out).found.clock).toBe('2026-11-21T10:00:00.000Z; the service does not report its time');
});

test('reports an invalid proxy even for a local workspace', async () => {
  const folder = createTemporaryFolder();
  writeStoredSettings(folder, {
    active: 'demo',
    profiles: { demo: { database: createSampleWorkspace(folder) } },
  });
  const { code, out } = await createMachine(folder)('doctor --json', { env: { HTTPS_PROXY: 'a secret%' } });
  const found = 'HTTPS_PROXY is not a valid proxy URL.';
  const advice = 'Example: export HTTPS_PROXY=http://proxy.example.com:3128';
  expect([code, read(out).failed]).toEqual([1, [{ check: 'proxy', state: 'error', found, advice }]]);
});

/** Returns a home folder of a user without root permissions, because root ignores file modes. */
function createRestrictedFolder() {
  const home = createTemporaryFolder();
  const folder = join(home, '.config/kith');
  const file = join(folder, 'config.json');
  writeStoredSettings(folder, { profiles: {} });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [home, join(home, '.config'), folder, file]) chownSync(path, 65_534, 65_534);
  const runDoctor = () =>
    runKith(['doctor', '--json'], { env: createEnv(home), uid: isRoot ? 65_534 : undefined });
  return { folder, file, runDoctor };
}

test('reports settings without read permission', async () => {
  const { folder, file, runDoctor } = createRestrictedFolder();
  chmodSync(file, 0);
  const found = `Cannot use the settings in ${file}: permission denied.`;
  const advice = `Check the permissions: ls -la ${folder}`;
  const { failed, unchecked: others } = read((await runDoctor()).out);
  expect(failed).toEqual([{ check: 'config file', state: 'error', found, advice }]);
  expect(others).toEqual([formatUnchecked('profile', 'config file')]);
});

test('reports a settings folder without access', async () => {
  const { folder, runDoctor } = createRestrictedFolder();
  chmodSync(folder, 0);
  const { failed, unchecked: others } = read((await runDoctor()).out);
  chmodSync(folder, 0o700);
  expect(failed.map(({ check, advice }) => [check, advice])).toEqual([
    ['config folder', `Run: chmod u+rwx ${folder}`],
  ]);
  expect(others).toEqual(['config file', 'profile'].map((check) => formatUnchecked(check, 'config folder')));
});

test('reports a folder in place of the settings file', async () => {
  const folder = createTemporaryFolder();
  const file = join(folder, 'config.json');
  mkdirSync(file);
  const { out, err } = await createMachine(folder)('doctor --json');
  const found = `Cannot read ${file}: it is a folder, not a file.`;
  const advice = `Move ${file} away: kith needs a file at this path.`;
  expect(read(out).failed).toEqual([{ check: 'config file', state: 'error', found, advice }]);
  expect(readErrorMessage(err)).toBe('2 checks failed: config file, profile.');
});

test('reports a file in place of the settings folder', async () => {
  const file = join(createTemporaryFolder(), 'kith');
  writeFileSync(file, '');
  const [failed] = read((await createMachine(file)('doctor --json')).out).failed;
  const advice = 'Set KITH_CONFIG_DIR to a writable folder.';
  expect(failed).toMatchObject({ check: 'config folder', state: 'warning', advice });
});

test.runIf(process.versions.node.startsWith('20.'))(
  'reports missing SQLite on Node 20 without the optional package',
  async () => {
    const home = createTemporaryFolder();
    for (const part of ['bin', 'dist', 'package.json']) cpSync(part, join(home, part), { recursive: true });
    const kith = (...words: string[]) =>
      runProgram(process.execPath, [join(home, 'bin/kith.js'), ...words], { env: createEnv(home) });
    const found = 'This Node.js has no SQLite, and the package @photostructure/sqlite is not installed.';
    const advice = 'Reinstall kith with its optional packages, or use Node.js 22.13 or newer.';
    const { failed } = read((await kith('doctor', '--json')).out);
    expect(failed.filter(({ check }) => check === 'SQLite')).toEqual([
      { check: 'SQLite', state: 'error', found, advice },
    ]);
    const { code, err } = await kith('auth', 'login', '--local', '--demo');
    expect([code, err]).toEqual([1, `kith: ${found}\nhint: ${advice}\n`]);
  },
);

test.each([40, 80])('wraps every finding and its advice in a terminal of %i columns', async (terminal) => {
  const kith = createMachine();
  const env = { NO_COLOR: '1', TZ: 'Foo' };
  const { out } = await kith('doctor --profile nobody', { terminal, env });
  // A path is not wrapped.
  const lines = out.split('\n').map((line) => line.replace(/ *\/\S+$/, ''));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(terminal);
  const findings: Finding[] = JSON.parse((await kith('doctor --profile nobody --json', { env })).out);
  const words = out.replaceAll(/\s+/g, ' ');
  for (const { check, found, advice } of findings) {
    if (/^config f/.test(check) || check === 'terminal') continue; // the folder has a long name
    expect(words).toContain(`${check} ${found}${advice === '' ? '' : ` hint: ${advice}`} `);
  }
});

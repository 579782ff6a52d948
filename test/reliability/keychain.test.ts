import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createEnv, launcher, runKith, runProgram } from '../support/binary.ts';
import { createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';

const key = 'sk_live_0123456789abcdef';

/** Creates a machine and a service that accepts one key. */
async function createKeychainHome() {
  const home = createTemporaryFolder();
  const { url, requests } = await startTestService(({ headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${key}`;
    sendJson(response, isKnown ? 200 : 401, isKnown ? { data: [] } : { error: 'unknown key' });
  });
  const folder = join(home, '.config/kith');
  writeFileSync(join(home, 'key.txt'), key, { mode: 0o600 });
  return { home, url, requests, env: createEnv(home), file: join(folder, 'config.json'), folder };
}

const formatLogin = (url: string) =>
  `kith auth login --keychain --base-url ${url} --profile work --key-stdin`;
const createStoredProfile = (url: string) => ({ base_url: url, keychain: 'work (somewhere)' });

describe('without a keychain', () => {
  test('stores and sends nothing if login --keychain finds no keychain (exit code 1)', async () => {
    const { env, url, requests, folder } = await createKeychainHome();
    const words = formatLogin(url).split(' ').slice(1);
    expect(await runKith(words, { env, stdin: key })).toEqual({
      code: 1,
      out: '',
      err:
        'kith: Cannot use the keychain: this session has no Secret Service on D-Bus.\n' +
        'hint: Sign in without --keychain to store the key in a file that only you can read.\n',
    });
    expect([requests, existsSync(folder)]).toEqual([[], false]);
  });

  test('exits with 4 and says what to do if the keychain of a profile does not exist', async () => {
    const { env, url, requests, folder, file } = await createKeychainHome();
    writeStoredSettings(folder, { active: 'work', profiles: { work: createStoredProfile(url) } });
    const expectedError =
      'kith: Cannot use the keychain: this session has no Secret Service on D-Bus.\n' +
      'hint: Unlock the keychain, or set KITH_API_KEY or KITH_API_KEY_FILE.\n';
    expect(await runKith(['contacts', 'list'], { env })).toEqual({ code: 4, out: '', err: expectedError });
    const before = readFileSync(file, 'utf8');
    expect(await runKith(['auth', 'logout'], { env })).toMatchObject({ code: 1, out: '' });
    expect([requests, readFileSync(file, 'utf8')]).toEqual([[], before]);
    expect((await runKith(['auth', 'list', '--no-header'], { env })).out).toContain('\tkeychain\n');
  });

  test('uses a key in the environment or in a file if the keychain does not exist', async () => {
    const { env, home, url, folder } = await createKeychainHome();
    writeStoredSettings(folder, { active: 'work', profiles: { work: createStoredProfile(url) } });
    const keyVariables = [{ KITH_API_KEY: key }, { KITH_API_KEY_FILE: join(home, 'key.txt') }];
    for (const more of keyVariables) {
      const { code, err } = await runKith(['contacts', 'list'], { env: { ...env, ...more } });
      expect({ code, err }).toEqual({ code: 0, err: '' });
    }
  });

  test('reports the missing package if login --keychain runs without it (exit code 1)', async () => {
    const { env, url, home, folder } = await createKeychainHome();
    for (const part of ['bin', 'dist', 'package.json']) {
      cpSync(resolve(part), join(home, 'kith', part), { recursive: true });
    }
    const words = [join(home, 'kith/bin/kith.js'), ...formatLogin(url).split(' ').slice(1)];
    const { code, err } = await runProgram(process.execPath, words, { env, stdin: key });
    expect({ code, err }).toEqual({
      code: 1,
      err:
        'kith: Cannot use the keychain: the package @napi-rs/keyring is not installed, or not for this machine.\n' +
        'hint: Sign in without --keychain to store the key in a file that only you can read.\n',
    });
    expect(existsSync(folder)).toBe(false);
  });
});

const programs = ['dbus-run-session', 'gnome-keyring-daemon'];
const isInstalled = programs.every(
  (program) => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0,
);

/** Runs a shell script in a new D-Bus session with a keychain. */
async function runSession(script: string, { env, home }: { env: NodeJS.ProcessEnv; home: string }) {
  mkdirSync(join(home, '.cache'), { recursive: true });
  const lines = [
    `kith() { "${process.execPath}" "${launcher}" "$@"; }`,
    'unlock() { printf pw | gnome-keyring-daemon "$@" --unlock --components=secrets >/dev/null 2>&1; }',
    'unlock',
    script,
  ];
  const all = ['--', 'bash', '-c', lines.join('\n')];
  const { code, out, err } = await runProgram('timeout', ['50', 'dbus-run-session', ...all], { env });
  // Daemons that D-Bus starts print to the same output.
  const ownLines = err.split('\n').filter((text) => /^(kith|hint):/.test(text));
  return { code, out: out.replace(/^GNOME_KEYRING_CONTROL=.*\n/gm, ''), err: ownLines };
}

describe('with a keychain', () => {
  beforeEach(({ skip }) => {
    if (!isInstalled) skip(`there is no keychain: install ${programs.join(' and ')}`);
  });

  test('stores the key in the keychain at a login, uses it, and removes it at a logout', async () => {
    const { env, home, url, file } = await createKeychainHome();
    const script = [
      `${formatLogin(url)} < key.txt`,
      `cat ${file}; echo`,
      'kith contacts list --json',
      'kith auth list --no-header',
      'kith auth status --json --jq ".key, .key_from, .works"',
      'kith auth logout',
      `cat ${file}`,
    ];
    const { code, out, err } = await runSession(`cd; ${script.join(' && ')}`, { env, home });
    expect(err).toEqual([]);
    const account = `work (${file})`;
    expect(out).toContain(`"keychain": ${JSON.stringify(account)}`);
    expect(out).toContain(
      `[]\nwork\ttrue\t${url}\tkeychain\nkeychain\nprofile work\ntrue\nRemoved profile work.\n`,
    );
    expect([code, out.includes(key)]).toEqual([0, false]);
    const after = await runSession(`cd; ${formatRead(account)}`, { env, home });
    expect(after.out).toBe('null\n');
  });

  test('exits with 4 and says how to sign in again if the keychain has lost the key', async () => {
    const { env, home, url, requests, file } = await createKeychainHome();
    const emptyScript = `${formatLogin(url)} < key.txt && ${formatDelete(`work (${file})`)}; kith contacts list`;
    const { code, err } = await runSession(`cd; ${emptyScript}`, { env, home });
    expect({ code, err, sent: requests.length }).toEqual({
      code: 4,
      err: [
        'kith: The keychain has no key for the profile work: it is gone.',
        'hint: Sign in again: kith auth login --keychain --profile work',
      ],
      sent: 1,
    });
    expect((await runSession('kith auth logout', { env, home })).code).toBe(0);
  });

  test('exits with 4 and says what to do if the keychain is locked', async () => {
    const { env, home, url } = await createKeychainHome();
    await runSession(`cd; ${formatLogin(url)} < key.txt`, { env, home });
    expect((await runSession('kith contacts list', { env, home })).code).toBe(0);
    const lock =
      'gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets ' +
      '--method org.freedesktop.Secret.Service.Lock "[\'/org/freedesktop/secrets/collection/login\']" >/dev/null';
    const { code, err } = await runSession(`${lock}; kith contacts list`, { env, home });
    expect({ code, err }).toEqual({
      code: 4,
      err: [
        'kith: Cannot use the keychain: it is locked.',
        'hint: Unlock the keychain, or set KITH_API_KEY or KITH_API_KEY_FILE.',
      ],
    });
  });

  test('leaves the keychain unchanged if a login cannot write the settings', async () => {
    const { env, home, url, file } = await createKeychainHome();
    writeFileSync(join(home, '.config'), '');
    const { code, out } = await runSession(
      `cd; ${formatLogin(url)} < key.txt; echo $?; ${formatRead(`work (${file})`)}`,
      {
        env,
        home,
      },
    );
    expect({ code, out }).toEqual({ code: 0, out: '1\nnull\n' });
  });

  test('removes the key from the keychain at a login without --keychain', async () => {
    const { env, home, url, file } = await createKeychainHome();
    const repeatScript = `${formatLogin(url)} < key.txt && ${formatLogin(url).replace(' --keychain', '')} < key.txt`;
    const { out } = await runSession(`cd; (${repeatScript}) >/dev/null; ${formatRead(`work (${file})`)}`, {
      env,
      home,
    });
    expect(out).toBe('null\n');
    expect(JSON.parse(readFileSync(file, 'utf8')).profiles.work).toEqual({ base_url: url, api_key: key });
  });
});

/** Returns a line that prints or removes the keychain's key of an account. */
const formatRead = (account: string) =>
  formatEntryScript(account, 'console.log(String(entry.getPassword()))');
const formatDelete = (account: string) => formatEntryScript(account, 'entry.deletePassword()');

function formatEntryScript(account: string, statement: string): string {
  const newEntry = `new Entry('kith', '${account}', { linux: { store: 'secret-service' } })`;
  return `node -e "const { Entry } = require('${resolve('node_modules/@napi-rs/keyring')}'); const entry = ${newEntry}; ${statement}"`;
}

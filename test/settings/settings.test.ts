import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  resolveCacheFolder,
  resolveDatabaseFile,
  resolveDataFolder,
  resolveSettingsFolder,
} from '../../src/settings/paths.ts';
import { openSettings, type Profile, type StoredSettings } from '../../src/settings/settings.ts';
import { createSettingsWriter, createTemporaryFolder } from '../support/kith.ts';

const workProfile: Profile = { base_url: 'https://crm.example.com', api_key: 'k-1' };
const demo: Profile = { database: '/tmp/demo.sqlite' };
const openTestSettings = (folder: string) =>
  openSettings({ KITH_CONFIG_DIR: folder }, createSettingsWriter());
const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Writes a text into a settings file and opens it. */
function writeSettings(text: string | Buffer) {
  const folder = createTemporaryFolder();
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return { folder, path, settings: openTestSettings(folder) };
}

test('reads stored settings again, also in another run', async () => {
  const folder = createTemporaryFolder();
  await openTestSettings(folder).change((stored) => {
    stored.active = 'work.eu';
    stored.profiles['work.eu'] = workProfile;
  });
  await openTestSettings(folder).change((stored) => {
    stored.profiles.demo = demo;
  });
  expect(openTestSettings(folder).read()).toEqual({
    active: 'work.eu',
    profiles: { 'work.eu': workProfile, demo },
  });
  expect(readdirSync(folder)).toEqual(['config.json']);
});

test('reading creates no file and no folder', () => {
  const folder = join(createTemporaryFolder(), 'not', 'there');
  expect(openTestSettings(folder).read()).toEqual({ profiles: {} });
  expect(existsSync(folder)).toBe(false);
});

test('creates a missing folder and its parents', async () => {
  const folder = join(createTemporaryFolder(), 'not', 'there');
  await openTestSettings(folder).change((stored) => {
    stored.active = 'demo';
  });
  expect(openTestSettings(folder).read()).toEqual({ active: 'demo', profiles: {} });
  expect(readMode(dirname(folder))).toBe('700');
});

test('removes the access of other users with the next change', async () => {
  const home = createTemporaryFolder();
  const folder = join(home, 'kith');
  const path = join(folder, 'config.json');
  const settings = openSettings({ XDG_CONFIG_HOME: home }, createSettingsWriter());
  const storeProfile = () =>
    settings.change((stored) => {
      stored.profiles.work = workProfile;
    });
  await storeProfile();
  chmodSync(path, 0o644);
  chmodSync(folder, 0o755);
  await storeProfile();
  expect([readMode(folder), readMode(path)]).toEqual(['700', '600']);
});

test('keeps the permissions of an existing folder in KITH_CONFIG_DIR', async () => {
  const { folder, path, settings } = writeSettings('{"profiles":{}}');
  chmodSync(folder, 0o755);
  await settings.change((stored) => {
    stored.profiles.work = workProfile;
  });
  expect([readMode(folder), readMode(path)]).toEqual(['755', '600']);
});

test.each([
  ['a file in another folder', '{"profiles":{}}'],
  ['a file that does not exist yet', undefined],
])('keeps a link to %s', async (_, text) => {
  const linkTarget = join(createTemporaryFolder(), 'kept.json');
  if (text !== undefined) writeFileSync(linkTarget, text);
  const folder = createTemporaryFolder();
  symlinkSync(linkTarget, join(folder, 'config.json'));
  await openTestSettings(folder).change((stored) => {
    stored.profiles.work = workProfile;
  });
  expect(readlinkSync(join(folder, 'config.json'))).toBe(linkTarget);
  expect(JSON.parse(readFileSync(linkTarget, 'utf8'))).toEqual({ profiles: { work: workProfile } });
});

test('removes the files of killed runs with the next change', async () => {
  const { folder, settings } = writeSettings('{"profiles":{}}');
  for (const name of ['.config.kith-tmp', '.config.kith-tmp.tmp-1234567890abcdef']) {
    writeFileSync(join(folder, name), '{"profi');
  }
  await settings.change(() => {});
  expect(readdirSync(folder)).toEqual(['config.json']);
});

test('keeps settings of a later version', async () => {
  const { settings, path } = writeSettings(
    '{"theme":{"dark":true},"profiles":{"demo":{"database":"x","note":1}}}',
  );
  await settings.change((stored) => {
    stored.active = 'demo';
  });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    theme: { dark: true },
    profiles: { demo: { database: 'x', note: 1 } },
    active: 'demo',
  });
});

test('neither reads, replaces nor renames the file of a newer version', async () => {
  const text = '{"version":2,"profiles":[]}';
  const { settings, path, folder } = writeSettings(text);
  const message = `The settings file ${path} was written by a newer version of kith.`;
  expect(() => settings.read()).toThrow(message);
  await expect(settings.change(() => {})).rejects.toThrow(message);
  await expect(settings.moveDamaged()).rejects.toThrow(message);
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([text, ['config.json']]);
});

test.each(['__proto__', 'constructor', 'a.b', '김 👋', '*'])('accepts the profile name %s', async (name) => {
  const folder = createTemporaryFolder();
  const storeSettings = (stored: StoredSettings) =>
    Object.defineProperty(stored.profiles, name, { value: workProfile, enumerable: true });
  await openTestSettings(folder).change(storeSettings);
  expect(Object.entries(openTestSettings(folder).read().profiles)).toEqual([[name, workProfile]]);
});

test.each([
  ['full of zeros', '\0\0\0\0\0\0\0\0'],
  ['profiles that are not an object', '{"profiles": "work"}'],
  ['a profile that is null', '{"profiles": {"work": null}}'],
  ['a profile without a key', '{"profiles": {"work": {"base_url": "https://crm.example.com"}}}'],
  [
    'a profile with a key of another type',
    '{"profiles": {"work": {"base_url": "https://x.org", "api_key": 5}}}',
  ],
  ['a database of another type', '{"profiles": {"demo": {"database": {}}}}'],
  ['an active profile of another type', '{"active": 5, "profiles": {}}'],
])('names a damaged file and does not change it: %s', async (_, text) => {
  const { settings, path } = writeSettings(text);
  const failure = expect.objectContaining({
    code: 'failed',
    message: expect.stringContaining(`The settings file ${path} is damaged: `),
    detail: expect.objectContaining({
      hint: 'Fix the file, or run `kith auth login`, which renames the damaged file and starts a new one.',
    }),
  });
  expect(() => settings.read()).toThrow(failure);
  await expect(settings.change(() => {})).rejects.toThrow(failure);
  expect(readFileSync(path).equals(Buffer.from(text))).toBe(true);
});

test('names a folder that cannot be created', async () => {
  const { path } = writeSettings('{}');
  const folder = join(path, 'below-a-file');
  expect(openTestSettings(folder).read()).toEqual({ profiles: {} });
  await expect(openTestSettings(folder).change(() => {})).rejects.toThrow(
    expect.objectContaining({
      code: 'failed',
      message: `Cannot use the settings in ${join(folder, 'config.json')}: a part of its path is not a folder.`,
      detail: expect.objectContaining({
        hint: `${folder} is not writable. Set KITH_CONFIG_DIR to a writable folder.`,
      }),
    }),
  );
});

test('reads settings in a read-only folder', () => {
  const { folder, settings } = writeSettings(
    JSON.stringify({ active: 'work', profiles: { work: workProfile } }),
  );
  chmodSync(join(folder, 'config.json'), 0o400);
  chmodSync(folder, 0o500);
  const read = settings.read();
  const modes = [readMode(folder), readMode(join(folder, 'config.json'))];
  chmodSync(folder, 0o700);
  expect({ read, modes }).toEqual({
    read: { active: 'work', profiles: { work: workProfile } },
    modes: ['500', '400'],
  });
});

test('passes on a failure of a change and writes nothing', async () => {
  const { settings, path } = writeSettings('{"profiles":{}}');
  const changeError = new Error('Not this one.');
  const change = settings.change((stored) => {
    stored.active = 'half';
    throw changeError;
  });
  await expect(change).rejects.toBe(changeError);
  expect(readFileSync(path, 'utf8')).toBe('{"profiles":{}}');
});

const defaultFolders = ['.config/kith', '.local/share/kith', '.cache/kith'].map((name) =>
  join(userInfo().homedir, name),
);

test.each([
  [{}, defaultFolders],
  [{ XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/e' }, ['/c/kith', '/d/kith', '/e/kith']],
  [{ XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_CACHE_HOME: '' }, defaultFolders],
  [{ KITH_CONFIG_DIR: '/k', XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/e' }, ['/k', '/k', '/k']],
  [{ KITH_CONFIG_DIR: '' }, defaultFolders],
])('finds the folders for %j', (env, folders) => {
  expect([resolveSettingsFolder(env), resolveDataFolder(env), resolveCacheFolder(env)]).toEqual(folders);
  expect([resolveDatabaseFile(env, 'demo'), resolveDatabaseFile(env)]).toEqual(
    ['demo.sqlite', 'workspace.sqlite'].map((name) => join(resolveDataFolder(env), name)),
  );
});

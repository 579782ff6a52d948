import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder, defaultDatabase, settingsFolder } from '../../src/settings/places.ts';
import { openSettings, type Profile, type Stored } from '../../src/settings/settings.ts';
import { temporaryFolder } from '../kith.ts';

const work: Profile = { base_url: 'https://crm.example.com', api_key: 'k-1' };
const demo: Profile = { database: '/tmp/demo.sqlite' };
const opened = (folder: string) => openSettings({ KITH_CONFIG_DIR: folder });
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Settings with what a person, or another program, put into the file. */
function written(text: string) {
  const folder = temporaryFolder();
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return { folder, path, settings: opened(folder) };
}

test('what was stored is read again, by another run too', () => {
  const folder = temporaryFolder();
  opened(folder).change((stored) => {
    stored.active = 'work.eu';
    stored.profiles['work.eu'] = work;
  });
  opened(folder).change((stored) => {
    stored.profiles.demo = demo;
  });
  expect(opened(folder).read()).toEqual({ active: 'work.eu', profiles: { 'work.eu': work, demo } });
  expect(readdirSync(folder)).toEqual(['config.json']);
});

test('reading makes no file and no folder', () => {
  const folder = join(temporaryFolder(), 'not', 'there');
  expect(opened(folder).read()).toEqual({ profiles: {} });
  expect(existsSync(folder)).toBe(false);
});

test('a folder that is not there is made, with all above it', () => {
  const folder = join(temporaryFolder(), 'not', 'there');
  opened(folder).change((stored) => {
    stored.active = 'demo';
  });
  expect(opened(folder).read()).toEqual({ active: 'demo', profiles: {} });
});

test('file and folder are their owner’s alone, and stay so through rewrites', () => {
  const folder = join(temporaryFolder(), 'kith');
  const modes = [1, 2, 3].map((round) => {
    opened(folder).change((stored) => {
      stored.profiles[`p${round}`] = work;
    });
    return [modeOf(folder), modeOf(join(folder, 'config.json'))];
  });
  expect(modes).toEqual(Array(3).fill(['700', '600']));
});

test('a file and a folder that others could read are closed with the next change', () => {
  const home = temporaryFolder();
  const folder = join(home, 'kith');
  const path = join(folder, 'config.json');
  const settings = openSettings({ XDG_CONFIG_HOME: home });
  const store = () =>
    settings.change((stored) => {
      stored.profiles.work = work;
    });
  store();
  chmodSync(path, 0o644);
  chmodSync(folder, 0o755);
  store();
  expect([modeOf(folder), modeOf(path)]).toEqual(['700', '600']);
});

test('a folder that was there, and was named, keeps its mode', () => {
  const { folder, path, settings } = written('{"profiles":{}}');
  chmodSync(folder, 0o755);
  settings.change((stored) => {
    stored.profiles.work = work;
  });
  expect([modeOf(folder), modeOf(path)]).toEqual(['755', '600']);
});

test('what a later version may have stored is kept', () => {
  const { settings, path } = written('{"theme":{"dark":true},"profiles":{"demo":{"database":"x","note":1}}}');
  settings.change((stored) => {
    stored.active = 'demo';
  });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    theme: { dark: true },
    profiles: { demo: { database: 'x', note: 1 } },
    active: 'demo',
  });
});

test('a profile is removed', () => {
  const { settings } = written(JSON.stringify({ active: 'work', profiles: { work, demo } }));
  settings.change((stored) => {
    delete stored.profiles.work;
    delete stored.active;
  });
  expect(settings.read()).toEqual({ profiles: { demo } });
});

test.each(['__proto__', 'constructor', 'a.b', '김 👋', '*'])('a profile may be named %s', (name) => {
  const folder = temporaryFolder();
  const put = (stored: Stored) =>
    Object.defineProperty(stored.profiles, name, { value: work, enumerable: true });
  opened(folder).change(put);
  expect(Object.entries(opened(folder).read().profiles)).toEqual([[name, work]]);
});

test.each([
  ['cut off', '{"profiles": {"work": {"base_url": "https://crm.ex'],
  ['empty', ''],
  ['not JSON', 'profiles:\n  - work\n'],
  ['full of zeros', '\0\0\0\0\0\0\0\0'],
  ['profiles that are none', '{"profiles": "work"}'],
  ['a profile that is a text', '{"profiles": {"work": "https://crm.example.com"}}'],
  ['a profile that is null', '{"profiles": {"work": null}}'],
  ['a profile without a key', '{"profiles": {"work": {"base_url": "https://crm.example.com"}}}'],
  [
    'a profile with a key of another type',
    '{"profiles": {"work": {"base_url": "https://x.org", "api_key": 5}}}',
  ],
  ['a database of another type', '{"profiles": {"demo": {"database": {}}}}'],
  ['an active profile of another type', '{"active": 5, "profiles": {}}'],
])('a file that is damaged is named and left as it is: %s', (_, text) => {
  const { settings, path } = written(text);
  const failure = expect.objectContaining({
    code: 'failed',
    message: expect.stringContaining(`Cannot read the settings in ${path}: `),
    detail: expect.objectContaining({ hint: 'Mend the file, or move it away and sign in again.' }),
  });
  expect(() => settings.read()).toThrow(failure);
  expect(() =>
    settings.change((stored) => {
      stored.profiles.work = work;
    }),
  ).toThrow(failure);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('a folder that cannot be made is named', () => {
  const { path } = written('{}');
  const folder = join(path, 'below-a-file');
  expect(opened(folder).read()).toEqual({ profiles: {} });
  expect(() => opened(folder).change(() => {})).toThrow(
    expect.objectContaining({
      code: 'failed',
      message: expect.stringMatching(`^Cannot use the settings in ${join(folder, 'config.json')}: ENOTDIR`),
      detail: expect.objectContaining({
        hint: `Name a folder that can be written with KITH_CONFIG_DIR; ${folder} cannot.`,
      }),
    }),
  );
});

test('a file that is a folder is named', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'config.json'));
  const failure = expect.objectContaining({
    code: 'failed',
    message: expect.stringContaining(join(folder, 'config.json')),
  });
  expect(() => opened(folder).read()).toThrow(failure);
  expect(() => opened(folder).change(() => {})).toThrow(failure);
  expect(readdirSync(folder)).toEqual(['config.json']);
});

test('settings in a folder that cannot be written are read', () => {
  const { folder, settings } = written(JSON.stringify({ active: 'work', profiles: { work } }));
  chmodSync(join(folder, 'config.json'), 0o400);
  chmodSync(folder, 0o500);
  const read = settings.read();
  const modes = [modeOf(folder), modeOf(join(folder, 'config.json'))];
  chmodSync(folder, 0o700);
  expect({ read, modes }).toEqual({ read: { active: 'work', profiles: { work } }, modes: ['500', '400'] });
});

test('a failure in a change is told as it is, and nothing is written', () => {
  const { settings, path } = written('{"profiles":{}}');
  const refusal = new Error('Not this one.');
  expect(() =>
    settings.change((stored) => {
      stored.active = 'half';
      throw refusal;
    }),
  ).toThrow(refusal);
  expect(readFileSync(path, 'utf8')).toBe('{"profiles":{}}');
});

const home = homedir();

test.each([
  [{}, join(home, '.config/kith'), join(home, '.local/share/kith')],
  [{ XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/kith', '/d/kith'],
  [{ XDG_CONFIG_HOME: '', XDG_DATA_HOME: '' }, join(home, '.config/kith'), join(home, '.local/share/kith')],
  [{ KITH_CONFIG_DIR: '/k', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/k', '/k'],
  [{ KITH_CONFIG_DIR: '' }, join(home, '.config/kith'), join(home, '.local/share/kith')],
])('the folders for %j', (env, settings, data) => {
  expect([
    settingsFolder(env),
    dataFolder(env),
    defaultDatabase(env, true),
    defaultDatabase(env, false),
  ]).toEqual([settings, data, join(data, 'demo.sqlite'), join(data, 'workspace.sqlite')]);
});

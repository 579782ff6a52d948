import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { shells } from '../../../src/cli/commands/completion.ts';
import { withLock } from '../../../src/files/lock.ts';
import { formatWorkspaceKey } from '../../../src/settings/connection.ts';
import { cacheLists, readCachedLists } from '../../../src/settings/list-names.ts';
import { createEnv, runKith } from '../../support/binary.ts';
import {
  createDemoMachine,
  createMachine,
  createSettingsWriter,
  createTemporaryFolder,
  writeStoredSettings,
} from '../../support/kith.ts';

test.each(Object.entries(shells))('completion %s prints %s, without a profile', async (shell, file) => {
  const out = readFileSync(`completions/${file}`, 'utf8');
  const env = createEnv(createTemporaryFolder());
  expect(await runKith(['completion', shell], { env })).toEqual({ code: 0, out, err: '' });
});

test('complete prints names that can be typed, then ids', async () => {
  const folder = createTemporaryFolder();
  const env = { KITH_CONFIG_DIR: folder };
  writeStoredSettings(folder, { active: 'here', profiles: { here: { database: '/a/workspace' } } });
  const names = ['Sales', 'twice', 'twice', '--all', 'two\nlines', '\u001b[31mred', ''];
  await cacheLists(
    env,
    createSettingsWriter(),
    formatWorkspaceKey('/a/workspace', 'here'),
    names.map((name, index) => ({ id: `id${index}`, name })),
  );
  const out = ['Sales', 'id0', 'id1', 'id2', 'id3', 'id4', 'id5', 'id6', ''].join('\n');
  expect(await createMachine(folder)('complete lists')).toEqual({ code: 0, out, err: '' });
});

test('caches names with access for the owner only, and not while another run writes them', async () => {
  const folder = createTemporaryFolder();
  const env = { KITH_CONFIG_DIR: folder };
  const file = join(folder, 'lists.json');
  const cacheName = (name: string) => cacheLists(env, createSettingsWriter(), 'here', [{ id: 'a', name }]);
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  await cacheName('First');
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  await withLock({ path: `${file}.lock`, work: 'writes' }, createSettingsWriter(1), () =>
    cacheName('Second'),
  );
  expect(readCachedLists(env, 'here')).toEqual([{ id: 'a', name: 'First' }]);
  await cacheName('Third');
  expect(readCachedLists(env, 'here')).toEqual([{ id: 'a', name: 'Third' }]);
});

test('complete uses the workspace of --profile', async () => {
  const folder = createTemporaryFolder();
  const env = { KITH_CONFIG_DIR: folder };
  const url = 'https://crm.example.com';
  const secondProfile = { base_url: url, api_key: 'kith_0123456789' };
  writeStoredSettings(folder, { profiles: { one: { database: '/one' }, two: secondProfile } });
  await cacheLists(env, createSettingsWriter(), formatWorkspaceKey('/one', 'one'), [
    { id: 'a1', name: 'First' },
  ]);
  await cacheLists(env, createSettingsWriter(), formatWorkspaceKey(url, 'two'), [
    { id: 'b2', name: 'Second' },
  ]);
  const kith = createMachine(folder);
  expect([
    await kith('complete lists --profile one'),
    await kith('complete lists --profile two'),
    await kith(`complete lists --profile two --base-url ${url}`),
    await kith('complete profiles'),
  ]).toEqual(
    ['First\na1\n', 'Second\nb2\n', 'Second\nb2\n', 'one\ntwo\n'].map((out) => ({ code: 0, out, err: '' })),
  );
});

test('complete keeps the names of all lists after a command that read only some of them', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  await kith('lists list --all');
  const { out } = await kith('complete lists');
  await kith('lists list --limit 1 --page-size 1');
  expect((await kith('complete lists')).out).toBe(out);
  expect(out.split('\n').length).toBeGreaterThan(6);
});

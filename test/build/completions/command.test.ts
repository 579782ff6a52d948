import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { shells } from '../../../src/cli/commands/completion.ts';
import { withLock } from '../../../src/files/lock.ts';
import { listCache } from '../../../src/settings/name-cache.ts';
import { createEnv, runKith } from '../../support/binary.ts';
import { createSettingsWriter, createTemporaryFolder } from '../../support/kith.ts';

test.each(Object.entries(shells))('completion %s prints %s, without a profile', async (shell, file) => {
  const out = readFileSync(`completions/${file}`, 'utf8');
  const env = createEnv(createTemporaryFolder());
  expect(await runKith(['completion', shell], { env })).toEqual({ code: 0, out, err: '' });
});

test('caches names with access for the owner only, and not while another run writes them', async () => {
  const folder = createTemporaryFolder();
  const env = { KITH_CONFIG_DIR: folder };
  const file = join(folder, 'lists.json');
  const cacheName = (name: string) =>
    listCache.write(env, createSettingsWriter(), 'here', [{ id: 'a', name }]);
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  await cacheName('First');
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  await withLock({ path: `${file}.lock`, work: 'writes' }, createSettingsWriter(1), () =>
    cacheName('Second'),
  );
  expect(listCache.read(env, 'here')).toEqual([{ id: 'a', name: 'First' }]);
  await cacheName('Third');
  expect(listCache.read(env, 'here')).toEqual([{ id: 'a', name: 'Third' }]);
});

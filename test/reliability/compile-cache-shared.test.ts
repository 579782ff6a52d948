import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSignedInHome, runKith } from '../support/binary.ts';

const list = ['contacts', 'list', '--limit', '2'];

/** The files below a folder. */
function listFiles(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return paths.filter((path) => statSync(path).isFile());
}

test.runIf(process.getuid?.() === 0)(
  'neither runs nor writes compiled code inside a folder that other users own or can write to',
  async () => {
    const { home, env: homeEnv } = createSignedInHome();
    const { XDG_CACHE_HOME: _, ...env } = homeEnv;
    const folder = join(home, '.cache/kith/compiled');
    expect((await runKith(list, { env })).code).toBe(0);
    const sharedCache = join(home, 'shared');
    const cache = join(sharedCache, 'kith/compiled');
    const end = { code: 0 };
    const run = async () => {
      rmSync(cache, { recursive: true, force: true });
      cpSync(folder, cache, { recursive: true });
      // The owner of a parent folder may have put them there.
      for (const path of listFiles(cache)) writeFileSync(path, 'planted');
      expect(await runKith(list, { env: { ...env, XDG_CACHE_HOME: sharedCache } })).toMatchObject(end);
      return listFiles(cache).every((path) => readFileSync(path, 'utf8') === 'planted');
    };
    mkdirSync(join(sharedCache, 'kith'), { recursive: true, mode: 0o755 });
    expect(await run()).toBe(false);
    chownSync(join(sharedCache, 'kith'), 12_345, 12_345);
    expect(await run()).toBe(true);
    chownSync(join(sharedCache, 'kith'), 0, 0);
    chmodSync(sharedCache, 0o777);
    expect(await run()).toBe(true);
    chmodSync(sharedCache, 0o770);
    expect(await run()).toBe(true);
    // Like /tmp: users cannot replace files of other users.
    chmodSync(sharedCache, 0o1777);
    expect(await run()).toBe(false);
  },
);

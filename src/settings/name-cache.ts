import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { type LockHolder, withLock } from '../files/lock.ts';
import { readFileIfExists } from '../files/read-file.ts';
import { type Environment, resolveSettingsFolder } from './paths.ts';

/** A file in the settings folder with names of each workspace, which the completion offers without a request. */
export interface NameCache {
  readonly file: string;
  /** Maximum number of names of a workspace. */
  readonly limit: number;
}

/** Reads the cached names of a workspace. They are what `cacheNames` wrote, unless the file was changed by hand. */
export function readCachedNames(
  env: Environment,
  { file }: NameCache,
  workspace: string,
): readonly unknown[] {
  const names = readCache(join(resolveSettingsFolder(env), file))[workspace];
  return Array.isArray(names) ? names : [];
}

/** Caches the names of a workspace. Ignores errors, because nothing depends on the cache. */
export async function cacheNames(
  env: Environment,
  holder: LockHolder,
  cache: NameCache,
  workspace: string,
  names: readonly unknown[],
): Promise<void> {
  // Without settings, as in a cron job with a key in its environment, no file is created.
  if (!existsSync(resolveSettingsFolder(env))) return;
  const path = join(resolveSettingsFolder(env), cache.file);
  const cached = names.slice(0, cache.limit);
  if (JSON.stringify(cached) === JSON.stringify(readCachedNames(env, cache, workspace))) return;
  try {
    await withLock({ path: `${path}.lock`, work: `is writing ${path}` }, holder, () =>
      writeFileAtomically(path, [JSON.stringify({ ...readCache(path), [workspace]: cached })], 0o600),
    );
  } catch {}
}

function readCache(path: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(String(readFileIfExists(path) ?? '{}')) };
  } catch {
    return {};
  }
}

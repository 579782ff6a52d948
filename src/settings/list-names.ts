import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { type LockHolder, withLock } from '../files/lock.ts';
import { readFileIfExists } from '../files/read-file.ts';
import { type Environment, resolveSettingsFolder } from './paths.ts';

/** A list that the completion offers. */
export interface ListName {
  readonly id: string;
  readonly name: string;
}

const maxLists = 500;

/** Returns the cached lists of a workspace. The completion offers them without a request. */
export function readCachedLists(env: Environment, workspace: string): readonly ListName[] {
  const lists = readCache(env)[workspace];
  return Array.isArray(lists) ? lists : [];
}

/** Caches the lists of a workspace. Ignores errors, because nothing depends on the cache. */
export async function cacheLists(
  env: Environment,
  holder: LockHolder,
  workspace: string,
  lists: readonly ListName[],
): Promise<void> {
  // Without settings, as in a cron job with a key in its environment, no file is created.
  if (!existsSync(resolveSettingsFolder(env))) return;
  const cached = lists.slice(0, maxLists);
  if (JSON.stringify(cached) === JSON.stringify(readCachedLists(env, workspace))) return;
  const path = resolveFile(env);
  try {
    await withLock({ path: `${path}.lock`, work: `is writing ${path}` }, holder, () =>
      writeFileAtomically(path, [JSON.stringify({ ...readCache(env), [workspace]: cached })], 0o600),
    );
  } catch {}
}

const resolveFile = (env: Environment) => join(resolveSettingsFolder(env), 'lists.json');

function readCache(env: Environment): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(String(readFileIfExists(resolveFile(env)) ?? '{}')) };
  } catch {
    return {};
  }
}

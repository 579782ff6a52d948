import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LockHolder } from '../files/lock.ts';
import { readFileIfExists } from '../files/read-file.ts';
import { type Environment, resolveSettingsFolder } from './paths.ts';

/** A list as a shell offers it. */
export interface ListName {
  readonly id: string;
  readonly name: string;
}

/** The lists of each workspace as they were last seen: what TAB offers without the network. */
type Seen = Readonly<Record<string, readonly ListName[]>>;

const most = 500;

/** What a workspace is remembered by: two profiles may have one service between them. `place`: its base URL or file. */
export function formatWorkspaceKey(place: string, profile: string | undefined): string {
  return JSON.stringify([profile ?? null, place]);
}

/** The lists of a workspace as they were last seen; none where nothing was. */
export function readCachedLists(env: Environment, workspace: string): readonly ListName[] {
  const lists = read(env)[workspace];
  return Array.isArray(lists) ? lists : [];
}

/** Remembers the lists of a workspace. What cannot be remembered is not: nothing depends on it. */
export async function cacheLists(
  env: Environment,
  holder: LockHolder,
  workspace: string,
  lists: readonly ListName[],
): Promise<void> {
  // A run that has no settings, such as one of cron with a key in its environment, leaves nothing behind.
  if (!existsSync(resolveSettingsFolder(env))) return;
  const kept = lists.slice(0, most);
  if (JSON.stringify(kept) === JSON.stringify(readCachedLists(env, workspace))) return;
  try {
    const { writeListCache } = await import('./writing.ts');
    await writeListCache(fileIn(env), holder, () => JSON.stringify({ ...read(env), [workspace]: kept }));
  } catch {}
}

const fileIn = (env: Environment) => join(resolveSettingsFolder(env), 'lists.json');

function read(env: Environment): Seen {
  try {
    const seen: unknown = JSON.parse(String(readFileIfExists(fileIn(env)) ?? '{}'));
    return typeof seen === 'object' && seen !== null ? { ...seen } : {};
  } catch {
    return {};
  }
}

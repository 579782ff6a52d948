import type { LockHolder } from '../files/lock.ts';
import type { FieldName } from './field-names.ts';
import { cacheNames, readCachedNames } from './name-cache.ts';
import type { Environment } from './paths.ts';

/** A list that the completion offers. */
export interface ListName {
  readonly id: string;
  readonly name: string;
  /** The names of its statuses. A file of an earlier version has none, and no fields. */
  readonly statuses?: readonly string[];
  readonly fields?: readonly FieldName[];
}

const cache = { file: 'lists.json', limit: 500 } as const;

/** Returns the cached lists of a workspace. The completion offers them without a request. */
export function readCachedLists(env: Environment, workspace: string): readonly ListName[] {
  return readCachedNames(env, cache, workspace) as readonly ListName[]; // as `cacheLists` wrote them
}

/** Caches the lists of a workspace. Ignores errors, because nothing depends on the cache. */
export async function cacheLists(
  env: Environment,
  holder: LockHolder,
  workspace: string,
  lists: readonly ListName[],
): Promise<void> {
  await cacheNames(env, holder, cache, workspace, lists);
}

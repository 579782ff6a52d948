import type { LockHolder } from '../files/lock.ts';
import { cacheNames, readCachedNames } from './name-cache.ts';
import type { Environment } from './paths.ts';

/** A custom field or a field of a list, which the completion offers. */
export interface FieldName {
  readonly name: string;
  /** The kind of records that have a custom field, such as `contact`. */
  readonly model?: string | undefined;
  /** The values of a select field. */
  readonly options?: readonly string[];
}

const cache = { file: 'fields.json', limit: 500 } as const;

/** Returns the cached custom fields of a workspace. */
export function readCachedFields(env: Environment, workspace: string): readonly FieldName[] {
  return readCachedNames(env, cache, workspace) as readonly FieldName[]; // as `cacheFields` wrote them
}

/** Caches the custom fields of a workspace. Ignores errors, because nothing depends on the cache. */
export async function cacheFields(
  env: Environment,
  holder: LockHolder,
  workspace: string,
  fields: readonly FieldName[],
): Promise<void> {
  await cacheNames(env, holder, cache, workspace, fields);
}

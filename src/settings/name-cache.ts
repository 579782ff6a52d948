import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { type LockHolder, withLock } from '../files/lock.ts';
import { readFileIfExists } from '../files/read-file.ts';
import { type Environment, resolveSettingsFolder } from './paths.ts';

/** A custom field or a field of a list. */
export interface FieldName {
  readonly name: string;
  /** The kind of records that have a custom field, such as `contact`. */
  readonly model?: string | undefined;
  /** The values of a select field. */
  readonly options?: readonly string[];
}

/** A list, by its names. */
export interface ListName {
  readonly id: string;
  readonly name: string;
  /** The names of its statuses. A file of an earlier version has none, and no fields. */
  readonly statuses?: readonly string[];
  readonly fields?: readonly FieldName[];
}

/** Maximum number of cached names of a workspace. */
const maxNames = 500;

/** The lists of each workspace, which the completion offers without a request. */
export const listCache = createNameCache<ListName>('lists.json');

/** The custom fields of each workspace. */
export const fieldCache = createNameCache<FieldName>('fields.json');

/** Creates a cache in a file of the settings folder. */
function createNameCache<T>(file: string) {
  const resolvePath = (env: Environment) => join(resolveSettingsFolder(env), file);
  /** Returns the cached names of a workspace. */
  const read = (env: Environment, workspace: string): readonly T[] => {
    const names = readCache(resolvePath(env))[workspace];
    return Array.isArray(names) ? names : []; // what `write` wrote, unless the file was changed by hand
  };
  /** Caches the names of a workspace. Ignores errors, because nothing depends on the cache. */
  const write = async (env: Environment, holder: LockHolder, workspace: string, names: readonly T[]) => {
    // Without settings, as in a cron job with a key in its environment, no file is created.
    if (!existsSync(resolveSettingsFolder(env))) return;
    const path = resolvePath(env);
    const cached = names.slice(0, maxNames);
    if (JSON.stringify(cached) === JSON.stringify(read(env, workspace))) return;
    try {
      await withLock({ path: `${path}.lock`, work: `is writing ${path}` }, holder, () =>
        writeFileAtomically(path, [JSON.stringify({ ...readCache(path), [workspace]: cached })], 0o600),
      );
    } catch {}
  };
  return { read, write };
}

function readCache(path: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(String(readFileIfExists(path) ?? '{}')) };
  } catch {
    return {};
  }
}

import { promises as files } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { renameFile, syncFolder } from '../files/atomic-write.ts';
import { describeDiskError, formatMoveHint, isNotFileError } from '../files/disk-errors.ts';
import { FormatFailure, lockFile, moveDamagedFile, readDocument } from '../files/durable-file.ts';
import type { LockHolder } from '../files/lock.ts';
import { makeFolder } from '../files/permissions.ts';
import { isObject, type JsonObject } from '../values/json-object.ts';
import { type Environment, resolveSettingsFile } from './paths.ts';

/** Guards as typed: `max-writes` -> `50`. */
const guards = v.exactOptional(v.record(v.string(), v.string()));

const Profile = v.union([
  v.object({
    database: v.string(),
    user: v.exactOptional(v.string()),
    process: v.exactOptional(v.string()),
    guards,
  }),
  v.object({ base_url: v.string(), api_key: v.string(), guards }),
  v.object({ base_url: v.string(), keychain: v.string(), guards }),
]);
/**
 * A profile: a workspace file on this machine, with the sample's user and process in the sample workspace, or a hosted
 * workspace with its key or with the account of its key in the keychain of the system.
 */
export type Profile = Readonly<v.InferOutput<typeof Profile>>;

const StoredSettings = v.object({
  /** The name of the active profile. */
  active: v.exactOptional(v.string()),
  /** Flag defaults and guards as typed: `page-size` -> `50`. */
  defaults: v.exactOptional(v.record(v.string(), v.string())),
  profiles: v.record(v.string(), Profile),
  /** Commands with their flags, by the name of the alias. */
  aliases: v.exactOptional(v.record(v.string(), v.string())),
});
/** The content of the settings file. It may have more fields, which a later version wrote. */
export type StoredSettings = v.InferOutput<typeof StoredSettings>;

const settingsFormat = {
  what: 'settings file',
  version: 1,
  versionMember: 'version',
  // Keeps all members as they were read. The schema alone would drop unknown members and profiles named `__proto__`.
  schema: v.pipe(
    v.custom<JsonObject>(isObject),
    v.rawTransform<JsonObject, StoredSettings>(({ dataset, addIssue, NEVER }) => {
      const settings: unknown = { profiles: {}, ...dataset.value };
      if (v.is(StoredSettings, settings)) return settings;
      const [issue] = v.safeParse(StoredSettings, settings).issues ?? [];
      addIssue({ path: issue?.path });
      return NEVER;
    }),
  ),
  suggestRepair: () =>
    'Fix the file, or run `kith auth login`, which renames the damaged file and starts a new one.',
};

/** The settings of a project file, which override stored ones in its folder. */
export interface ProjectSettings {
  readonly path: string;
  readonly profile?: string | undefined;
  readonly defaults: Readonly<Record<string, string>>;
  /** Guards that apply in addition to the stored guards. */
  readonly guards: Readonly<Record<string, string>>;
}

/** The stored settings, overridden by those of the project files. */
export type EffectiveSettings = StoredSettings & {
  /** The project files, the nearest first. */
  readonly projects?: readonly ProjectSettings[];
  /** The project file that selects the profile. */
  readonly project?: ProjectSettings;
};

/** The settings file, read and written as a whole. */
export type Settings = ReturnType<typeof openSettings>;

/**
 * Opens the settings: a JSON file with mode 0600 in a folder with mode 0700. A write waits `lockTimeout` milliseconds for
 * another process.
 */
export function openSettings(env: Environment, holder: LockHolder, lockTimeout = 10_000) {
  const path = resolveSettingsFile(env);
  /** Runs `prepare`, and then work while no other process writes settings. Creates a missing folder. */
  const write = async <T>(work: () => Promise<T>, prepare?: () => Promise<unknown>): Promise<T> => {
    try {
      makeFolder(dirname(path), 0o700);
      // A folder in KITH_CONFIG_DIR, such as /tmp, may have other uses, so its mode is not changed.
      if (!env.KITH_CONFIG_DIR) await files.chmod(dirname(path), 0o700);
      await prepare?.();
      return await lockFile(settingsFormat, path, holder, work, lockTimeout);
    } catch (error) {
      throw toSettingsError(path, error);
    }
  };
  /** Returns the settings, empty if there is no file. @throws {Failure} failed if it is damaged or cannot be read. */
  const read = (): StoredSettings => {
    try {
      return readDocument(settingsFormat, path) ?? { profiles: {} };
    } catch (error) {
      throw toSettingsError(path, error);
    }
  };
  const isDamaged = () => {
    try {
      read();
      return false;
    } catch (error) {
      if (error instanceof FormatFailure && error.problem === 'damaged') return true;
      throw error;
    }
  };
  return {
    path,
    read,
    /** Writes a change atomically, under a lock. @throws {Failure} busy if another process holds the lock for too long. */
    async change(edit: (settings: StoredSettings) => void): Promise<void> {
      // Slow, so loaded before the lock is taken; only in an existing folder, because conf fails without a home folder.
      const loadConf = () => import('./conf.ts');
      return write(async () => {
        const settings = read();
        edit(settings);
        await replaceFile(path, settings, (await loadConf()).storeWithConf);
      }, loadConf);
    },
    /** Renames a damaged file and returns its new path; undefined if the file is not damaged. */
    async moveDamaged(): Promise<string | undefined> {
      if (!isDamaged()) return undefined;
      // Another process may have renamed it meanwhile.
      return write(async () => (isDamaged() ? moveDamagedFile(path, holder.now(), 0o600) : undefined));
    },
  };
}

/** Replaces the settings file. A symbolic link stays one, even if its target does not exist yet. */
async function replaceFile(
  path: string,
  settings: StoredSettings,
  write: (path: string, settings: StoredSettings) => void,
): Promise<void> {
  const target = await files
    .realpath(path)
    .catch(async () => resolve(dirname(path), await files.readlink(path).catch(() => path)));
  const folder = dirname(target);
  const temporary = join(folder, '.config.kith-tmp');
  // Killed processes may have left this file, and the file that conf writes first.
  for (const name of await files.readdir(folder))
    if (name.startsWith(basename(temporary))) await files.rm(join(folder, name), { force: true });
  try {
    write(temporary, settings);
    // On a full disk conf reports no error and leaves half a file.
    if (!hasSettings(temporary, settings))
      throw new Failure('failed', `Cannot use the settings in ${target}: no space left on the disk.`);
    renameFile(temporary, target);
  } finally {
    await files.rm(temporary, { force: true });
  }
  await syncFolder(folder);
}

function hasSettings(path: string, settings: StoredSettings): boolean {
  try {
    return isDeepStrictEqual(readDocument(settingsFormat, path), settings);
  } catch {
    return false;
  }
}

/** Converts an error of the file system to a failure. Returns any other error unchanged. */
function toSettingsError(path: string, error: unknown): unknown {
  const isFailure = error instanceof Failure;
  // The failure already names the lock file, which is in the way.
  if (isFailure && isNotFileError(error.cause)) return error;
  const cause = isFailure && error.code === 'failed' ? error.cause : error;
  if (!(cause instanceof Error && 'code' in cause && 'syscall' in cause)) return error;
  return new Failure('failed', `Cannot use the settings in ${path}: ${describeDiskError(cause)}.`, {
    cause,
    hint: suggestFix(path, cause),
  });
}

function suggestFix(path: string, error: Error & { code: unknown; path?: unknown }): string {
  const folder = dirname(path);
  if (isNotFileError(error)) return formatMoveHint(path);
  if (error.path === path && /^(EACCES|EPERM)$/.test(String(error.code)))
    return `Check the permissions: ls -la ${folder}`;
  return `${folder} is not writable. Set KITH_CONFIG_DIR to a writable folder.`;
}

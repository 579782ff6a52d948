import { isUtf8 } from 'node:buffer';
import { promises as files } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { syncFolder } from '../files/atomic-write.ts';
import { describeDiskError, formatMoveHint, isNotFileError } from '../files/disk-errors.ts';
import { type LockHolder, withLock } from '../files/lock.ts';
import { makeFolder } from '../files/permissions.ts';
import { nameDamagedFile, readFileIfExists } from '../files/read-file.ts';
import { type Environment, resolveSettingsFile } from './paths.ts';

/** Guards as typed: `max-writes` -> `50`. */
const guards = v.exactOptional(v.record(v.string(), v.string()));

const Profile = v.union([
  v.object({ database: v.string(), guards }),
  v.object({ base_url: v.string(), api_key: v.string(), guards }),
  v.object({ base_url: v.string(), keychain: v.string(), guards }),
]);
/**
 * A profile: a workspace file on this machine, or a hosted workspace with its key or with the account of its key in the
 * keychain of the system.
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
  const lock = { path: `${path}.lock`, work: `is changing the settings in ${path}` };
  /** Runs `prepare`, and then work while no other process writes settings. Creates a missing folder. */
  const write = async <T>(work: () => Promise<T>, prepare?: () => Promise<unknown>): Promise<T> => {
    try {
      makeFolder(dirname(path), 0o700);
      // A folder in KITH_CONFIG_DIR, such as /tmp, may have other uses, so its mode is not changed.
      if (!env.KITH_CONFIG_DIR) await files.chmod(dirname(path), 0o700);
      await prepare?.();
      return await withLock(lock, holder, work, lockTimeout);
    } catch (error) {
      throw toSettingsError(path, error);
    }
  };
  /** Returns the settings, empty if there is no file. @throws {Failure} failed if it is damaged or cannot be read. */
  const read = (): StoredSettings => {
    const loaded = load(path);
    if ('settings' in loaded) return loaded.settings;
    throw new Failure('failed', `Cannot read the settings in ${path}: ${loaded.damage}.`, {
      hint: 'Fix the file, or run `kith auth login`, which renames the damaged file and starts a new one.',
    });
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
      if ('settings' in load(path)) return undefined;
      return write(async () => {
        if ('settings' in load(path)) return undefined; // another process has renamed it meanwhile
        const newPath = nameDamagedFile(path, holder.now());
        await files.chmod(path, 0o600); // it may hold keys
        await files.rename(path, newPath);
        await syncFolder(dirname(path));
        return newPath;
      });
    },
  };
}

type Loaded = { readonly settings: StoredSettings } | { readonly damage: string };

function load(path: string): Loaded {
  try {
    const bytes = readFileIfExists(path);
    return bytes ? parse(bytes) : { settings: { profiles: {} } };
  } catch (error) {
    throw toSettingsError(path, error);
  }
}

/** Parses settings, or describes the damage. Does not quote the file, because it may contain keys. */
function parse(bytes: Buffer): Loaded {
  if (bytes.length === 0) return { damage: 'it is empty' };
  if (!isUtf8(bytes)) return { damage: 'it is not UTF-8' };
  let json: unknown;
  try {
    // Some editors write a byte order mark.
    json = JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
  } catch {
    return { damage: 'it is not JSON' };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { damage: 'it is not an object' };
  const settings: unknown = { profiles: {}, ...json };
  if (v.is(StoredSettings, settings)) return { settings };
  const [issue] = v.safeParse(StoredSettings, settings).issues ?? [];
  return { damage: `${issue && v.getDotPath(issue)} is invalid` };
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
    if (!isDeepStrictEqual(load(temporary), { settings }))
      throw new Failure('failed', `Cannot use the settings in ${target}: no space left on the disk.`);
    await files.rename(temporary, target);
  } finally {
    await files.rm(temporary, { force: true });
  }
  await syncFolder(folder);
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

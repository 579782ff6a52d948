import { dirname } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { describeDiskError, formatMoveHint, isNotFileError } from '../files/disk-errors.ts';
import type { LockHolder } from '../files/lock.ts';
import { type Environment, resolveSettingsFile } from './paths.ts';
import { DamagedSettings, isDamaged, readStoredSettings, type StoredSettings } from './stored.ts';

/** The settings file, read and written as a whole. */
export interface Settings {
  readonly path: string;
  /** @throws {Failure} failed if the file is damaged or cannot be read. */
  read(): StoredSettings;
  /** Writes a change atomically, under a lock. @throws {Failure} busy if another process holds the lock for too long. */
  change(edit: (stored: StoredSettings) => void): Promise<void>;
  /** Renames a damaged file and returns its new path; undefined if the file is not damaged. */
  moveDamaged(): Promise<string | undefined>;
}

/** The process that writes settings. */
export type SettingsWriter = LockHolder & { readonly signal: AbortSignal };

/** Opens the settings: a JSON file with mode 0600 in a folder with mode 0700. */
export function openSettings(env: Environment, writer: SettingsWriter): Settings {
  const path = resolveSettingsFile(env);
  // A folder in KITH_CONFIG_DIR, such as /tmp, may have other uses, so its mode is not changed.
  const file = { path, ownsFolder: !env.KITH_CONFIG_DIR };
  return {
    path,
    read: () => {
      try {
        return readStoredSettings(path);
      } catch (error) {
        throw toSettingsError(path, error);
      }
    },
    change: (edit) => write(path, async ({ writeSettings }) => writeSettings(file, writer, edit)),
    moveDamaged: () =>
      write(path, async ({ moveDamagedSettings }) =>
        isDamaged(path) ? moveDamagedSettings(file, writer) : undefined,
      ),
  };
}

async function write<T>(
  path: string,
  work: (writing: typeof import('./writing.ts')) => Promise<T>,
): Promise<T> {
  try {
    return await work(await import('./writing.ts'));
  } catch (error) {
    throw toSettingsError(path, error);
  }
}

/** Turns a damaged file or an error of the file system into a failure. Returns any other error unchanged. */
function toSettingsError(path: string, error: unknown): unknown {
  if (error instanceof DamagedSettings) {
    return new Failure('failed', `Cannot read the settings in ${path}: ${error.message}.`, {
      hint: 'Fix the file, or run `kith auth login`, which renames the damaged file and starts a new one.',
    });
  }
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

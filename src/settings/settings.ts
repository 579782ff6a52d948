import { dirname } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { describeDiskError, formatMoveHint, isNotFileError } from '../files/disk-errors.ts';
import type { LockHolder } from '../files/lock.ts';
import { type Environment, settingsFile } from './places.ts';
import { Damaged, isDamaged, type Stored, storedIn } from './stored.ts';

/** The settings file, read and written whole. */
export interface Settings {
  readonly path: string;
  /** Throws `failed` for a file that cannot be read or is damaged. */
  read(): Stored;
  /**
   * Writes the change, on disk when this is over; the file appears whole or stays as it was. Several runs take
   * turns. Throws `busy` where another one takes too long.
   */
  change(edit: (stored: Stored) => void): Promise<void>;
  /** Sets a damaged file aside, so that it can be written; gives what it is called now, undefined if it is sound. */
  mend(): Promise<string | undefined>;
}

/** Who writes settings. */
export type Writer = LockHolder & { readonly signal: AbortSignal };

/** Opens the settings: a JSON file of mode 0600 in a folder of mode 0700. */
export function openSettings(env: Environment, writer: Writer): Settings {
  const path = settingsFile(env);
  // A folder that was named may serve others too: /tmp must not be closed to them.
  const place = { path, isOwn: !env.KITH_CONFIG_DIR };
  // Few runs write, and what they need for it is not loaded by the others.
  const writing = () => import('./writing.ts');
  return {
    path,
    read: () => {
      try {
        return storedIn(path);
      } catch (error) {
        throw unusable(path, error);
      }
    },
    change: (edit) => told(path, async () => (await writing()).change(place, writer, edit)),
    mend: () =>
      told(path, async () => (isDamaged(path) ? (await writing()).setAside(place, writer) : undefined)),
  };
}

async function told<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unusable(path, error);
  }
}

/** What a person is told of an error with the settings. One that has nothing to do with the disk stays as it is. */
function unusable(path: string, error: unknown): unknown {
  if (error instanceof Damaged) {
    return new Failure('failed', `Cannot read the settings in ${path}: ${error.message}.`, {
      hint: 'Mend the file, or sign in again with `kith auth login`, which sets it aside.',
    });
  }
  const isTold = error instanceof Failure;
  // What is in the place of the lock is to be moved away, not the settings.
  if (isTold && isNotFileError(error.cause)) return error;
  const cause = isTold && error.code === 'failed' ? error.cause : error;
  if (!(cause instanceof Error && 'code' in cause && 'syscall' in cause)) return error;
  return new Failure('failed', `Cannot use the settings in ${path}: ${describeDiskError(cause)}.`, {
    cause,
    hint: hintOn(path, cause),
  });
}

/** What to do about an error of the disk: with the file itself, or with the folder that it is in. */
function hintOn(path: string, error: Error & { code: unknown; path?: unknown }): string {
  const { code, path: at } = error;
  const folder = dirname(path);
  if (isNotFileError(error)) return formatMoveHint(path);
  if (at === path && /^(EACCES|EPERM)$/.test(String(code)))
    return `See ls -la ${folder}; chown or chmod what this user may not read.`;
  return `Name a folder that can be written with KITH_CONFIG_DIR; ${folder} cannot.`;
}

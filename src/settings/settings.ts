import { isUtf8 } from 'node:buffer';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { describeDiskError, formatMoveHint, isNotFileError } from '../files/disk-errors.ts';
import type { LockHolder } from '../files/lock.ts';
import { readFileIfExists } from '../files/read-file.ts';
import { type Environment, resolveSettingsFile } from './paths.ts';

/** The settings file, read and written whole. */
export interface Settings {
  readonly path: string;
  /** Throws `failed` for a file that cannot be read or is damaged. */
  read(): StoredSettings;
  /**
   * Writes the change, on disk when this is over; the file appears whole or stays as it was. Several runs take
   * turns. Throws `busy` where another one takes too long.
   */
  change(edit: (stored: StoredSettings) => void): Promise<void>;
  /** Sets a damaged file aside, so that it can be written; gives what it is called now, undefined if it is sound. */
  moveDamaged(): Promise<string | undefined>;
}

/** Who writes settings. */
export type SettingsWriter = LockHolder & { readonly signal: AbortSignal };

/** Opens the settings: a JSON file of mode 0600 in a folder of mode 0700. */
export function openSettings(env: Environment, writer: SettingsWriter): Settings {
  const path = resolveSettingsFile(env);
  // A folder that was named may serve others too: /tmp must not be closed to them.
  const place = { path, isOwn: !env.KITH_CONFIG_DIR };
  // Few runs write, and what they need for it is not loaded by the others.
  const writing = () => import('./writing.ts');
  return {
    path,
    read: () => {
      try {
        return readStoredSettings(path);
      } catch (error) {
        throw unusable(path, error);
      }
    },
    change: (edit) => told(path, async () => (await writing()).writeSettings(place, writer, edit)),
    moveDamaged: () =>
      told(path, async () =>
        isDamaged(path) ? (await writing()).moveDamagedSettings(place, writer) : undefined,
      ),
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
  if (error instanceof DamagedSettings) {
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

/** Where a profile has its key: in the settings, or in the keychain of the system, under this account. */
type StoredKey = { readonly api_key: string } | { readonly keychain: string };

/** A profile: a hosted workspace with its key, or a workspace file on this machine. */
export type Profile = ({ readonly base_url: string } & StoredKey) | { readonly database: string };

/** What is remembered between runs. */
export interface StoredSettings {
  /** The profile that is used where none is named. */
  active?: string;
  /** Defaults of flags, as they were typed: `page-size` -> `50`. */
  defaults?: Record<string, string>;
  profiles: Record<string, Profile>;
}

/** What is in the file is no settings. Its text is not told: it may hold keys. */
export class DamagedSettings extends Error {
  override readonly name = 'Damaged';
}

const Shape = v.looseObject({
  active: v.optional(v.string()),
  defaults: v.optional(v.record(v.string(), v.string())),
  profiles: v.optional(
    v.record(
      v.string(),
      v.union([
        v.looseObject({ database: v.string() }),
        v.looseObject({ base_url: v.string(), api_key: v.string() }),
        v.looseObject({ base_url: v.string(), keychain: v.string() }),
      ]),
    ),
  ),
});

/**
 * The settings in a file, with all that this version does not know; none where the file is not there. Throws
 * `Damaged`, or what the disk says.
 */
export function readStoredSettings(path: string): StoredSettings {
  const bytes = readFileIfExists(path);
  if (bytes === undefined) return { profiles: {} };
  const stored = jsonIn(bytes);
  if (Array.isArray(stored) || !v.is(Shape, stored)) {
    const [issue] = v.safeParse(Shape, stored).issues ?? [];
    const place = issue && v.getDotPath(issue);
    throw new DamagedSettings(place ? `${place} is not what it should be` : 'it is no object');
  }
  const { active, defaults, profiles, ...unknown } = stored;
  return {
    ...unknown,
    ...(active !== undefined && { active }),
    ...(defaults !== undefined && { defaults }),
    profiles: { ...profiles },
  };
}

/** Whether a file is there and holds no settings. */
export function isDamaged(path: string): boolean {
  try {
    readStoredSettings(path);
    return false;
  } catch (error) {
    if (error instanceof DamagedSettings) return true;
    throw error;
  }
}

/** What some editors put before a text. */
const byteOrderMark = /^\ufeff/;

function jsonIn(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new DamagedSettings('it is empty');
  if (!isUtf8(bytes)) throw new DamagedSettings('it is not UTF-8');
  try {
    return JSON.parse(bytes.toString().replace(byteOrderMark, ''));
  } catch {
    // What JSON.parse says quotes the text.
    throw new DamagedSettings('it is not JSON');
  }
}

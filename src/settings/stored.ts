import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import { readFileIfExists } from '../files/read-file.ts';

/** The key of a profile, or its account in the keychain of the system. */
type StoredKey = { readonly api_key: string } | { readonly keychain: string };

/** A profile: a hosted workspace with its key, or a workspace file on this machine. */
export type Profile = ({ readonly base_url: string } & StoredKey) | { readonly database: string };

/** The content of the settings file. */
export interface StoredSettings {
  /** The name of the active profile. */
  active?: string;
  /** Flag defaults as typed: `page-size` -> `50`. */
  defaults?: Record<string, string>;
  profiles: Record<string, Profile>;
}

/** The settings file is damaged. The message does not quote the file, because it may hold keys. */
export class DamagedSettings extends Error {
  override readonly name = 'DamagedSettings';
}

const Schema = v.looseObject({
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
 * Reads a settings file; no profiles if it does not exist. Keeps fields that this version does not know.
 * @throws {DamagedSettings} or an error of the file system.
 */
export function readStoredSettings(path: string): StoredSettings {
  const bytes = readFileIfExists(path);
  if (bytes === undefined) return { profiles: {} };
  const stored = parseJson(bytes);
  if (Array.isArray(stored) || !v.is(Schema, stored)) {
    const [issue] = v.safeParse(Schema, stored).issues ?? [];
    const field = issue && v.getDotPath(issue);
    throw new DamagedSettings(field ? `${field} is invalid` : 'it is not an object');
  }
  const { active, defaults, profiles, ...unknown } = stored;
  return {
    ...unknown,
    ...(active !== undefined && { active }),
    ...(defaults !== undefined && { defaults }),
    profiles: { ...profiles },
  };
}

/** Returns whether a settings file exists and is damaged. */
export function isDamaged(path: string): boolean {
  try {
    readStoredSettings(path);
    return false;
  } catch (error) {
    if (error instanceof DamagedSettings) return true;
    throw error;
  }
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new DamagedSettings('it is empty');
  if (!isUtf8(bytes)) throw new DamagedSettings('it is not UTF-8');
  try {
    // Some editors write a byte order mark.
    return JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
  } catch {
    throw new DamagedSettings('it is not JSON');
  }
}

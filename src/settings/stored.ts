import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import { readFileIfExists } from '../files/plain-file.ts';

/** Where a profile has its key: in the settings, or in the keychain of the system, under this account. */
type Kept = { readonly api_key: string } | { readonly keychain: string };

/** A profile: a hosted workspace with its key, or a workspace file on this machine. */
export type Profile = ({ readonly base_url: string } & Kept) | { readonly database: string };

/** What is remembered between runs. */
export interface Stored {
  /** The profile that is used where none is named. */
  active?: string;
  /** Defaults of flags, as they were typed: `page-size` -> `50`. */
  defaults?: Record<string, string>;
  profiles: Record<string, Profile>;
}

/** What is in the file is no settings. Its text is not told: it may hold keys. */
export class Damaged extends Error {
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
export function storedIn(path: string): Stored {
  const bytes = readFileIfExists(path);
  if (bytes === undefined) return { profiles: {} };
  const stored = jsonIn(bytes);
  if (Array.isArray(stored) || !v.is(Shape, stored)) {
    const [issue] = v.safeParse(Shape, stored).issues ?? [];
    const place = issue && v.getDotPath(issue);
    throw new Damaged(place ? `${place} is not what it should be` : 'it is no object');
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
    storedIn(path);
    return false;
  } catch (error) {
    if (error instanceof Damaged) return true;
    throw error;
  }
}

/** What some editors put before a text. */
const byteOrderMark = /^\ufeff/;

function jsonIn(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new Damaged('it is empty');
  if (!isUtf8(bytes)) throw new Damaged('it is not UTF-8');
  try {
    return JSON.parse(bytes.toString().replace(byteOrderMark, ''));
  } catch {
    // What JSON.parse says quotes the text.
    throw new Damaged('it is not JSON');
  }
}

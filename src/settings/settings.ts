import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Conf from 'conf';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { type Environment, settingsFile } from './places.ts';

/** A profile: a hosted workspace with its key, or a workspace file on this machine. */
export type Profile = { readonly base_url: string; readonly api_key: string } | { readonly database: string };

/** What is remembered between runs. */
export interface Stored {
  /** The profile that is used where none is named. */
  active?: string;
  /** Defaults of flags, as they were typed: `page-size` -> `50`. */
  defaults?: Record<string, string>;
  profiles: Record<string, Profile>;
}

/** The settings file, read and written whole. */
export interface Settings {
  readonly path: string;
  read(): Stored;
  /** Writes the change; the file appears whole or stays as it was. */
  change(edit: (stored: Stored) => void): void;
}

/** Opens the settings in conf storage: a file of mode 0600 in a folder of mode 0700. */
export function openSettings(env: Environment): Settings {
  const path = settingsFile(env);
  const cwd = dirname(path);
  return {
    path,
    // conf makes the folder even to read from it; a first run on a read-only machine needs none.
    read: () => guarded(path, () => checked(existsSync(path) ? opened(cwd).store : {})),
    change: (edit) => {
      const { store, stored } = guarded(path, () => {
        mkdirSync(cwd, { recursive: true, mode: 0o700 });
        // A folder that was named may serve others too: /tmp must not be closed to them.
        if (!env.KITH_CONFIG_DIR) chmodSync(cwd, 0o700);
        const store = opened(cwd);
        return { store, stored: checked(store.store) };
      });
      edit(stored);
      guarded(path, () => {
        store.store = stored;
      });
    },
  };
}

function opened(cwd: string): Conf<Partial<Stored>> {
  return new Conf<Partial<Stored>>({
    cwd,
    configName: 'config',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: false,
  });
}

const Shape = v.looseObject({
  active: v.optional(v.string()),
  defaults: v.optional(v.record(v.string(), v.string())),
  profiles: v.optional(
    v.record(
      v.string(),
      v.union([v.object({ database: v.string() }), v.object({ base_url: v.string(), api_key: v.string() })]),
    ),
  ),
});

/** Settings with all that is in the file, also what this version does not know. */
function checked(stored: Partial<Stored>): Stored {
  const { issues } = v.safeParse(Shape, stored);
  if (issues) throw new SyntaxError(`${v.getDotPath(issues[0])} is not what it should be`);
  return { ...stored, profiles: { ...stored.profiles } };
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const damaged = error instanceof SyntaxError;
    throw new Failure('failed', `Cannot ${damaged ? 'read' : 'use'} the settings in ${path}: ${reason}`, {
      cause: error,
      hint: damaged
        ? 'Mend the file, or move it away and sign in again.'
        : `Name a folder that can be written with KITH_CONFIG_DIR; ${dirname(path)} cannot.`,
    });
  }
}

import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import { isProfileUnused } from '../../settings/connection.ts';
import type { Environment } from '../../settings/paths.ts';
import type { EffectiveSettings } from '../../settings/settings.ts';
import type { Globals } from '../command/globals.ts';
import { type GuardName, guardNames, guardOptions, guardPlaces } from '../command/guards.ts';
import { toFlagName } from '../command/options.ts';
import { type Configuration, openEffectiveSettings } from '../connect/connection.ts';

export interface Guard {
  readonly name: GuardName;
  /** The value as typed. */
  readonly text: string;
  /** Where it is set, for lists: `KITH_ALLOW`, or a path. */
  readonly from: string;
  /** The guard and its place, to begin a sentence: `allow in /home/ada/work/.kith.json`. */
  readonly label: string;
}

/** All guards that are set, the flags first. They apply together. */
export interface StoredGuards {
  readonly guards: readonly Guard[];
  /** Set if the settings are damaged, so that their guards are unknown. */
  readonly damage?: Failure;
}

export type RunFlags = Pick<Globals, 'readonly' | 'allow' | 'maxWrites' | 'maxRequests'>;

/**
 * Reads the guards of the flags, the environment, the project files, the settings and the profile.
 * @throws {Failure} usage if one is invalid
 */
export async function readGuards(configuration: Configuration): Promise<StoredGuards> {
  const { globals } = configuration;
  const { env } = configuration.runtime;
  const guards = readRunGuards(globals, env);
  const { path, read } = await openEffectiveSettings(configuration);
  let settings: EffectiveSettings;
  try {
    settings = read();
  } catch (error) {
    // The requests of such a run do not depend on the settings, but their guards may forbid its writes.
    const isDamaged = error instanceof Failure && error.code !== 'usage';
    if (!isDamaged || !isProfileUnused(globals, env)) throw error;
    return { guards, damage: error };
  }
  return { guards: [...guards, ...readFiles(path, settings, globals, env)] };
}

/** Reads the guards of the flags and the environment, which hold for this run in any folder. */
export const readRunGuards = (globals: RunFlags, env: Environment): Guard[] => [
  ...readFlags(globals),
  ...readVariables(env),
];

const readFlags = (globals: RunFlags): Guard[] =>
  guardNames.flatMap((name) => {
    const { flag } = guardPlaces[name];
    const value = globals[flag];
    if (value === undefined || value === false) return [];
    const from = toFlagName(flag);
    return { name, text: String(value), from, label: from };
  });

/** An empty variable is an error: `KITH_ALLOW=$WRITES` must not allow all writes if $WRITES is not set. */
const readVariables = (env: Environment): Guard[] =>
  guardNames.flatMap((name) => {
    const { variable } = guardPlaces[name];
    const text = env[variable];
    if (text === undefined) return [];
    if (text.trim() === '')
      throw new Failure('usage', `${variable} is empty.`, {
        hint: `Unset ${variable}, or set it to a value; see kith help environment.`,
      });
    return checkGuard({ name, text, from: variable, label: variable });
  });

function readFiles(
  path: string,
  { defaults = {}, projects = [], profiles, active }: EffectiveSettings,
  flags: Pick<Globals, 'profile'>,
  env: Environment,
): Guard[] {
  const read = (values: Readonly<Record<string, string>>, from: string, place: string) =>
    guardNames.flatMap((name) => {
      const text = Object.hasOwn(values, name) ? values[name] : undefined;
      if (text === undefined) return [];
      return checkGuard({ name, text, from, label: `${name} in ${place}` });
    });
  // Even with --base-url, the guards of the active profile apply.
  const isUnused = isProfileUnused({ profile: flags.profile }, env);
  const profile = isUnused ? undefined : flags.profile || env.KITH_PROFILE || active;
  const guards = profile !== undefined && Object.hasOwn(profiles, profile) && profiles[profile]?.guards;
  return [
    ...projects.flatMap((project) => read(project.guards, project.path, project.path)),
    ...read(defaults, path, path),
    ...(guards ? read(guards, `profile ${profile}`, `profile ${profile} of ${path}`) : []),
  ];
}

/** Returns a guard unless it is switched off. @throws {Failure} usage if its value is invalid */
function checkGuard(guard: Guard): Guard[] {
  try {
    return guardOptions[guard.name].parse(guard.text) === false ? [] : [guard];
  } catch (error) {
    throw addErrorPrefix(guard.label, error);
  }
}

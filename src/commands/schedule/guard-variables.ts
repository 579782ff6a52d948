import { type GuardName, guardFileVariable, guardPlaces } from '../../cli/command/guards.ts';
import { type RunFlags, readRunGuards } from '../../cli/guards/read-guards.ts';
import { formatPermissions, parsePermissions } from '../../contract/permissions.ts';
import type { Environment } from '../../settings/paths.ts';

/**
 * Adds the guards in the flags and the environment of this run to the variables of a job, so that the job may not write
 * more than this run. @throws {Failure} usage if one is invalid
 */
export function addGuardVariables(
  variables: Readonly<Record<string, string>>,
  globals: RunFlags,
  env: Environment,
): Record<string, string> {
  const { [guardFileVariable]: file } = env;
  const added: Record<string, string> = {
    ...variables,
    ...(file !== undefined && { [guardFileVariable]: file }),
  };
  for (const { name, text } of readRunGuards(globals, env)) {
    const { variable } = guardPlaces[name];
    const before = added[variable];
    added[variable] = before === undefined ? text : combineGuards(name, before, text);
  }
  return added;
}

/** Returns the value of a guard that is as strict as both guards. */
function combineGuards(name: GuardName, first: string, second: string): string {
  if (name === 'readonly') return second; // a guard that is switched off is not in the list
  if (name !== 'allow') return String(Math.min(Number(first), Number(second)));
  const allowed = parsePermissions(second);
  return formatPermissions(
    new Set([...parsePermissions(first)].filter((permission) => allowed.has(permission))),
  );
}

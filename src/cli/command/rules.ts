import { toFlagName } from './options.ts';

/** Returns the problem of a command's flags, if any. `describe` formats a flag: `--out DIR`. */
export type FlagRule = (
  flags: ReadonlySet<string>,
  describe: (name: string) => string,
) => string | false | undefined;

const joinWith = (names: readonly string[], word: string) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;

const describeConflict = (names: readonly string[]) =>
  names.length > 1 && `${joinWith(names.map(toFlagName), 'and')} cannot be used together.`;

export function exactlyOne(...names: readonly string[]): FlagRule {
  return (flags, describe) =>
    atLeastOne(...names)(flags, describe) || describeConflict(names.filter((name) => flags.has(name)));
}

export function atLeastOne(...names: readonly string[]): FlagRule {
  return (flags, describe) =>
    !names.some((name) => flags.has(name)) &&
    `Missing required option: ${joinWith(names.map(describe), 'or')}`;
}

export function requires(name: string, requiredName: string): FlagRule {
  return (flags) =>
    flags.has(name) &&
    !flags.has(requiredName) &&
    `${toFlagName(name)} requires ${toFlagName(requiredName)}.`;
}

export function conflicts(name: string, ...conflictingNames: readonly string[]): FlagRule {
  return (flags) =>
    flags.has(name) &&
    describeConflict([name, ...conflictingNames.filter((conflicting) => flags.has(conflicting)).slice(0, 1)]);
}

/** Requires a flag that changes records, not only flags that select records. */
export const requiresChange: FlagRule = (flags) =>
  [...flags].every((name) => name === 'where' || name === 'tz') &&
  'Nothing to update. Pass at least one field flag.';

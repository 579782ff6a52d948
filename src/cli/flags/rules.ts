import { Failure } from '../../contract/errors.ts';
import { flagName } from './options.ts';

/** Checks the flags of a command. `describe` formats a flag: `--out DIR`. @throws {Failure} usage */
export type FlagRule = (flags: ReadonlySet<string>, describe: (name: string) => string) => void;

const joinNames = (names: readonly string[], word: string) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;

/** Requires exactly one of the flags. */
export function exactlyOne(...names: readonly string[]): FlagRule {
  return (flags, describe) => {
    atLeastOne(...names)(flags, describe);
    const present = names.filter((name) => flags.has(name));
    if (present.length > 1) throw createConflict(present);
  };
}

/** Requires one or more of the flags. */
export function atLeastOne(...names: readonly string[]): FlagRule {
  return (flags, describe) => {
    if (names.some((name) => flags.has(name))) return;
    throw new Failure('usage', `Missing required option: ${joinNames(names.map(describe), 'or')}`);
  };
}

/** Allows a flag only together with another. */
export function requires(name: string, other: string): FlagRule {
  return (flags) => {
    if (flags.has(name) && !flags.has(other))
      throw new Failure('usage', `${flagName(name)} requires ${flagName(other)}.`);
  };
}

/** Allows a flag only without others. */
export function conflicts(one: string, ...others: readonly string[]): FlagRule {
  return (flags) => {
    const other = others.find((name) => flags.has(name));
    if (flags.has(one) && other !== undefined) throw createConflict([one, other]);
  };
}

/** Requires any flag, so that an update changes something. */
export const requiresChange: FlagRule = (flags) => {
  if (flags.size === 0) throw new Failure('usage', 'Nothing to update. Pass at least one field flag.');
};

function createConflict(names: readonly string[]): Failure {
  return new Failure('usage', `${joinNames(names.map(flagName), 'and')} cannot be used together.`);
}

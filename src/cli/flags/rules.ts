import { Failure } from '../../contract/errors.ts';
import type { FlagRule } from '../command.ts';
import { flagName } from './options.ts';

const inWords = (names: readonly string[], word: string) =>
  names.length < 2
    ? names.map(flagName).join('')
    : `${names.slice(0, -1).map(flagName).join(', ')} ${word} ${flagName(names.at(-1) ?? '')}`;

/** Exactly one of the flags must be given. */
export function exactlyOne(...names: readonly string[]): FlagRule {
  return (given) => {
    const count = names.filter((name) => given.has(name)).length;
    if (count === 0) throw new Failure('usage', `Give ${inWords(names, 'or')}.`);
    if (count < 2) return;
    throw new Failure(
      'usage',
      `Give ${inWords(names, 'or')}, ${names.length > 2 ? 'only one of them' : 'not both'}.`,
    );
  };
}

/** One of the flags must be given, or several. */
export function atLeastOne(...names: readonly string[]): FlagRule {
  return (given) => {
    if (!names.some((name) => given.has(name))) throw new Failure('usage', `Give ${inWords(names, 'or')}.`);
  };
}

/** A flag that makes sense only beside another. */
export function requires(name: string, other: string): FlagRule {
  return (given) => {
    if (given.has(name) && !given.has(other)) {
      throw new Failure('usage', `${flagName(name)} goes with ${flagName(other)}.`);
    }
  };
}

/** Two flags that exclude each other. */
export function conflicts(one: string, other: string): FlagRule {
  return (given) => {
    if (given.has(one) && given.has(other)) {
      throw new Failure('usage', `Give ${flagName(one)} or ${flagName(other)}, not both.`);
    }
  };
}

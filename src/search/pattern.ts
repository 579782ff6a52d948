import { errorText, Failure } from '../contract/errors.ts';
import { oneLine } from '../render/one-line.ts';

/**
 * A pattern as it was typed: a text, or a regular expression of JavaScript (flag `u`). Without a capital in it
 * it takes no notice of case, nor with `ignoreCase`. Throws `usage` where it is none.
 */
export function patternFor(
  typed: string,
  { regex, ignoreCase }: { readonly regex: boolean; readonly ignoreCase: boolean },
): RegExp {
  const pattern = regex ? typed : oneLine(typed);
  if (pattern === '') throw new Failure('usage', 'The pattern must not be empty.');
  const source = (regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).normalize('NFC');
  // `\S` and `\p{Lu}` are no capitals.
  const letters = regex ? pattern.replace(/\\p\{[^}]*\}|\\./giu, '') : pattern;
  try {
    return new RegExp(source, ignoreCase || !/\p{Lu}/u.test(letters) ? 'giu' : 'gu');
  } catch (error) {
    const reason = errorText(error);
    throw new Failure('usage', `${reason}.`, { cause: error });
  }
}

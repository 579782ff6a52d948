import { Failure } from '../contract/errors.ts';

/** A word, quoted text, operator or punctuation mark of an expression. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'operator' | 'mark' | 'end';
  /** Without quotes and backslashes. */
  readonly text: string;
  /** The position of its first character, from 1; undefined if it comes from another flag. */
  readonly column?: number;
}

/** The operators, apart from `in`. */
export const operators = ['=', '!=', '~', '<', '<=', '>', '>='] as const;

const pattern =
  /\s+|(?<mark>[(),])|(?<operator>[=!~<>]+)|(?<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?<word>[^\s(),=!~<>"'][^\s(),=!~<>]*)/suy;

/** Splits an expression into tokens; the last one is its end. @throws {Failure} usage if a closing quote is missing */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let column = 1;
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw createSyntaxFailure(column, `missing closing quote (${text[at]})`);
    const { mark, operator, quoted, word } = match.groups ?? {};
    if (mark) tokens.push({ kind: 'mark', text: mark, column });
    else if (operator) tokens.push({ kind: 'operator', text: operator, column });
    else if (quoted)
      tokens.push({ kind: 'quoted', text: quoted.slice(1, -1).replace(/\\(.)/gs, '$1'), column });
    else if (word) tokens.push({ kind: 'word', text: word, column });
    column += Array.from(match[0]).length;
    at = pattern.lastIndex;
  }
  return [...tokens, { kind: 'end', text: '', column }];
}

/** Returns a failure that points at a column of an expression. */
export function createSyntaxFailure(column: number | undefined, problem: string, hint?: string): Failure {
  return new Failure('usage', `column ${column}: ${problem}.`, { hint });
}

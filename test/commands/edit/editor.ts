import { readFileSync, statSync } from 'node:fs';
import { expect } from 'vitest';
import type { EditorText } from '../../support/kith.ts';

/** A terminal of 100 columns with an editor. */
export const terminal = { terminal: 100, rows: 30, env: { EDITOR: 'vi', NO_COLOR: '1' } };

/** Replaces parts of a text that must be there. */
export function replaceAll(
  text: string,
  replacements: readonly (readonly [before: string | RegExp, after: string])[],
) {
  return replacements.reduce((result, [before, after]) => {
    expect(result).toMatch(before);
    return result.replace(before, after);
  }, text);
}

/** Saves the text with some parts replaced. */
export const editBy =
  (...replacements: readonly (readonly [before: string | RegExp, after: string])[]): EditorText =>
  (shown) =>
    replaceAll(shown, replacements);

/** Returns the file that a hint names, and its text. */
export function readKeptFile(err: string) {
  const [, file = ''] = /saved\s+in\s+(\S+)\.\s/.exec(err) ?? [];
  return { file, text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 };
}

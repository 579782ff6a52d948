import { Failure } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import type { Correction } from './edit-text.ts';

/** The beginning of the lines at the top of a text that list its problems. */
const mark = '#!';

/** A problem, and its line in the text without the marked lines. */
interface Problem {
  readonly line?: number;
  readonly message: string;
}

/** Removes the marked lines at the top of a text. */
export function removeProblems(text: string): string {
  return text.replace(new RegExp(`^\\ufeff?(?:${mark}.*(?:\\r\\n?|\\n|$))+`), '');
}

/** An edited text, and whether it can be corrected in an editor. */
export interface EditedText {
  readonly text: string;
  readonly hasEditor: boolean;
}

/** Returns an edited text with its problems in marked lines above it, and the failure if it is not corrected. */
export function createCorrection(
  { text, hasEditor }: EditedText,
  intro: string,
  problems: readonly Problem[],
  failure?: Failure,
): Correction {
  const own = removeProblems(text);
  const format = (offset: number) =>
    problems.map(({ line, message }) =>
      sanitizeLine(line === undefined ? message : `Line ${line + offset}: ${message}`),
    );
  const lines = [intro, ...format(problems.length + 1)];
  const offset = hasEditor ? lines.length : text.slice(0, text.length - own.length).split('\n').length - 1;
  return {
    text: `${lines.map((line) => `${mark} ${line}\n`).join('')}${own}`,
    failure: failure ?? new Failure('usage', format(offset).join(' ')),
  };
}

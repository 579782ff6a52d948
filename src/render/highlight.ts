import { sanitize } from './sanitize.ts';

/** A part of a text: `start` and `end` are indexes. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
}

/** Emphasizes parts of a text, in their order, and sanitizes it. */
export function highlight(
  text: string,
  matches: readonly TextMatch[],
  mark: (match: string) => string,
): string {
  let result = '';
  let at = 0;
  for (const { start, end } of matches) {
    result += sanitize(text.slice(at, start)) + mark(sanitize(text.slice(start, end)));
    at = end;
  }
  return result + sanitize(text.slice(at));
}

import { startsUnspaced } from '../values/unspaced-scripts.ts';
import { measureWidth, splitGraphemes, truncate } from './width.ts';

/**
 * Wraps a text to lines of at most `width` columns, at spaces and between characters of scripts without spaces. The
 * last of `maxLines` lines is truncated.
 */
export function wrap(text: string, width: number, maxLines: number): string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let rest = text;
  while (lines.length < maxLines - 1) {
    const end = findLineEnd(rest, width);
    if (end === rest.length) break;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end);
  }
  return [...lines, truncate(rest.trimEnd(), width)];
}

/** Returns the index at which the next line begins. A word that is too long is split. */
function findLineEnd(text: string, width: number): number {
  let lineWidth = 0;
  let end = 0;
  let before = '';
  for (const { segment, index } of splitGraphemes(text)) {
    if (before === ' ' || (startsUnspaced.test(before) && !/^\p{P}/u.test(segment))) end = index;
    lineWidth += measureWidth(segment);
    if (lineWidth > width && segment !== ' ') return end || index || segment.length;
    before = segment;
  }
  return text.length;
}

import stringWidth from 'string-width';
import { startsUnspaced } from '../../values/unspaced-scripts.ts';

/** Latin, Hangul, kana and Chinese characters: each is one character of one or two columns. */
const simpleCharacters = /^[\x20-\x7e\xc0-\u024f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
const wideCharacters = /[\u3041-\ud7a3]/g;

/** Returns the number of terminal columns of a text. Most texts need no Unicode tables. */
export function measureWidth(text: string): number {
  if (!simpleCharacters.test(text)) return stringWidth(text);
  return text.length + (text.match(wideCharacters)?.length ?? 0);
}

/** Truncates a text to `width` columns, with an ellipsis. Never splits a grapheme, and does not measure a long text. */
export function truncate(text: string, width: number): string {
  if (2 * text.length <= width) return text; // no character has more than two columns
  if (text.length <= 4 * width && measureWidth(text) <= width) return text;
  let prefix = '';
  let prefixWidth = 0;
  for (const { segment } of splitGraphemes(text)) {
    prefixWidth += measureWidth(segment);
    if (prefixWidth > width) return `${prefix}…`;
    if (prefixWidth < width) prefix += segment;
  }
  return text;
}

/** Adds spaces to a text up to `width` columns. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return align === 'left' ? text + spaces : spaces + text;
}

/** Splits a text into graphemes, the characters that a reader sees. */
function splitGraphemes(text: string): Intl.Segments {
  return new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);
}

/**
 * Wraps a text to lines of at most `width` columns, at spaces and between characters of scripts without spaces. The
 * last of `maxLines` lines is truncated.
 */
export function wrap(text: string, width: number, maxLines = Number.POSITIVE_INFINITY): string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let remainder = text;
  while (lines.length < maxLines - 1) {
    const end = findLineEnd(remainder, width);
    if (end === remainder.length) break;
    lines.push(remainder.slice(0, end).trimEnd());
    remainder = remainder.slice(end);
  }
  return [...lines, truncate(remainder.trimEnd(), width)];
}

/** Returns the index at which the next line of a text begins. A word that is too long is split. */
export function findLineEnd(text: string, width: number): number {
  // Finding graphemes is slow, and most texts fit one line.
  if (text.length <= width && measureWidth(text) <= width) return text.length;
  let end: number | undefined;
  // The segmenter copies its text, so it gets only the usual length of a line.
  for (let size = 4 * width + 64; end === undefined && size < text.length; size *= 2)
    end = findOverflow(text.slice(0, size), width);
  end ??= findOverflow(text, width) ?? text.length;
  // Spaces at the end of a line take no room.
  while (text[end] === ' ') end += 1;
  return end;
}

/** Returns the index of the first character after the first line; undefined if the text fits one line. */
function findOverflow(text: string, width: number): number | undefined {
  let lineWidth = 0;
  let end = 0;
  let before = '';
  for (const { segment, index } of splitGraphemes(text)) {
    if (before === ' ' || (startsUnspaced(before) && !/^\p{P}/u.test(segment))) end = index;
    lineWidth += measureWidth(segment);
    if (lineWidth > width) return segment === ' ' ? index : end || index || segment.length;
    before = segment;
  }
  return undefined;
}

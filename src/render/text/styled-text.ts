import { sanitize } from './sanitize.ts';
import { findLineEnd } from './width.ts';

/** A part of a text with one style. */
export interface Span {
  readonly text: string;
  /** Emphasizes any piece of the text. If omitted, the text is plain. */
  readonly style?: ((text: string) => string) | undefined;
}

/** A part of a text: `start` and `end` are indexes. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
}

/** Sanitizes a text and divides it so that its matches, in their order, have a style. */
export function highlight(text: string, matches: readonly TextMatch[], style: Span['style']): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end } of matches) {
    spans.push({ text: sanitize(text.slice(at, start)) }, { text: sanitize(text.slice(start, end)), style });
    at = end;
  }
  return [...spans, { text: sanitize(text.slice(at)) }];
}

/**
 * Wraps styled text to painted lines of at most `width` columns, and at its line feeds. All lines but the first begin
 * with `indent` spaces.
 */
export function wrapSpans(spans: readonly Span[], width = Number.POSITIVE_INFINITY, indent = 0): string[] {
  const paintRange = createRangePainter(spans);
  const lines: string[] = [];
  let start = 0;
  const text = spans.map((span) => span.text).join('');
  for (const paragraph of text.split('\n')) {
    let remainder = paragraph;
    do {
      const margin = lines.length === 0 ? 0 : indent;
      const size = findLineEnd(remainder, Math.max(1, width - margin));
      const paintedText = paintRange(start, start + remainder.slice(0, size).trimEnd().length);
      lines.push((' '.repeat(margin) + paintedText).trimEnd());
      remainder = remainder.slice(size);
      start += size;
    } while (remainder !== '');
    start += 1;
  }
  return lines;
}

/** Returns a function that paints a range of the text. Each range must begin after the previous one. */
function createRangePainter(spans: readonly Span[]) {
  let first = 0;
  let firstAt = 0;
  return (start: number, end: number): string => {
    for (let size = spans[first]?.text.length; size !== undefined && firstAt + size <= start; ) {
      firstAt += size;
      first += 1;
      size = spans[first]?.text.length;
    }
    let paintedText = '';
    let at = firstAt;
    for (let index = first; at < end; index += 1) {
      const span = spans[index];
      if (!span) break;
      const piece = span.text.slice(Math.max(0, start - at), end - at);
      if (piece !== '') paintedText += span.style ? span.style(piece) : piece;
      at += span.text.length;
    }
    return paintedText;
  };
}

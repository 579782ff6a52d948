import { findLineEnd } from './width.ts';

/** A part of a text with one style. */
export interface Span {
  readonly text: string;
  /** Emphasizes any piece of it; if omitted, the text is plain. */
  readonly style?: ((text: string) => string) | undefined;
}

/**
 * Wraps styled text to painted lines of at most `width` columns, and at its line feeds. All lines but the first begin
 * with `indent` spaces.
 */
export function wrapSpans(spans: readonly Span[], width: number, indent = 0): string[] {
  const text = spans.map((span) => span.text).join('');
  const lines: string[] = [];
  for (let start = 0; start <= text.length; ) {
    const margin = lines.length === 0 ? 0 : indent;
    const feed = text.indexOf('\n', start);
    const paragraph = text.slice(start, feed < 0 ? undefined : feed);
    const size = findLineEnd(paragraph, Math.max(1, width - margin));
    const end = start + paragraph.slice(0, size).trimEnd().length;
    lines.push((' '.repeat(margin) + paintRange(spans, start, end)).trimEnd());
    start += size === paragraph.length ? size + 1 : size;
  }
  return lines;
}

function paintRange(spans: readonly Span[], start: number, end: number): string {
  let painted = '';
  let at = 0;
  for (const { text, style } of spans) {
    const piece = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (piece !== '') painted += style ? style(piece) : piece;
    at += text.length;
  }
  return painted;
}

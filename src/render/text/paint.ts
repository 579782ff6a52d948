import type { Display } from '../display.ts';
import { sanitize } from './sanitize.ts';

/** Functions that emphasize text for a terminal. */
export type Paint = Readonly<Record<(typeof styles)[number], (text: string) => string>>;

const styles = [
  ...(['bold', 'dim', 'italic', 'underline', 'strikethrough'] as const),
  ...(['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const),
] as const;

/** Returns each text unchanged. */
export const plainPaint = Object.fromEntries(styles.map((style) => [style, (text: string) => text])) as Paint; // fromEntries() loses the names

/** How a table, a chart or a text is drawn. */
export interface TableStyle {
  /** The width of the terminal in columns; undefined: as wide as the text. */
  readonly width: number | undefined;
  readonly paint: Paint;
  /** Whether the terminal opens hyperlinks (OSC 8); false by default. */
  readonly hasLinks?: boolean;
  /** Whether to print a header; true by default. */
  readonly header?: boolean;
  /** How values are shown; if omitted, without names and local times. */
  readonly display?: Display;
}

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

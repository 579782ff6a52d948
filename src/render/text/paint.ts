import type { Display } from '../display.ts';

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

/** Functions that emphasize text for a terminal. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

const unchanged = (text: string) => text;

/** Returns each text unchanged. */
export const plainPaint: Paint = {
  bold: unchanged,
  dim: unchanged,
  red: unchanged,
  green: unchanged,
  yellow: unchanged,
};

/** How a table or a chart is drawn. */
export interface TableStyle {
  /** The width of the terminal in columns; undefined: as wide as the text. */
  readonly width: number | undefined;
  readonly paint: Paint;
  /** Whether to print a header; true by default. */
  readonly header?: boolean;
}

/** Text with emphasis, for a stream that shows it. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

const asItIs = (text: string) => text;

/** No emphasis at all. */
export const plainPaint: Paint = { bold: asItIs, dim: asItIs, red: asItIs, green: asItIs, yellow: asItIs };

import { hasUnspaced } from '../../values/unspaced-scripts.ts';
import { measureWidth, wrap } from './width.ts';

/** A label and its value. */
export interface LabeledValue {
  readonly label: string;
  /** The texts of the value, each on its own line. */
  readonly texts: readonly string[];
  /** Renders the value in another form than wrapped texts. */
  readonly render?: ((width: number) => readonly string[]) | undefined;
}

/** How labels and values are laid out. */
export interface LabelLayout {
  readonly width: number;
  /** The width of the widest label. */
  readonly labelWidth: number;
  /** The number of spaces before a value below its label. */
  readonly indent?: number;
  /** The minimum room for a long value next to its label, in columns. */
  readonly minRoom?: number;
  /** Whether short values are also below their labels if the room is less than `minRoom`. */
  readonly isUniform?: boolean;
  readonly paintLabel?: (label: string) => string;
  readonly wrapText?: (text: string, width: number) => readonly string[];
}

/** The spaces between a label and its value. */
const gap = 2;

/**
 * Formats a label with its value next to it. The value is below the label if it has too little room there, or if a word
 * would be split.
 */
export function formatLabeled({ label, texts, render }: LabeledValue, layout: LabelLayout): string[] {
  const { width, labelWidth, indent = 2, minRoom = 24, isUniform = false } = layout;
  const { paintLabel = (label) => label, wrapText = wrap } = layout;
  const renderValue =
    render ?? ((room: number) => texts.flatMap((text) => wrapText(text, Math.max(1, room))));
  const margin = labelWidth + gap;
  const room = width - margin;
  const isTooLong = (text: string) => isUniform || measureWidth(text) > room;
  const isNarrow = room < minRoom ? isTooLong : hasLongWord(room);
  if (texts.some(isNarrow)) {
    const lines = renderValue(width - indent).map((line) => ' '.repeat(indent) + line);
    return [...wrap(label, width).map((line) => paintLabel(line)), ...lines].map((line) => line.trimEnd());
  }
  const start = paintLabel(label) + ' '.repeat(Math.max(0, margin - measureWidth(label)));
  const [first = '', ...nextLines] = renderValue(room);
  return [start + first, ...nextLines.map((line) => ' '.repeat(margin) + line)].map((line) => line.trimEnd());
}

/** Whether a text has a word that is longer than a width and must not be split. */
const hasLongWord = (width: number) => (text: string) =>
  text.length > width && text.split(' ').some((word) => measureWidth(word) > width && !hasUnspaced(word));

import type { Span } from './styled-text.ts';
import { measureWidth, truncate } from './width.ts';

/** The order in which columns are narrowed to fit the terminal: 3 first, 1 last, 0 only if nothing else helps. */
export type Shrink = 0 | 1 | 2 | 3;

/** A column to fit into a width. */
export interface ColumnSize {
  /** The width of its widest cell. */
  readonly width: number;
  readonly shrink: Shrink;
  /** A narrower column is dropped. By default, the minimum of its `shrink`. */
  readonly minimum?: number;
  /** `kept`: never dropped; `extra`: shown only if it fits without narrowing a column. */
  readonly presence?: 'kept' | 'extra' | undefined;
  /** The order in which extra columns are added. Default: 0, first. */
  readonly rank?: number | undefined;
}

/** The minimum width of a column, by its `shrink`. */
const minWidths = { 0: Number.POSITIVE_INFINITY, 1: 20, 2: 16, 3: 12 };

/** The minimum width of the columns that are never dropped. */
const minKeptWidth = 6;

/** The width to which a column may be narrowed to make room for an extra one. */
const comfortableWidth = 40;

/** The columns to narrow, by their `shrink`: first down to their minimums, and then further. */
const narrowings = [
  ...([3, 2, 1] as const).map((shrink) => [shrink, minWidths[shrink]] as const),
  ...([3, 2, 1, 0] as const).map((shrink) => [shrink, minKeptWidth] as const),
];

/** The space between two columns. */
export const gap = '  ';

/** Fits columns into a width. Returns the width of each column; undefined for a column that is dropped or empty. */
export function fitColumns(columns: readonly ColumnSize[], room: number): (number | undefined)[] {
  const filledColumns = columns.filter(({ width }) => width > 0);
  const visibleColumns = new Set(chooseColumns(filledColumns, room));
  const widths = narrowColumns(
    columns.filter((column) => visibleColumns.has(column)),
    room,
  );
  return columns.map((column) => widths.get(column));
}

/**
 * Adds columns in order of importance until the minimum width of one does not fit. Adds at least one column. Then adds
 * the extra columns that fit.
 */
function chooseColumns(columns: readonly ColumnSize[], room: number): readonly ColumnSize[] {
  const isExtra = ({ presence }: ColumnSize) => presence === 'extra';
  const main = columns.filter((column) => !isExtra(column));
  let chosenColumns = main.filter(({ presence }) => presence === 'kept');
  for (const column of main.toSorted((left, right) => left.shrink - right.shrink)) {
    if (column.presence === 'kept') continue;
    const isFitting = sumWidths([...chosenColumns, column].map(getMinimum)) <= room;
    if (!isFitting && chosenColumns.length > 0) break;
    chosenColumns = [...chosenColumns, column];
  }
  const extras = columns.filter(isExtra).toSorted((left, right) => getRank(left) - getRank(right));
  for (const column of extras) {
    const widths = [...chosenColumns, column].map(({ width }) => Math.min(width, comfortableWidth));
    if (sumWidths(widths) <= room) chosenColumns = [...chosenColumns, column];
  }
  return chosenColumns;
}

const getRank = ({ rank = 0 }: ColumnSize) => rank;

const getMinimum = ({ width, shrink, minimum = minWidths[shrink] }: ColumnSize) => Math.min(width, minimum);

/** Narrows the widest column first; of equally wide columns, the last one. */
function narrowColumns(columns: readonly ColumnSize[], room: number): ReadonlyMap<ColumnSize, number> {
  const sizes = columns.map((column) => ({ column, width: Math.min(column.width, room) }));
  for (const [shrink, limit] of narrowings) {
    const group = sizes.filter(({ column }) => column.shrink === shrink);
    while (sumWidths(sizes.map(({ width }) => width)) > room) {
      const widest = group.toSorted((left, right) => left.width - right.width).at(-1);
      if (widest === undefined || widest.width <= Math.min(limit, widest.column.minimum ?? limit)) break;
      widest.width -= 1;
    }
  }
  return new Map(sizes.map(({ column, width }) => [column, width]));
}

/** Returns the width of columns next to each other. */
function sumWidths(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
}

/** A cell of a row. Its style emphasizes the text, without the spaces around it. */
export interface Cell extends Span {
  readonly isRightAligned?: boolean | undefined;
}

/** Formats the cells of a row in columns of the given widths, without the cells of dropped columns. */
export function formatRow(cells: readonly Cell[], widths: readonly (number | undefined)[]): string {
  const texts = cells.flatMap(({ text, style = (text) => text, isRightAligned }, index) => {
    const width = widths[index];
    if (width === undefined) return [];
    const visibleText = truncate(text, width);
    const space = ' '.repeat(Math.max(0, width - measureWidth(visibleText)));
    return [isRightAligned ? space + style(visibleText) : style(visibleText) + space];
  });
  return texts.join(gap).trimEnd();
}

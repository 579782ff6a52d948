import Table from 'cli-table3';
import type { Column, View } from './columns.ts';
import { fieldsOf, formatCell } from './fields.ts';
import type { Paint } from './paint.ts';
import { sanitizeLine } from './sanitize.ts';
import { measureWidth } from './width.ts';

/** How a table is drawn. */
export interface TableStyle {
  /** Columns of the terminal; undefined: as wide as the text is. */
  readonly width: number | undefined;
  readonly paint: Paint;
  /** Whether the first row names the columns; it does where nothing is said. */
  readonly header?: boolean;
}

const gap = 2;
const narrowest = 6;

/**
 * Draws a list in batches, with the widths that the first batch settles: cli-table3 takes far more than
 * linear time, and a list may be long.
 */
export function createTableRenderer(
  view: View,
  { width, paint, header = true }: TableStyle,
): (records: readonly unknown[]) => string {
  let settled: readonly Fitted[] | undefined;
  return (records) => {
    const isFirst = settled === undefined;
    settled ??= settledFor(view(records), records, width);
    const table = new Table({
      chars: bare,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
      // Where nothing is cut, a later batch may need more room than the first.
      colWidths: settled.map((fit) => (width === undefined ? widest(fit, records) : fit.width)),
      colAligns: settled.map(({ column }) => (column.isRightAligned ? 'right' : 'left')),
    });
    const limit = (fit: Fitted) => (width === undefined ? Number.POSITIVE_INFINITY : fit.width);
    if (isFirst && header)
      table.push(settled.map((fit) => paint.bold(truncate(titleOf(fit.column), limit(fit)))));
    for (const record of records)
      table.push(settled.map((fit) => truncate(textOf(fit.column, record), limit(fit))));
    return `${table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')}\n`;
  };
}

function settledFor(
  columns: readonly Column[],
  records: readonly unknown[],
  width: number | undefined,
): readonly Fitted[] {
  const whole = columns.map((column) => ({
    column,
    width: widest({ column, width: Math.max(1, measureWidth(titleOf(column))) }, records),
  }));
  return fitted(whole, width);
}

function widest({ column, width }: Fitted, records: readonly unknown[]): number {
  return Math.max(width, ...records.map((record) => measureWidth(textOf(column, record))));
}

function titleOf({ name, title = name }: Column): string {
  return sanitizeLine(title).replace(/_id$/, '').replaceAll('_', ' ').toUpperCase();
}

function textOf({ cell, display: shown = cell }: Column, record: unknown): string {
  return sanitizeLine(formatCell(shown(fieldsOf(record)), ', '));
}

/** One record as lines of name and value. */
export function renderDetails(
  pairs: readonly (readonly [name: string, value: string])[],
  paint: Paint,
): string {
  const widest = Math.max(0, ...pairs.map(([name]) => measureWidth(name)));
  return pairs
    .map(([name, value]) =>
      `${paint.bold(name)}${' '.repeat(widest - measureWidth(name) + gap)}${value}`.trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

const bare = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid'
    .split(' ')
    .map((name) => [name, '']),
);
bare.middle = ' '.repeat(gap);

/** A column with its cells, and how wide it is drawn. */
interface Fitted {
  readonly column: Column;
  readonly width: number;
}

/** How narrow a column of each rank may become before it is left out instead. */
const floors = [Number.POSITIVE_INFINITY, 20, 16, 12];

/**
 * The columns that have room, with widths that fit the terminal: those that give first are narrowed first, and
 * left out where they would be too narrow to say anything. A last column then says how many are missing.
 */
function fitted(whole: readonly Fitted[], width: number | undefined): readonly Fitted[] {
  if (width === undefined || total(whole) <= width) return whole;
  let kept = whole;
  let room = width;
  const least = () =>
    total(kept.map(({ column, width }) => ({ width: Math.min(width, floors[rankOf(column)] ?? 1) })));
  while (least() > room) {
    const rank = Math.max(...kept.map(({ column }) => rankOf(column)));
    if (kept.length === 1) break;
    const last = kept.findLastIndex(({ column }) => rankOf(column) === rank);
    kept = kept.filter((_, index) => index !== last);
    room = width - gap - 3;
  }
  const left = whole.length - kept.length;
  const shown = narrowed(kept, room);
  return left === 0 ? shown : [...shown, { column: { name: `+${left}`, cell: () => '' }, width: 3 }];
}

/** Takes a column of the terminal at a time from the widest of those that give first. */
function narrowed(columns: readonly Fitted[], room: number): Fitted[] {
  const widths = columns.map(({ width }) => width);
  for (const rank of [3, 2, 1, 0]) {
    const floor = rank === 0 ? narrowest : (floors[rank] ?? narrowest);
    while (total(widths.map((width) => ({ width }))) > room) {
      const widest = Math.max(
        ...columns.map(({ column }, index) => (rankOf(column) === rank ? (widths[index] ?? 0) : 0)),
      );
      if (widest <= floor) break;
      const at = columns.findLastIndex(
        ({ column }, index) => rankOf(column) === rank && widths[index] === widest,
      );
      widths[at] = widest - 1;
    }
  }
  return columns.map(({ column }, index) => ({ column, width: widths[index] ?? 1 }));
}

const rankOf = ({ shrink: give = 2 }: Column) => give;

function total(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, gap * (columns.length - 1));
}

/** A text cut to so many columns, with an ellipsis, between two of the characters that a person sees. */
export function truncate(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let result = '';
  let taken = 0;
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    const more = measureWidth(segment);
    if (taken + more > width - 1) break;
    result += segment;
    taken += more;
  }
  return `${result}…`;
}

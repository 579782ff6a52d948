import Table from 'cli-table3';
import stringWidth from 'string-width';
import { type Column, cellText, fieldsOf, type View } from './columns.ts';
import type { Paint } from './paint.ts';
import { safeLine } from './safe.ts';

/** How a table is drawn. */
export interface Drawing {
  /** Columns of the terminal; undefined: as wide as the text is. */
  readonly width: number | undefined;
  readonly paint: Paint;
}

const gap = 2;
const narrowest = 6;

/**
 * Draws a list in batches, with the widths that the first batch settles: cli-table3 takes far more than
 * linear time, and a list may be long.
 */
export function tableOf(view: View, { width, paint }: Drawing): (records: readonly unknown[]) => string {
  let settled: { columns: readonly Column[]; widths: number[] } | undefined;
  return (records) => {
    const isFirst = settled === undefined;
    const columns: readonly Column[] = settled?.columns ?? shownIn(width, view(records));
    const rows = records.map((record) =>
      columns.map(({ cell }) => safeLine(cellText(cell(fieldsOf(record)), ', '))),
    );
    const titles = columns.map(({ name }) =>
      safeLine(name).replace(/_id$/, '').replaceAll('_', ' ').toUpperCase(),
    );
    settled ??= { columns, widths: fitted(columns, naturalWidths([titles, ...rows]), width) };
    const { widths } = settled;
    const table = new Table({
      chars: bare,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
      colWidths: width === undefined && !isFirst ? [] : widths,
      colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
    });
    const limit = width === undefined ? undefined : widths;
    if (isFirst) table.push(shortened(titles, limit).map(paint.bold));
    for (const row of rows) table.push(shortened(row, limit));
    return `${table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')}\n`;
  };
}

/** One record as lines of name and value. */
export function detailsOf(pairs: readonly (readonly [name: string, value: string])[], paint: Paint): string {
  const widest = Math.max(0, ...pairs.map(([name]) => stringWidth(name)));
  return pairs
    .map(([name, value]) =>
      `${paint.bold(name)}${' '.repeat(widest - stringWidth(name) + gap)}${value}`.trimEnd(),
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

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, index) => Math.max(1, ...rows.map((row) => stringWidth(row[index] ?? ''))));
}

/** The columns that have room; where some have none, a last one says how many. */
function shownIn(width: number | undefined, columns: readonly Column[]): readonly Column[] {
  const room = width === undefined ? columns.length : Math.floor((width + gap) / (narrowest + gap));
  if (columns.length <= room) return columns;
  const leaving = columns.toSorted((one, other) => (other.give ?? 2) - (one.give ?? 2));
  const gone = new Set(leaving.slice(0, columns.length - room + 1));
  return [
    ...columns.filter((column) => !gone.has(column)),
    { name: `+${gone.size}`, cell: () => '', give: 0 },
  ];
}

/** Widths that fit the terminal: the columns that give first are narrowed first, the widest of them most. */
function fitted(columns: readonly Column[], natural: readonly number[], width: number | undefined): number[] {
  const widths = [...natural];
  if (width === undefined) return widths;
  let excess = widths.reduce((sum, each) => sum + each, gap * (widths.length - 1)) - width;
  for (const rank of [3, 2, 1, 0]) {
    while (excess > 0) {
      const at = columns.reduce((widest, column, index) => {
        const gives = (column.give ?? 2) === rank && (widths[index] ?? 0) > narrowest;
        return gives && (widths[index] ?? 0) > (widths[widest] ?? 0) ? index : widest;
      }, -1);
      if (at < 0) break;
      widths[at] = (widths[at] ?? 0) - 1;
      excess -= 1;
    }
  }
  return widths;
}

function shortened(row: readonly string[], widths: readonly number[] | undefined): string[] {
  return row.map((text, index) => cut(text, widths?.[index] ?? Number.POSITIVE_INFINITY));
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text cut to so many columns, with an ellipsis, between two of the characters that a person sees. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let result = '';
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    const more = stringWidth(segment);
    if (taken + more > width - 1) break;
    result += segment;
    taken += more;
  }
  return `${result}…`;
}

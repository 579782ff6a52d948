import Table from 'cli-table3';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { formatCell } from './cells.ts';
import type { RecordRenderer } from './delimited.ts';
import type { TableStyle } from './paint.ts';
import { sanitizeLine } from './sanitize.ts';
import type { Column, View } from './views.ts';
import { measureWidth, truncate } from './width.ts';

interface SizedColumn {
  readonly column: Column;
  readonly width: number;
}

const gap = 2;

/** The minimum width of a column, by its `shrink`. A narrower column is dropped. */
const minWidths = { 0: Number.POSITIVE_INFINITY, 1: 20, 2: 16, 3: 12 };

/** The minimum width of a column that is never dropped. */
const minWidthOfFixed = 6;

/** Creates a renderer of tables. The first batch determines the columns, and their widths if the terminal has one. */
export function createTableRenderer(view: View, { width, paint, header = true }: TableStyle): RecordRenderer {
  let columns: readonly SizedColumn[] | undefined;
  return (values) => {
    const records = values.map(readObject);
    const isFirst = columns === undefined;
    columns ??= fitColumns(
      view(records).map((column) => sizeColumn(column, records)),
      width,
    );
    // Without a terminal nothing is truncated, so a later batch may need wider columns.
    const sized =
      width === undefined ? columns.map((one) => sizeColumn(one.column, records, one.width)) : columns;
    const table = new Table({
      chars: borderless,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
      colWidths: sized.map((one) => one.width),
      colAligns: sized.map(({ column }) => (column.isRightAligned ? 'right' : 'left')),
    });
    if (isFirst && header)
      table.push(sized.map((one) => paint.bold(truncate(formatTitle(one.column), one.width))));
    for (const record of records)
      table.push(sized.map((one) => truncate(formatDisplay(one.column, record), one.width)));
    return table.toString().replace(/ *$/gm, '').concat('\n');
  };
}

const borderless = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ mid: '', 'mid-mid': '', left: '', 'left-mid': '', right: '', 'right-mid': '' },
  middle: ' '.repeat(gap),
};

function sizeColumn(column: Column, records: readonly JsonObject[], minimum = 1): SizedColumn {
  const texts = [formatTitle(column), ...records.map((record) => formatDisplay(column, record))];
  return { column, width: Math.max(minimum, ...texts.map(measureWidth)) };
}

function formatTitle({ name, title = name }: Column): string {
  return sanitizeLine(title).replace(/_id$/, '').replaceAll('_', ' ').toUpperCase();
}

function formatDisplay(column: Column, record: JsonObject): string {
  return sanitizeLine(formatCell((column.display ?? column.cell)(record), ', '));
}

/** Drops and narrows columns so that they fit the terminal. The title of a last column counts the dropped columns. */
function fitColumns(columns: readonly SizedColumn[], width: number | undefined): readonly SizedColumn[] {
  if (width === undefined || sumWidths(columns) <= width) return columns;
  let kept = columns;
  let room = width;
  while (kept.length > 1 && sumWidths(kept.map(narrow)) > room) {
    const shrink = Math.max(...kept.map(shrinkOf));
    const last = kept.findLastIndex((one) => shrinkOf(one) === shrink);
    kept = kept.toSpliced(last, 1);
    room = width - gap - 3;
  }
  const narrowed = narrowColumns(kept, room);
  const dropped = columns.length - kept.length;
  if (dropped === 0) return narrowed;
  return [...narrowed, { column: { name: `+${dropped}`, cell: () => '' }, width: 3 }];
}

/** Narrows the widest columns first, and of equally wide ones the last, starting with those that shrink first. */
function narrowColumns(columns: readonly SizedColumn[], room: number): readonly SizedColumn[] {
  const narrowed = columns.map((one) => ({ ...one }));
  for (const shrink of [3, 2, 1, 0] as const) {
    const group = narrowed.filter((one) => shrinkOf(one) === shrink);
    const minimum = shrink === 0 ? minWidthOfFixed : minWidths[shrink];
    while (sumWidths(narrowed) > room) {
      const widest = group.toSorted((one, other) => one.width - other.width).at(-1);
      if (widest === undefined || widest.width <= minimum) break;
      widest.width -= 1;
    }
  }
  return narrowed;
}

const shrinkOf = ({ column: { shrink = 2 } }: SizedColumn) => shrink;

const narrow = (one: SizedColumn) => ({ ...one, width: Math.min(one.width, minWidths[shrinkOf(one)]) });

const sumWidths = (columns: readonly SizedColumn[]) =>
  columns.reduce((sum, { width }) => sum + width, gap * (columns.length - 1));

import Table from 'cli-table3';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { collectReferences, type Reference } from './collect-references.ts';
import type { RecordRenderer } from './delimited.ts';
import { type Display, formatColumn, formatTitle, listItems, plainDisplay } from './display.ts';
import type { TableStyle } from './text/paint.ts';
import { measureWidth, truncate } from './text/width.ts';
import type { Column, View } from './views.ts';

interface SizedColumn {
  readonly column: Column;
  readonly width: number;
}

/** Renders tables in batches. The first one determines the columns, and their widths if the terminal has one. */
export interface TableRenderer extends RecordRenderer {
  /** Returns the records and people that the table of a batch shows by name. */
  readonly listReferences: (records: readonly unknown[]) => Reference[];
  /** Returns the columns for which the terminal has no room. */
  readonly getHiddenColumns: () => readonly Column[];
}

const gap = 2;

/** The minimum width of a column, by its `shrink`. A narrower column is dropped. */
const minWidths = { 0: Number.POSITIVE_INFINITY, 1: 20, 2: 16, 3: 12 };

/** The minimum width of the columns that are never dropped. */
const minWidthOfFixed = 6;

/** The width to which a column may be narrowed to make room for another one. */
const comfortableWidth = 40;

/** The width that names are expected to have. */
const nameWidth = 18;

/** Creates a renderer of tables. */
export function createTableRenderer(
  view: View,
  { width, paint, header = true, display = plainDisplay }: TableStyle,
): TableRenderer {
  let all: readonly Column[] = [];
  let visibleColumns: readonly Column[] | undefined;
  let currentColumns: readonly SizedColumn[] | undefined;
  const choose = (records: readonly JsonObject[]) => {
    if (visibleColumns) return visibleColumns;
    all = sortColumns(view(records));
    visibleColumns =
      width === undefined
        ? all
        : chooseColumns(all, records, { ...display, getName: plainDisplay.getName }, width);
    return visibleColumns;
  };
  const render = (values: readonly unknown[]) => {
    const records = values.map(readObject);
    const columns = choose(records);
    const isFirst = currentColumns === undefined;
    // Later batches widen ids if necessary, and any column if nothing is truncated.
    const natural = columns.map((column, index) => {
      const one = currentColumns?.[index];
      const isKept = one !== undefined && width !== undefined && getShrink(one) !== 0;
      return isKept ? one : sizeColumn(column, records, display, one?.width);
    });
    const current = width === undefined ? natural : narrowColumns(natural, width);
    currentColumns = current;
    const table = new Table({
      chars: borderless,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
      colWidths: current.map((one) => one.width),
      colAligns: current.map(({ column }) => (column.isRightAligned ? 'right' : 'left')),
    });
    const formatRow = (format: (column: Column, width: number) => string) =>
      // The library measures composed characters only.
      current.map((one) => truncate(format(one.column, one.width).normalize('NFC'), one.width));
    if (isFirst && header) table.push(formatRow(formatHeader).map((title) => paint.bold(title)));
    for (const record of records)
      table.push(formatRow((column, width) => formatColumn(column, record, display, width)));
    return table.toString().replace(/ *$/gm, '').concat('\n');
  };
  const listReferences = (values: readonly unknown[]) => {
    const records = values.map(readObject);
    const columns = choose(records).filter(({ reference }) => reference);
    return collectReferences((getName) => {
      for (const record of records)
        for (const column of columns) formatColumn(column, record, { ...display, getName });
    });
  };
  const getHiddenColumns = () => all.filter((column) => !visibleColumns?.includes(column));
  return Object.assign(render, { listReferences, getHiddenColumns });
}

const borderless = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ mid: '', 'mid-mid': '', left: '', 'left-mid': '', right: '', 'right-mid': '' },
  middle: ' '.repeat(gap),
};

const formatHeader = (column: Column) => formatTitle(column).toUpperCase();

/** Returns the columns of a table in their order: the leading ones come first. */
function sortColumns(columns: readonly Column[]): readonly Column[] {
  const ofTable = columns.filter(({ place }) => place !== 'data' && place !== 'details');
  const isLead = ({ place }: Column) => place === 'lead';
  return [...ofTable.filter(isLead), ...ofTable.filter((column) => !isLead(column))];
}

function sizeColumn(
  column: Column,
  records: readonly JsonObject[],
  display: Display,
  minimum = 1,
): SizedColumn {
  const texts = [formatHeader(column), ...records.map((record) => formatColumn(column, record, display))];
  return { column, width: Math.max(minimum, ...texts.map(measureWidth)) };
}

/**
 * Chooses the columns that fit the terminal, before names are known. Columns are dropped if there is no room for their
 * minimum widths. The other columns are added if they fit without narrowing any.
 */
function chooseColumns(
  columns: readonly Column[],
  records: readonly JsonObject[],
  display: Display,
  width: number,
): readonly Column[] {
  const candidates = columns.map((column) => {
    const one = sizeColumn(column, records, display);
    const hasNames = column.reference && records.some((record) => listItems(column, record).length > 0);
    return hasNames ? { column, width: nameWidth } : one;
  });
  let mainColumns = candidates.filter(({ column }) => column.place !== 'extra');
  const hasRoom = sumWidths(mainColumns.map(narrow)) <= width;
  while (mainColumns.length > 1 && sumWidths(mainColumns.map(narrow)) > width) {
    const shrink = Math.max(...mainColumns.map(getShrink));
    mainColumns = mainColumns.toSpliced(
      mainColumns.findLastIndex((one) => getShrink(one) === shrink),
      1,
    );
  }
  let result = mainColumns.map(limitWidth);
  for (const one of hasRoom ? candidates : []) {
    if (one.column.place !== 'extra') continue;
    const more = [...result, limitWidth(one)];
    if (sumWidths(more) <= width) result = more;
  }
  const resultColumns = new Set(result.map(({ column }) => column));
  return columns.filter((column) => resultColumns.has(column));
}

/** The columns to narrow, by their `shrink`, and down to which width; in order until the table fits. */
const narrowings = [
  ...([3, 2, 1] as const).map((shrink) => [shrink, minWidths[shrink]] as const),
  ...([3, 2, 1, 0] as const).map((shrink) => [shrink, minWidthOfFixed] as const),
];

/** Narrows the widest columns first, and of equally wide ones the last. */
function narrowColumns(columns: readonly SizedColumn[], room: number): readonly SizedColumn[] {
  const result = columns.map((one) => ({ ...one }));
  for (const [shrink, minimum] of narrowings) {
    const group = result.filter((one) => getShrink(one) === shrink);
    while (sumWidths(result) > room) {
      const widest = group.toSorted((one, other) => one.width - other.width).at(-1);
      if (widest === undefined || widest.width <= minimum) break;
      widest.width -= 1;
    }
  }
  return result;
}

const getShrink = ({ column: { shrink = 2 } }: SizedColumn) => shrink;

const narrow = (one: SizedColumn) => ({ ...one, width: Math.min(one.width, minWidths[getShrink(one)]) });

const limitWidth = (one: SizedColumn) => ({ ...one, width: Math.min(one.width, comfortableWidth) });

const sumWidths = (columns: readonly SizedColumn[]) =>
  columns.reduce((sum, { width }) => sum + width, gap * (columns.length - 1));

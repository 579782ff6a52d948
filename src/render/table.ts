import Table from 'cli-table3';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { collectReferences, type Reference } from './collect-references.ts';
import type { Column, View } from './columns.ts';
import type { RecordRenderer } from './delimited.ts';
import { type Display, formatColumn, formatTitle, listItems, plainDisplay } from './display.ts';
import { type ColumnSize, fitColumns, gap } from './text/fit-columns.ts';
import type { TableStyle } from './text/paint.ts';
import { measureWidth, truncate } from './text/width.ts';

/** Renders tables in batches. The first batch determines the columns and, in a terminal, their widths. */
export interface TableRenderer extends RecordRenderer {
  /** Returns the records and people that the table of a batch shows by name. */
  readonly listReferences: (records: readonly unknown[]) => Reference[];
  /** Returns the columns for which the terminal has no room. */
  readonly getHiddenColumns: () => readonly Column[];
}

/** The expected width of names. */
const nameWidth = 18;

/** Creates a renderer of tables. */
export function createTableRenderer(
  view: View,
  { width = Number.POSITIVE_INFINITY, paint, header = true, display = plainDisplay }: TableStyle,
): TableRenderer {
  let all: readonly Column[] = [];
  let visibleColumns: readonly Column[] | undefined;
  let currentWidths: readonly number[] | undefined;
  const choose = (records: readonly JsonObject[]) => {
    if (visibleColumns) return visibleColumns;
    all = sortColumns(view(records)).map((column) => alignNumbers(column, records));
    visibleColumns = chooseColumns(all, records, display, width);
    return visibleColumns;
  };
  const render = (values: readonly unknown[]) => {
    const records = values.map(readObject);
    const columns = choose(records);
    const isFirst = currentWidths === undefined;
    // Later batches widen ids if necessary, and any column if nothing is truncated.
    const sizes = columns.map((column, index) => {
      const current = currentWidths?.[index] ?? 1;
      const isWidened = isFirst || width === Number.POSITIVE_INFINITY || getShrink(column) === 0;
      const natural = isWidened ? measureColumn(column, records, display) : current;
      return { width: Math.max(current, natural), ...getNarrowing(column), presence: 'kept' } as const;
    });
    const widths = fitColumns(sizes, width).map((size) => size ?? 1);
    currentWidths = widths;
    const table = new Table({
      chars: borderless,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
      colWidths: widths,
      colAligns: columns.map(({ isRightAligned }) => (isRightAligned ? 'right' : 'left')),
    });
    const formatRow = (formatCell: (column: Column, width: number) => string) =>
      // The library measures composed characters only.
      columns.map((column, index) => {
        const cellWidth = widths[index] ?? 1;
        return truncate(formatCell(column, cellWidth).normalize('NFC'), cellWidth);
      });
    if (isFirst && header) table.push(formatRow(formatHeader).map((title) => paint.bold(title)));
    for (const record of records)
      table.push(formatRow((column, cellWidth) => formatColumn(column, record, display, cellWidth)));
    return table.length === 0 ? '' : table.toString().replace(/ *$/gm, '').concat('\n');
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
  middle: gap,
};

const formatHeader = (column: Column) => formatTitle(column).toUpperCase();

/** Returns the columns of a table in order, the leading columns first. */
function sortColumns(columns: readonly Column[]): readonly Column[] {
  const ofTable = columns.filter(({ place }) => place !== 'data' && place !== 'details');
  const isLead = ({ place }: Column) => place === 'lead';
  return [...ofTable.filter(isLead), ...ofTable.filter((column) => !isLead(column))];
}

/** Returns a column right-aligned if all its values are numbers, such as a field that --fields selects by its path. */
function alignNumbers(column: Column, records: readonly JsonObject[]): Column {
  if (column.isRightAligned !== undefined) return column;
  const items = records.flatMap((record) => listItems(column, record));
  const isRightAligned = items.length > 0 && items.every((item) => typeof item === 'number');
  return isRightAligned ? { ...column, isRightAligned } : column;
}

/** Returns the width of the widest cell of a column, or of its header. */
function measureColumn(column: Column, records: readonly JsonObject[], display: Display): number {
  const texts = [formatHeader(column), ...records.map((record) => formatColumn(column, record, display))];
  return Math.max(...texts.map(measureWidth));
}

/** Chooses the columns that fit the terminal, before names are known. */
function chooseColumns(
  columns: readonly Column[],
  records: readonly JsonObject[],
  display: Display,
  width: number,
): readonly Column[] {
  if (width === Number.POSITIVE_INFINITY) return columns;
  const displayWithoutNames = { ...display, getName: plainDisplay.getName };
  const sizes = columns.map((column) => {
    const hasNames = column.reference && records.some((record) => listItems(column, record).length > 0);
    return {
      width: hasNames ? nameWidth : measureColumn(column, records, displayWithoutNames),
      ...getNarrowing(column),
      ...describePresence(column, columns, records),
    };
  });
  const widths = fitColumns(sizes, width);
  return columns.filter((_, index) => widths[index] !== undefined);
}

/** Returns how a column is chosen if not all columns fit. The column with the highest rank is hidden first. */
function describePresence(
  column: Column,
  columns: readonly Column[],
  records: readonly JsonObject[],
): Pick<ColumnSize, 'presence' | 'rank'> {
  const isFilled = (candidate: Column) => records.some((record) => listItems(candidate, record).length > 0);
  const key = columns.find(({ name }) => name === 'key');
  if (column.name === 'id' && key && isFilled(key)) return { presence: 'extra', rank: 3 };
  if (records.length > 0 && !isFilled(column)) return { presence: 'extra', rank: 2 };
  if (column.place !== 'extra') return {};
  return { presence: 'extra', rank: column.isNumber ? 1 : 0 };
}

/** Minimum width of a text column. It is small because more columns are more useful than longer texts. */
const minTextWidth = 14;

function getNarrowing(column: Column): Pick<ColumnSize, 'shrink' | 'minimum'> {
  const shrink = getShrink(column);
  return shrink === 1 || shrink === 2 ? { shrink, minimum: minTextWidth } : { shrink };
}

const getShrink = ({ shrink = 2 }: Column) => shrink;

import Table from 'cli-table3';
import { type JsonObject, readObject } from '../values/json-object.ts';
import {
  type ChosenColumns,
  chooseColumns,
  formatHeader,
  formatSame,
  getNarrowing,
  isSame,
  measureColumn,
  type Screen,
} from './choose-columns.ts';
import { collectReferences, type Reference } from './collect-references.ts';
import type { Column, View } from './columns.ts';
import type { RecordRenderer } from './delimited.ts';
import { formatColumn, plainDisplay } from './display.ts';
import { fitColumns, gap } from './text/fit-columns.ts';
import type { TableStyle } from './text/paint.ts';
import { truncate } from './text/width.ts';

/** Renders tables in batches. The first batch determines the columns and, in a terminal, their widths. */
export interface TableRenderer extends RecordRenderer {
  /** Returns the records and people that the table of a batch shows by name. */
  readonly listReferences: (records: readonly unknown[]) => Reference[];
  /** Returns the columns for which the terminal has no room. */
  readonly getHiddenColumns: () => readonly Column[];
  /** Returns the values that all rows have, whose columns are hidden: `state open`. */
  readonly listSame: () => readonly string[];
}

/** Creates a renderer of tables. */
export function createTableRenderer(
  view: View,
  { width = Number.POSITIVE_INFINITY, paint, header = true, display = plainDisplay }: TableStyle,
  screen: Screen = {},
): TableRenderer {
  let chosen: ChosenColumns | undefined;
  let currentWidths: readonly number[] | undefined;
  const choose = (records: readonly JsonObject[]) => {
    chosen ??= chooseColumns(view, { records, display, width, ...screen });
    return chosen;
  };
  const render = (values: readonly unknown[]) => {
    const records = values.map(readObject);
    const { visible: columns, same } = choose(records);
    const isFirst = currentWidths === undefined;
    for (const [column, record] of same) if (!isSame(column, record, records)) same.delete(column);
    // Later batches widen ids if necessary, and any column if nothing is truncated.
    const sizes = columns.map((column, index) => {
      const current = currentWidths?.[index] ?? 1;
      const isWidened = isFirst || width === Number.POSITIVE_INFINITY || getNarrowing(column).shrink === 0;
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
    const { visible, same } = choose(records);
    const columns = [...visible, ...same.keys()].filter(({ reference }) => reference);
    return collectReferences((getName) => {
      for (const record of records)
        for (const column of columns) formatColumn(column, record, { ...display, getName });
    });
  };
  const getHiddenColumns = () => {
    const { all = [], visible = [], same } = chosen ?? {};
    return all.filter((column) => !visible.includes(column) && !same?.has(column));
  };
  const listSame = () => (chosen ? formatSame(chosen, display) : []);
  return Object.assign(render, { listReferences, getHiddenColumns, listSame });
}

const borderless = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ mid: '', 'mid-mid': '', left: '', 'left-mid': '', right: '', 'right-mid': '' },
  middle: gap,
};

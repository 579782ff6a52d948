import writeXlsxFile, { type Cell, type SheetData } from 'write-excel-file/node';
import { createLocalFormat, isDate, isDateTime } from '../values/dates.ts';
import type { JsonObject } from '../values/json-object.ts';
import { joinValues } from './cells.ts';
import type { Column } from './columns.ts';
import { type Display, formatColumn } from './display.ts';

/** The longest text that Excel opens in a cell. */
const maxTextLength = 32_767;

/** Creates a function that returns numbers, dates and times as such, and other values as a table shows them. */
export function createCellReader(
  display: Display,
  zone: string | undefined,
  redact: (text: string) => string,
): (column: Column, record: JsonObject) => Cell {
  const toLocalTime = createLocalFormat(zone);
  const toText = (text: string) => (text === '' ? null : redact(text).slice(0, maxTextLength));
  return (column, record) => {
    const value = column.cell(record);
    if (typeof value === 'number') return value;
    const hasTexts = [value].flat().every((item) => typeof item === 'string');
    if (!hasTexts || column.reference?.(record)) return toText(formatColumn(column, record, display));
    if (typeof value !== 'string') return toText(joinValues(value)); // as an import reads them
    if (column.isRightAligned && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value);
    if (isDate(value)) return { value: new Date(value), format: 'yyyy-mm-dd' };
    // A time of Excel has no zone.
    if (isDateTime(value))
      return { value: new Date(`${toLocalTime(Date.parse(value))}Z`), format: 'yyyy-mm-dd hh:mm' };
    return toText(value);
  };
}

/** Returns a workbook with one sheet: a bold header that stays visible, and rows. */
export async function renderWorkbook(titles: readonly string[], rows: SheetData): Promise<Buffer> {
  const header = titles.map((value): Cell => ({ value, fontWeight: 'bold' }));
  return writeXlsxFile([header, ...rows], { stickyRowsCount: 1 }).toBuffer();
}

import type { TableRow } from '../text-rows.ts';
import { type Archive, createTextReader, parsedChunks, unescapeText, WorkbookError } from './archive.ts';
import { type Calendar, formatIsoDate, formatNumber } from './number-format.ts';
import type { Workbook, Worksheet } from './workbook.ts';

/** The maximum size of a worksheet in Excel. */
const maxRows = 1_048_576;
const maxColumns = 16_384;

/** The maximum size of the rows in bytes, more than a full worksheet with 20 columns has. */
const maxBytes = 2048 * 1024 * 1024;

/** A cell in the XML. */
interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
  hasFormula: boolean;
}

/** Yields the rows of a worksheet as texts, without empty rows. */
export async function* worksheetRows(
  archive: Archive,
  { part }: Worksheet,
  workbook: Workbook,
  calendar: Calendar,
): AsyncGenerator<TableRow> {
  const bytes = await archive.read(part, maxBytes);
  if (!bytes) throw new WorkbookError(`its part ${part} is missing`);
  const ready: TableRow[] = [];
  const inline = createTextReader();
  let isInside = false;
  let row = 0;
  let cells: string[] = [];
  let errors: Record<number, string> | undefined;
  let cell: Cell | undefined;
  let reading: 'value' | 'inline' | undefined;
  const rows = parsedChunks(bytes, {
    open(name, attributes) {
      if (name === 'sheetData') isInside = true;
      if (!isInside) return;
      if (name === 'row') {
        row = rowNumber(attributes().r, row);
        cells = [];
        errors = undefined;
      } else if (name === 'c') cell = openCell(attributes(), cell?.column ?? 0);
      else if (name === 'v') reading = 'value';
      else if (name === 'is') reading = 'inline';
      else if (name === 'f' && cell) cell.hasFormula = true;
      if (reading === 'inline') inline.open(name);
    },
    text(text) {
      if (reading === 'inline') inline.text(text);
      else if (reading === 'value' && cell) cell.value += text;
    },
    close(name) {
      if (reading === 'inline') inline.close(name);
      if (name === 'v') reading = undefined;
      else if (name === 'is') {
        reading = undefined;
        if (cell) cell.value = inline.take();
      } else if (name === 'c' && cell) {
        const read = readCell(cell, workbook, calendar);
        if (read.error) {
          errors = { ...errors, [cell.column - 1]: `Cell ${columnName(cell.column)}${row} ${read.error}.` };
        }
        if (read.text !== '') {
          while (cells.length < cell.column - 1) cells.push('');
          cells[cell.column - 1] = read.text;
        }
      } else if (name === 'row') {
        if (cells.length > 0 || errors) ready.push({ row, cells, ...(errors && { cellErrors: errors }) });
        cell = undefined;
      } else if (name === 'sheetData') isInside = false;
    },
  });
  for await (const _ of rows) yield* ready.splice(0);
  yield* ready;
}

function rowNumber(given: string | undefined, before: number): number {
  const row = given === undefined ? before + 1 : Number(given);
  if (Number.isInteger(row) && row > before && row <= maxRows) return row;
  throw new WorkbookError(`row ${given} follows row ${before}`);
}

function openCell({ r, t = 'n', s = '0' }: Record<string, string>, before: number): Cell {
  const column = r === undefined ? before + 1 : columnNumber(r);
  if (column > before && column <= maxColumns) {
    return { column, type: t, style: Number(s), value: '', hasFormula: false };
  }
  throw new WorkbookError(`its cell ${r} is out of order`);
}

/** Returns the number of a column, such as 2 for `B7`. */
function columnNumber(reference: string): number {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(reference) ?? [];
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

function columnName(column: number): string {
  const last = String.fromCharCode(65 + ((column - 1) % 26));
  return column <= 26 ? last : columnName(Math.floor((column - 1) / 26)) + last;
}

/** Returns the text of a cell, or its error (ECMA-376, 18.18.11). */
function readCell(
  { type, style, value, hasFormula }: Cell,
  { texts, formats }: Workbook,
  calendar: Calendar,
): { readonly text: string; readonly error?: string } {
  if (value === '' && hasFormula && type !== 'str') {
    return {
      text: '',
      error: 'has a formula without a saved result; open and save the file in a spreadsheet program',
    };
  }
  switch (type) {
    case 's': {
      const text = texts[Number(value)];
      if (text === undefined && value !== '') throw new WorkbookError(`it has no shared string ${value}`);
      return { text: text ?? '' };
    }
    case 'inlineStr':
      return { text: value };
    case 'str':
      return { text: unescapeText(value) };
    case 'b':
      return { text: value === '' ? '' : value === '1' ? 'TRUE' : 'FALSE' };
    case 'e':
      return { text: value, error: `has the error ${value}` };
    case 'd':
      return { text: formatIsoDate(value, calendar) };
    default: {
      if (value === '') return { text: '' };
      const text = formatNumber(value, formats[style] ?? { kind: 'plain' }, calendar);
      return text === undefined ? { text: value, error: `has the invalid number "${value}"` } : { text };
    }
  }
}

import { escapeFormula, unescapeFormula } from '../../render/cells.ts';
import type { TableRow } from '../table.ts';
import { type Archive, type Element, WorkbookError } from './archive.ts';
import { type Calendar, formatIsoDate, formatNumber, type NumberFormat } from './number-format.ts';

/** The maximum size of a worksheet in Excel. */
const maxRows = 1_048_576;
const maxColumns = 16_384;

/** The maximum number of cells, empty ones before others included: a full worksheet with 20 columns. */
const maxCells = 20 * maxRows;

/** The maximum size of the rows as XML, in bytes. */
const maxBytes = 1024 * 1024 * 1024;

/** The parts of a workbook that its cells refer to. */
export interface CellContext {
  readonly calendar: Calendar;
  /** By index of a cell style. */
  readonly formats: readonly NumberFormat[];
  /** By index of a shared text. */
  readonly texts: readonly string[];
}

/** Yields the rows of a worksheet as texts, without empty rows. */
export async function* readWorksheetRows(archive: Archive, part: string, context: CellContext) {
  if (!archive.has(part)) throw new WorkbookError(`its part ${part} is missing`);
  let number = 0;
  let cellCount = 0;
  for await (const elements of archive.readElements(part, maxBytes, 'sheetData/row')) {
    for (const element of elements) {
      number = readRowNumber(element, number);
      const row = readRow(element, number, context);
      cellCount += row.cells.length;
      if (cellCount > maxCells) throw new WorkbookError(`it has more than ${maxCells} cells`);
      if (row.cells.length > 0 || row.cellErrors) yield row;
    }
  }
}

function readRowNumber({ attributes: { r } }: Element, before: number): number {
  const row = r === undefined ? before + 1 : Number(r);
  if (Number.isInteger(row) && row > before && row <= maxRows) return row;
  throw new WorkbookError(`row ${r} follows row ${before}`);
}

function readRow({ children }: Element, row: number, context: CellContext): TableRow {
  const cells: string[] = [];
  const cellErrors: Record<number, string> = {};
  let column = 0;
  for (const cell of children) {
    if (cell.name !== 'c') continue;
    column = readColumnNumber(cell, column);
    const { text, error } = readCell(cell, context);
    if (error) cellErrors[column - 1] = `Cell ${formatColumnName(column)}${row} ${error}.`;
    if (text === '') continue;
    while (cells.length < column - 1) cells.push('');
    // A report that was opened as CSV and saved as .xlsx keeps the apostrophes of CSV.
    cells.push(escapeFormula(unescapeFormula(text)));
  }
  return { row, cells, ...(Object.keys(cellErrors).length > 0 && { cellErrors }) };
}

/** Reads the number of a column, such as 2 for the cell `B7`. */
function readColumnNumber({ attributes: { r } }: Element, before: number): number {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(r ?? '') ?? [];
  const read = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  const column = r === undefined ? before + 1 : read;
  if (column > before && column <= maxColumns) return column;
  throw new WorkbookError(`its cell ${r} is out of order`);
}

function formatColumnName(column: number): string {
  const last = String.fromCharCode(65 + ((column - 1) % 26));
  return column <= 26 ? last : formatColumnName(Math.floor((column - 1) / 26)) + last;
}

/** Returns the text of a cell, or its error (ECMA-376, 18.18.11). */
function readCell(
  { attributes: { t: type = 'n', s: style = '0' }, children }: Element,
  { texts, formats, calendar }: CellContext,
): { readonly text: string; readonly error?: string } {
  const findChild = (name: string) => children.find((element) => element.name === name);
  const inline = findChild('is');
  const value = inline ? readText(inline) : (findChild('v')?.text ?? '');
  if (value === '' && findChild('f') && type !== 'str') {
    const error = 'has a formula without a saved result; open and save the file in a spreadsheet program';
    return { text: '', error };
  }
  if (value === '') return { text: '' };
  switch (type) {
    case 's': {
      const text = texts[Number(value)];
      if (text === undefined) throw new WorkbookError(`it has no shared string ${value}`);
      return { text };
    }
    case 'inlineStr':
      return { text: value };
    case 'str':
      return { text: unescapeText(value) };
    case 'b':
      return { text: value === '1' ? 'TRUE' : 'FALSE' };
    case 'e':
      return { text: value, error: `has the error ${value}` };
    case 'd':
      return { text: formatIsoDate(value, calendar) };
    default: {
      const text = formatNumber(value, formats[Number(style)], calendar);
      return text === undefined ? { text: value, error: `has the invalid number "${value}"` } : { text };
    }
  }
}

/** Returns the text of all runs in an element, without phonetic readings. */
export function readText({ name, text, children }: Element): string {
  if (name === 't') return unescapeText(text);
  return children.map((child) => (child.name === 'rPh' ? '' : readText(child))).join('');
}

/** Decodes characters that XML cannot contain: `_x000D_` is a carriage return. */
function unescapeText(text: string): string {
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

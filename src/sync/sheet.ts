import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { Failure } from '../contract/errors.ts';
import { unreadable } from '../disk/unreadable.ts';
import { cellOf } from '../output/csv-cells.ts';
import { fieldPrefix } from '../output/sheets.ts';
import { jsonColumns, jsonRows } from './sheet-json.ts';
import { delimiterOf, type Kind, kindOf, refuseOtherJson, refuseUtf16, toldDelimiter } from './sheet-kind.ts';

/** A row of a sheet. */
export interface SheetRow {
  /** Counted as a spreadsheet does, the header being row 1; of NDJSON the line. */
  readonly row: number;
  /** A cell for each column, as it is in the file. */
  readonly cells: readonly string[];
  /** The same as they are meant: without the apostrophe that keeps a spreadsheet from running a cell. */
  readonly values: readonly string[];
  /** Why it cannot be read as a row. */
  readonly fault?: string;
  /** The record of a completed row, if the sheet is the report of an import. */
  readonly recordId?: string;
}

/** Rows under the names of their columns. They can be read again and again, one at a time. */
export interface Sheet {
  readonly columns: readonly string[];
  /** Whether it is the report of an import: `columns` are then those of the file that was imported. */
  readonly isReport: boolean;
  rows(): AsyncIterable<SheetRow>;
}

/**
 * A sheet in a file: CSV with any of the delimiters `,` `;` TAB and `|`, or NDJSON; UTF-8. `name` is what
 * complaints call it. Throws `usage` for what is no sheet.
 */
export async function sheetIn(file: string, name: string): Promise<Sheet> {
  const head = await headOf(file).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  refuseUtf16(head, name);
  const text = new TextDecoder().decode(head);
  refuseOtherJson(text, name);
  const kind = kindOf(name, text);
  return kind === 'ndjson' ? jsonSheet(file, name) : csvSheet(file, name, kind, text);
}

async function jsonSheet(file: string, name: string): Promise<Sheet> {
  const lines = () => textOf(file, name);
  const columns = await jsonColumns(lines());
  const rows = () => jsonRows(lines(), columns);
  if (columns.length === 0 && (await first(rows())).length === 0) {
    throw new Failure('usage', `${name} is empty: it has no record.`);
  }
  return { columns, isReport: false, rows };
}

async function csvSheet(file: string, name: string, kind: Kind, head: string): Promise<Sheet> {
  const told = toldDelimiter(head);
  const delimiter = told ?? (kind === 'tsv' ? '\t' : delimiterOf(head));
  const records = () => csvRecords(file, name, delimiter, told === undefined ? 1 : 2);
  const [columns] = await first(records());
  const all = (columns?.cells ?? []).map(cellOf).map(headerIn);
  const names = withoutReport(all);
  if (!columns || names.every((one) => one === '')) {
    throw new Failure('usage', `${name} is empty: it has no header.`);
  }
  const width = columns.cells.length;
  const twice = names.find((one, index) => one !== '' && names.indexOf(one) < index);
  if (twice !== undefined) throw new Failure('usage', `${name} has the column "${twice}" twice.`);
  const isReport = names.length < all.length;
  const rows = () => csvRows(records(), names, width);
  return { columns: names, isReport, rows: isReport ? () => reportRows(records(), names, width) : rows };
}

/** The columns that the report of an import has behind those of the imported file. */
export const reportColumns = ['action', 'id', 'error'] as const;

/** The columns of the imported file if this is its report, in which somebody has fixed rows; else all columns. */
function withoutReport(columns: readonly string[]): readonly string[] {
  const named = columns.slice(0, columns.findLastIndex((name) => name !== '') + 1);
  const own = named.slice(0, -reportColumns.length);
  return reportColumns.every((name, index) => named[own.length + index] === name) ? own : columns;
}

/** A header without the space around it, unless the name of a custom field has that. */
const headerIn = (cell: string) => cellOf(cell.startsWith(fieldPrefix) ? cell : cell.trim());

interface CsvRecord {
  readonly row: number;
  readonly cells: readonly string[];
}

/** The longest row, in bytes: a quote that is never closed must not take the whole file into memory. */
const longestRow = 4 * 1024 * 1024;

async function* csvRecords(
  file: string,
  name: string,
  delimiter: string,
  from_line: number,
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    delimiter,
    from_line,
    info: true,
    max_record_size: longestRow,
    // One file may have several: rows were added by another program.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // In tab-separated text a quote is most often just a quote.
    relax_quotes: delimiter === '\t',
    skip_empty_lines: true,
  });
  pipeline(textOf(file, name), parser, () => {});
  try {
    for await (const { record, info } of parser) {
      yield { row: info.records + info.empty_lines, cells: record };
    }
  } catch (error) {
    throw notCsv(error, name);
  }
}

async function* csvRows(
  records: AsyncIterable<CsvRecord>,
  columns: readonly string[],
  width: number,
): AsyncGenerator<SheetRow> {
  let isHeader = true;
  for await (const { row, cells } of records) {
    const filled = columns.map((_, index) => cells[index] ?? '');
    const isRow = !isHeader && [...filled, ...cells.slice(width)].some((cell) => cell.trim() !== '');
    isHeader = false;
    if (!isRow) continue;
    const fault = faultIn(cells, columns, width);
    yield { row, cells: filled, values: filled.map(cellOf), ...(fault && { fault }) };
  }
}

/** The same of a report, whose rows say which records they are about. */
async function* reportRows(
  records: AsyncIterable<CsvRecord>,
  columns: readonly string[],
  width: number,
): AsyncGenerator<SheetRow> {
  const all = [...columns, ...reportColumns];
  for await (const { cells, values, ...row } of csvRows(records, all, width)) {
    const own = { ...row, cells: cells.slice(0, columns.length), values: values.slice(0, columns.length) };
    const [action = '', recordId = ''] = values.slice(columns.length);
    const isCompleted = ['create', 'update', 'same'].includes(action) && recordId !== '';
    yield isCompleted ? { ...own, recordId } : own;
  }
}

function faultIn(cells: readonly string[], columns: readonly string[], width: number): string | undefined {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  if (last >= width) return `It has ${last + 1} cells, and the header ${width} columns.`;
  const nameless = columns.findIndex((name, index) => name === '' && (cells[index] ?? '').trim() !== '');
  return nameless < 0 ? undefined : `Its cell ${nameless + 1} is in a column without a name.`;
}

const complaints: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  CSV_MAX_RECORD_SIZE: 'a row is too long: most likely a quote is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'after a closing quote there is more text',
  INVALID_OPENING_QUOTE: 'there is a quote within a cell that does not begin with one',
};

function notCsv(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('lines' in error)) return error;
  const what = complaints[String(error.code)] ?? error.message;
  return new Failure('usage', `${name}, line ${error.lines}: ${what}.`, {
    cause: error,
    hint: 'A cell with a quote is written as "say ""hello""".',
  });
}

/** The text of a file, piece by piece. Throws `usage` where it cannot be read or is no UTF-8. */
async function* textOf(file: string, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  try {
    for await (const bytes of createReadStream(file)) {
      const text = decoder.decode(bytes, { stream: true });
      yield text;
      lines += text.split('\n').length - 1;
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Failure('usage', `${name} is not UTF-8, from about line ${lines} on.`, {
      cause: error,
      hint: 'Save it as UTF-8: in Excel as "CSV UTF-8".',
    });
  }
}

async function headOf(file: string): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The first of what comes; nothing where nothing comes. */
async function first<T>(items: AsyncIterable<T>): Promise<T[]> {
  for await (const item of items) return [item];
  return [];
}

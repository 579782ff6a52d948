import { open } from 'node:fs/promises';
import { Failure } from '../contract/errors.ts';
import { createReadFailure } from '../files/disk-errors.ts';
import { unescapeFormula } from '../render/cells.ts';
import { fieldPrefix } from '../render/field-headers.ts';
import { createDecoder, decodeFile, detectUnicode } from './text-encoding.ts';
import {
  detectDelimiter,
  detectKind,
  type Kind,
  readCsvRows,
  readDelimiterLine,
  readJsonColumns,
  readJsonRows,
  rejectOtherJson,
  type TableRow,
  type TextFile,
} from './text-rows.ts';

/** A row of a sheet. */
export interface Row {
  /** Counted as a spreadsheet does, the header being row 1; of NDJSON the line. */
  readonly row: number;
  /** A cell for each column, as it is in the file. */
  readonly cells: readonly string[];
  /** The same as they are meant: without the apostrophe that keeps a spreadsheet from running a cell. */
  readonly values: readonly string[];
  /** Why it cannot be read as a row. */
  readonly error?: string;
  /** Why cells cannot be read, by their index. */
  readonly cellErrors?: TableRow['cellErrors'];
  /** The record of a completed row, if the sheet is the report of an import. */
  readonly recordId?: string;
}

/** Rows under the names of their columns. They can be read again and again, one at a time. */
export interface Table {
  readonly columns: readonly string[];
  /** Whether it is the report of an import: `columns` are then those of the file that was imported. */
  readonly isReport: boolean;
  /** Whether a column without a type holds text, as in what kith exports; else its values tell the type. */
  readonly isExport: boolean;
  rows(): AsyncIterable<Row>;
}

/**
 * Returns the sheet in a text file: CSV with any of the delimiters `,` `;` TAB and `|`, or NDJSON. A byte order mark
 * says the encoding, else `encoding` does. `name` is what complaints call the file.
 * @throws {Failure} usage if the file is not a sheet
 */
export async function openTextTable(file: string, name: string, encoding = 'utf-8'): Promise<Table> {
  const bytes = await readHead(file).catch((error: unknown) => {
    throw createReadFailure(name, error);
  });
  const actual = detectUnicode(bytes) ?? encoding;
  const head = await decodedHead(bytes, actual);
  rejectOtherJson(head, name);
  const kind = detectKind(name, head);
  const source = { name, head, text: () => decodeFile(file, name, actual) };
  return kind === 'ndjson' ? openJsonTable(source) : openCsvTable(source, kind);
}

/** The first bytes as text. Bytes that are not in the encoding are reported when the file is read. */
async function decodedHead(bytes: Uint8Array, encoding: string): Promise<string> {
  try {
    return createDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

async function openJsonTable({ name, text }: TextFile): Promise<Table> {
  const columns = await readJsonColumns(text());
  const rows = () => readJsonRows(text(), columns);
  if (columns.length === 0 && (await first(rows())).length === 0) {
    throw new Failure('usage', `${name} is empty: it has no record.`);
  }
  return { columns, isReport: false, isExport: false, rows };
}

async function openCsvTable(source: TextFile, kind: Kind): Promise<Table> {
  const stated = readDelimiterLine(source.head);
  const delimiter = stated ?? (kind === 'tsv' ? '\t' : detectDelimiter(source.head));
  const records = () => readCsvRows(source, delimiter, stated === undefined ? 1 : 2);
  const [header] = await first(records());
  return createTable(source.name, header?.cells ?? [], records);
}

/**
 * Returns the sheet of a table whose header was read.
 * @throws {Failure} usage if a header is missing or there twice
 */
export function createTable(
  name: string,
  header: readonly string[],
  rows: () => AsyncIterable<TableRow>,
): Table {
  const all = header.map(unescapeFormula).map(readHeader);
  const columns = withoutReport(all);
  if (columns.every((one) => one === '')) throw new Failure('usage', `${name} is empty: it has no header.`);
  const twice = columns.find((one, index) => one !== '' && columns.indexOf(one) < index);
  if (twice !== undefined) throw new Failure('usage', `${name} has the column "${twice}" twice.`);
  const isReport = columns.length < all.length;
  const width = header.length;
  return {
    columns,
    isReport,
    isExport: ['id', 'created_at', 'updated_at'].every((name) => columns.includes(name)),
    rows: () => (isReport ? reportRows(rows(), columns, width) : readTableRows(rows(), columns, width)),
  };
}

/** The columns that the report of an import has behind those of the imported file. */
export const reportColumns = ['action', 'id', 'error'] as const;

/** Whether a spreadsheet may have changed an id: `012345` becomes `12345`, and `12e345` a power of ten. */
export const isNumberLike = (id: string) => /^\d+$|^[\d.,]+e[+-]?\d+$/i.test(id);

/** The columns of the imported file if this is its report, in which somebody has fixed rows; else all columns. */
function withoutReport(columns: readonly string[]): readonly string[] {
  const named = columns.slice(0, columns.findLastIndex((name) => name !== '') + 1);
  const own = named.slice(0, -reportColumns.length);
  return reportColumns.every((name, index) => named[own.length + index] === name) ? own : columns;
}

/** A header without the space around it, unless the name of a custom field has that. */
const readHeader = (cell: string) => unescapeFormula(cell.startsWith(fieldPrefix) ? cell : cell.trim());

async function* readTableRows(
  rows: AsyncIterable<TableRow>,
  columns: readonly string[],
  width: number,
): AsyncGenerator<Row> {
  let isHeader = true;
  for await (const { row, cells, ...more } of rows) {
    const filled = columns.map((_, index) => cells[index] ?? '');
    const hasText = [...filled, ...cells.slice(width)].some((cell) => cell.trim() !== '');
    const isRow = !isHeader && (hasText || more.cellErrors !== undefined);
    isHeader = false;
    if (!isRow) continue;
    const error = findError(cells, columns, width);
    yield { row, cells: filled, values: filled.map(unescapeFormula), ...(error && { error }), ...more };
  }
}

/** The same of a report, whose rows say which records they are about. */
async function* reportRows(
  rows: AsyncIterable<TableRow>,
  columns: readonly string[],
  width: number,
): AsyncGenerator<Row> {
  const all = [...columns, ...reportColumns];
  for await (const { cells, values, ...row } of readTableRows(rows, all, width)) {
    const own = { ...row, cells: cells.slice(0, columns.length), values: values.slice(0, columns.length) };
    const [action = '', recordId = ''] = values.slice(columns.length);
    const isCompleted = ['create', 'update', 'same'].includes(action) && recordId !== '';
    yield isCompleted ? { ...own, recordId } : own;
  }
}

function findError(cells: readonly string[], columns: readonly string[], width: number): string | undefined {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  if (last >= width) return `It has ${last + 1} cells, and the header ${width} columns.`;
  const nameless = columns.findIndex((name, index) => name === '' && (cells[index] ?? '').trim() !== '');
  return nameless < 0 ? undefined : `Its cell ${nameless + 1} is in a column without a name.`;
}

/** The first bytes of a file. */
export async function readHead(file: string): Promise<Uint8Array> {
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

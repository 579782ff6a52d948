import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { createReadFailure } from '../files/disk-errors.ts';
import { unescapeFormula } from '../render/cells.ts';
import { fieldPrefix } from '../render/field-headers.ts';
import { createDecoder, decodeFile, detectUnicode, resolveEncoding } from './text-encoding.ts';
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

/** A row of a table. */
export interface Row {
  /** The row number in a spreadsheet, with the header as row 1; in NDJSON the line number. */
  readonly row: number;
  /** A cell for each column, as in the file. */
  readonly cells: readonly string[];
  /** The cells without the apostrophe that keeps a spreadsheet from running a formula. */
  readonly values: readonly string[];
  /** Why the row cannot be read. */
  readonly error?: string;
  /** Why cells cannot be read, by index. */
  readonly cellErrors?: TableRow['cellErrors'];
  /** The record of a completed row, if the file is the report of an import. */
  readonly recordId?: string;
}

/** A table that can be read several times, row by row. */
export interface Table {
  readonly columns: readonly string[];
  /** Whether it is the report of an import; `columns` are then those of the imported file. */
  readonly isReport: boolean;
  /** Whether it is an export of kith: a column without a type then has text. */
  readonly isExport: boolean;
  rows(): AsyncIterable<Row>;
}

/**
 * Opens the table in a text file: CSV with any of the delimiters `,` `;` TAB and `|`, or NDJSON. A byte order mark has
 * precedence over `encoding`. `name` is the file's name in messages.
 * @throws {Failure} usage if the file has no table
 */
export async function openTextTable(file: string, name: string, encoding = 'utf-8'): Promise<Table> {
  const bytes = await readHead(file).catch((error: unknown) => {
    throw createReadFailure(name, error);
  });
  const actual = detectUnicode(bytes) ?? encoding;
  const head = await decodeHead(bytes, actual);
  rejectOtherJson(head, name);
  const kind = detectKind(name, head);
  const source = { name, head, text: () => decodeFile(file, name, actual) };
  return kind === 'ndjson' ? openJsonTable(source) : openCsvTable(source, kind);
}

/** Decodes the first bytes. Invalid bytes are reported when the file is read. */
async function decodeHead(bytes: Uint8Array, encoding: string): Promise<string> {
  try {
    return createDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

async function openJsonTable({ name, text }: TextFile): Promise<Table> {
  const columns = await readJsonColumns(text());
  const rows = () => readJsonRows(text(), columns);
  if (columns.length === 0 && (await takeFirst(rows())).length === 0) {
    throw new Failure('usage', `${name} is empty: it has no records.`);
  }
  return { columns, isReport: false, isExport: false, rows };
}

async function openCsvTable(source: TextFile, kind: Kind): Promise<Table> {
  const declared = readDelimiterLine(source.head);
  const delimiter = declared ?? (kind === 'tsv' ? '\t' : detectDelimiter(source.head));
  const records = () => readCsvRows(source, delimiter, declared === undefined ? 1 : 2);
  const [header] = await takeFirst(records());
  return createTable(source.name, header?.cells ?? [], records);
}

/**
 * Returns a table with a header.
 * @throws {Failure} usage if the header is missing or has duplicate columns
 */
export function createTable(
  name: string,
  header: readonly string[],
  rows: () => AsyncIterable<TableRow>,
): Table {
  const all = header.map(unescapeFormula).map(readHeader);
  const columns = removeReportColumns(all);
  if (columns.every((one) => one === ''))
    throw new Failure('usage', `${name} is empty: it has no header row.`);
  const duplicate = columns.find((one, index) => one !== '' && columns.indexOf(one) < index);
  if (duplicate !== undefined) throw new Failure('usage', `${name} has duplicate columns "${duplicate}".`);
  const isReport = columns.length < all.length;
  const width = header.length;
  return {
    columns,
    isReport,
    isExport: ['id', 'created_at', 'updated_at'].every((name) => columns.includes(name)),
    rows: () => (isReport ? readReportRows(rows(), columns, width) : readTableRows(rows(), columns, width)),
  };
}

/** The columns that a report adds to those of the imported file. */
export const reportColumns = ['action', 'id', 'error'] as const;

/** Whether a spreadsheet may have changed an id: `012345` becomes `12345`, and `12e345` a power of ten. */
export const isNumberLike = (id: string) => /^\d+$|^[\d.,]+e[+-]?\d+$/i.test(id);

/** Returns the columns of the imported file if this is its report; else all columns. */
function removeReportColumns(columns: readonly string[]): readonly string[] {
  const named = columns.slice(0, columns.findLastIndex((name) => name !== '') + 1);
  const own = named.slice(0, -reportColumns.length);
  return reportColumns.every((name, index) => named[own.length + index] === name) ? own : columns;
}

/** Trims a header, unless the name of a custom field has spaces around it. */
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

/** Yields the rows of a report with the ids of their records. */
async function* readReportRows(
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
  if (last >= width) return `It has ${last + 1} cells, but the header has ${width} columns.`;
  const nameless = columns.findIndex((name, index) => name === '' && (cells[index] ?? '').trim() !== '');
  return nameless < 0 ? undefined : `Cell ${nameless + 1} is in a column without a name.`;
}

/** Reads the first bytes of a file. */
async function readHead(file: string): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Returns the first item, if any. */
async function takeFirst<T>(items: AsyncIterable<T>): Promise<T[]> {
  for await (const item of items) return [item];
  return [];
}

/** A table that may have a temporary file until it is closed. */
export interface OpenTable extends Table {
  /** A note for the user about how the file was read. */
  readonly note?: string;
  close(): Promise<void>;
}

export interface TableOptions {
  /** The encoding of a text file (default UTF-8). */
  readonly encoding: string | undefined;
  /** The name of a worksheet (default the first one). */
  readonly worksheet: string | undefined;
  /** The time zone of dates with a time in an .xlsx file (default that of this machine). */
  readonly zone: string | undefined;
}

/**
 * Opens the table in a file by its contents: an .xlsx workbook, CSV, TSV or NDJSON.
 * @throws {Failure} usage if the file is none of them
 */
export async function openTable(file: string, name: string, options: TableOptions): Promise<OpenTable> {
  const bytes = await readHead(file).catch((error: unknown) => {
    throw createReadFailure(name, error);
  });
  const signature = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  const { encoding, worksheet, zone } = options;
  if (signature === '504b0304') {
    if (encoding !== undefined) {
      throw new Failure('usage', `--encoding applies only to text files; ${name} is an .xlsx file.`);
    }
    const { openWorkbook } = await import('./xlsx/workbook.ts');
    return openWorkbook(file, name, { worksheet, zone });
  }
  if (signature === 'd0cf11e0') {
    throw new Failure('usage', `${name} is an .xls file or is password-protected.`, {
      hint: 'Save it without a password as .xlsx, or as "CSV UTF-8".',
    });
  }
  if (worksheet !== undefined) {
    throw new Failure('usage', `--sheet applies only to .xlsx files; ${name} is not one.`);
  }
  const table = await openTextTable(file, name, encoding && resolveEncoding(encoding));
  return { ...table, close: async () => {} };
}

/** A copy of a stream. */
export interface TemporaryFile {
  readonly path: string;
  remove(): Promise<void>;
}

/** Saves a stream to a temporary file, because an import reads its input several times. */
export async function saveToTemporaryFile(bytes: AsyncIterable<Uint8Array>): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(tmpdir(), 'kith-import-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'stdin.kith-tmp');
    const file = await open(path, 'w', 0o600);
    try {
      for await (const chunk of bytes) await file.appendFile(chunk);
    } finally {
      await file.close();
    }
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns a hash of a file and of the settings with which it is imported. */
export async function hashInput(file: string, settings: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest('base64url');
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { unescapeFormula } from '../render/cells.ts';
import { fieldPrefix } from '../render/field-headers.ts';
import { isEmail } from '../values/domain.ts';
import { formatCount, quote } from '../values/text.ts';

/** A row of a file. */
export interface TableRow {
  /** The row number in a spreadsheet: the first is 1. In NDJSON the line number. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Why cells cannot be imported, by index. */
  readonly cellErrors?: Readonly<Record<number, string>>;
}

/** A row of a table, with a cell for each column. A cell may have an apostrophe before a formula. */
export interface Row extends TableRow {
  /** Why the row cannot be read. */
  readonly error?: string;
  /** The record of a completed row, if the file is the report of an import. */
  readonly recordId?: string;
}

/** A table that can be read several times, row by row. */
export interface Table {
  readonly columns: readonly string[];
  /** Whether the table is an import report. `columns` then are the columns of the imported file. */
  readonly isReport: boolean;
  /** Notes for the user about how the file was read. */
  readonly notes: readonly string[];
  /** Yields the rows that are not empty, without the header. */
  rows(): AsyncIterable<Row>;
  /** Removes the temporary file of the table, if it has one. */
  close?(): Promise<void>;
}

/** The columns that a report adds to the imported file. */
export const reportColumns = ['action', 'id', 'error', 'left_out'] as const;

/** How the header of a table is found. */
export interface HeaderOptions {
  /** The row number of the header. If omitted, it is found by its cells. */
  readonly headerRow?: number | undefined;
  /** Whether a text is the header of a field. If omitted, the first row is the header. */
  readonly isHeader?: (text: string) => boolean;
}

/** The header is one of the first rows. */
export const maxHeaderRow = 20;

/**
 * Returns the index of the header among the first rows of a table. Programs write titles, notes and comments above it.
 * A later row is the header only if it has more known headers than the first row, and either at least two or no other
 * cells. A row with an email address has values, even if others are words such as `Phone`.
 */
export function findHeader(rows: readonly (readonly string[])[], isHeader: (text: string) => boolean) {
  const count = (cells: readonly string[] = []) => cells.filter((cell) => isHeader(cell.trim())).length;
  const first = count(rows[0]);
  const index = rows.findIndex((cells) => {
    const known = count(cells);
    const isLikely = known > 1 || cells.filter((cell) => cell.trim() !== '').length === 1;
    return known > first && isLikely && !cells.some((cell) => isEmail(cell.trim()));
  });
  return { index: Math.max(index, 0), count: index < 0 ? first : count(rows[index]) };
}

/**
 * Returns a table with its header, and names the rows above it.
 * @throws {Failure} usage if the header is missing
 */
export async function createTable(
  name: string,
  readRows: () => AsyncIterable<TableRow>,
  { headerRow, isHeader = () => false }: HeaderOptions,
): Promise<Table> {
  const firstRows: TableRow[] = [];
  for await (const row of readRows()) {
    firstRows.push(row);
    if (firstRows.length >= maxHeaderRow && row.row >= (headerRow ?? 0)) break;
  }
  const headerIndex =
    headerRow === undefined
      ? findHeader(
          firstRows.slice(0, maxHeaderRow).map(({ cells }) => cells.map(unescapeFormula)),
          isHeader,
        ).index
      : firstRows.findIndex(({ row }) => row === headerRow);
  if (headerIndex < 0) throw new Failure('usage', `--header-row: ${name} has no row ${headerRow}.`);
  const { cells: header = [], row: headerNumber = 0 } = firstRows[headerIndex] ?? {};
  const width = header.length;
  const headers = header.map(unescapeFormula).map(readHeader);
  const columns = numberDuplicates(removeReportColumns(headers));
  if (columns.every((column) => column === ''))
    throw new Failure('usage', `${name} is empty: it has no header row.`);
  const renamed = columns.flatMap((column, index) =>
    column === headers[index] ? [] : [`"${headers[index]}" is "${column}"`],
  );
  const notes = [
    ...describeSkippedRows(firstRows.slice(0, headerIndex)),
    ...(renamed.length > 0 ? [`Renamed duplicate columns: ${renamed.join(', ')}.`] : []),
  ];
  const isReport = columns.length < headers.length;
  const fileColumns = isReport ? [...columns, ...headers.slice(columns.length)] : columns;
  async function* rows(): AsyncGenerator<Row> {
    for await (const { cells, ...row } of readRows()) {
      const all = fileColumns.map((_, index) => cells[index] ?? '');
      const hasText = [...all, ...cells.slice(width)].some((cell) => cell.trim() !== '');
      if (row.row <= headerNumber || !(hasText || row.cellErrors !== undefined)) continue;
      const error = findError(cells, fileColumns, width);
      const [action = '', id = ''] = all.slice(columns.length).map(unescapeFormula);
      const isCompleted = ['create', 'update', 'same'].includes(action) && id !== '';
      yield {
        ...row,
        cells: all.slice(0, columns.length),
        ...(error && { error }),
        ...(isCompleted && { recordId: id }),
      };
    }
  }
  return { columns, isReport, notes, rows };
}

function describeSkippedRows(rows: readonly TableRow[]): string[] {
  const texts = rows.map(({ cells }) => cells.filter((cell) => cell.trim() !== '').join(' '));
  const filled = texts.filter((text) => text !== '').map((text) => quote(text.replace(/\s+/g, ' ')));
  if (filled.length === 0) return [];
  return [`Skipped ${formatCount(filled.length, 'row')} above the header: ${filled.join(', ')}.`];
}

/** Trims a header, unless the name of a custom field has spaces around it. */
const readHeader = (cell: string) => unescapeFormula(cell.startsWith(fieldPrefix) ? cell : cell.trim());

/** Adds a number to a header that an earlier column has: the second `Email` is `Email 2`. */
function numberDuplicates(headers: readonly string[]): string[] {
  const names: string[] = [];
  for (const header of headers) {
    let name = header;
    const isTaken = () => names.includes(name) || (name !== header && headers.includes(name));
    for (let count = 2; header !== '' && isTaken(); count += 1) name = `${header} ${count}`;
    names.push(name);
  }
  return names;
}

/** Returns the columns of the imported file if the table is its report; otherwise all columns. */
function removeReportColumns(columns: readonly string[]): readonly string[] {
  const named = columns.slice(0, columns.findLastIndex((name) => name !== '') + 1);
  // Earlier versions of kith did not leave out cells.
  for (const added of [reportColumns, reportColumns.slice(0, -1)]) {
    const ownColumns = named.slice(0, -added.length);
    if (added.every((name, index) => named[ownColumns.length + index] === name)) return ownColumns;
  }
  return columns;
}

function findError(cells: readonly string[], columns: readonly string[], width: number): string | undefined {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  if (last >= width) return `It has ${last + 1} cells, but the header has ${width} columns.`;
  const namelessIndex = columns.findIndex((name, index) => name === '' && (cells[index] ?? '').trim() !== '');
  return namelessIndex < 0 ? undefined : `Cell ${namelessIndex + 1} is in a column without a name.`;
}

/** Whether a spreadsheet may have changed an id: `012345` becomes `12345`, and `12e345` a power of ten. */
export const isNumberLike = (id: string) => /^\d+$|^[\d.,]+e[+-]?\d+$/i.test(id);

/** Saves a stream to a temporary file, because an import reads its input several times. */
export async function saveToTemporaryFile(bytes: AsyncIterable<Uint8Array>) {
  const folder = await mkdtemp(join(tmpdir(), 'kith-import-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'stdin.kith-tmp');
    await writeFile(path, bytes, { mode: 0o600 });
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Yields the lines of a text that arrives in chunks. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let lastLine = '';
  for await (const chunk of text) {
    const lines = (lastLine + chunk).split('\n');
    lastLine = lines.pop() ?? '';
    yield* lines;
  }
  yield lastLine;
}

import { createReadStream } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { Failure } from '../contract/errors.ts';
import { cellOf, safeCell } from '../output/csv-cells.ts';
import { reportColumns } from './sheet.ts';
import { delimiters } from './sheet-kind.ts';

/** A line of a report: the cells of a row of the sheet, and what became of it. */
export interface ReportLine {
  readonly cells: readonly string[];
  /** An action, or `sending`, `started`, `finished`, `undone`: of the whole run, somebody has begun to take it back. */
  readonly action: string;
  readonly id?: string | undefined;
  readonly error?: string | undefined;
  readonly row?: number | undefined;
  /** What is written as JSON. */
  readonly undo?: unknown;
}

/** A line, and where it stands in the file. */
export interface PlacedLine extends ReportLine {
  readonly start: number;
  readonly end: number;
}

/** A line of a report as text. */
export function lineText({ cells, action, id = '', error = '', row, undo }: ReportLine): string {
  const own = [
    action,
    id,
    error,
    row === undefined ? '' : String(row),
    undo === undefined ? '' : JSON.stringify(undo),
  ];
  return rowText([...cells, ...own]);
}

/** The header of a report of a sheet with these columns. */
export function headerText(columns: readonly string[]): string {
  return rowText([...columns.map(safeCell), ...reportColumns]);
}

function rowText(cells: readonly string[]): string {
  return stringify([cells], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
}

/** A report as it is read. */
export interface ReadReport {
  readonly columns: readonly string[];
  /** Whether it is as this program wrote it: no spreadsheet has saved it since. */
  readonly isAsWritten: boolean;
  lines(): AsyncIterable<PlacedLine>;
  /** A line by its place in the file. */
  lineAt(file: FileHandle, start: number, end: number): Promise<ReportLine>;
}

/** Opens a report; undefined where there is none. Throws `usage` for a file that is none. */
export async function reportIn(file: string): Promise<ReadReport | undefined> {
  const { size } = (await stat(file).catch(() => undefined)) ?? {};
  if (size === undefined) return undefined;
  for (const delimiter of delimiters) {
    const report = await reportPartedBy(delimiter, file, size);
    if (report) return report;
  }
  if (size === 0) return undefined;
  throw new Failure('usage', `${file} is there, and is no report of an import.`, {
    hint: 'Name another file with --report.',
  });
}

/** A report whose cells are parted by a sign: a spreadsheet may save it with another one, and with other line ends. */
async function reportPartedBy(
  delimiter: string,
  file: string,
  size: number,
): Promise<ReadReport | undefined> {
  for await (const { cells, end } of recordsIn(file, delimiter)) {
    const columns = cells.slice(0, -reportColumns.length).map(cellOf);
    const isReport = reportColumns.every((name, index) => cells[columns.length + index] === name);
    if (!isReport) return undefined;
    const isAsWritten = delimiter === ',' && end === Buffer.byteLength(headerText(columns));
    return {
      columns,
      isAsWritten,
      lines: () => linesIn(recordsIn(file, delimiter, size), cells.length, isAsWritten),
      async lineAt(handle, start, end) {
        const { buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
        const [found = []]: string[][] = parseAtOnce(buffer, dialect(delimiter));
        return lineOf(filled(found, cells.length));
      },
    };
  }
  return undefined;
}

/** The lines of a report. What a run that was killed left behind the last whole one is no line. */
async function* linesIn(
  records: AsyncIterable<Record>,
  width: number,
  isAsWritten: boolean,
): AsyncGenerator<PlacedLine> {
  for await (const { cells, start, end, isWhole } of records) {
    if (start === 0) continue; // the header
    if (isAsWritten && !isWhole) return;
    yield { ...lineOf(filled(cells, width)), start, end };
  }
}

/** Cells with the empty ones at the end that a spreadsheet may leave out. */
const filled = (cells: readonly string[], width: number): string[] =>
  Array.from({ length: width }, (_, index) => cells[index] ?? '');

function lineOf(all: readonly string[]): ReportLine {
  const cells = all.slice(0, -reportColumns.length);
  const [action = '', id, error, row, undo] = all.slice(cells.length);
  return {
    cells,
    action,
    id: id || undefined,
    error: error || undefined,
    row: row ? Number(row) : undefined,
    undo: undo ? jsonIn(undo) : undefined,
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // somebody has changed it
  }
}

interface Record {
  readonly cells: string[];
  readonly start: number;
  /** The offset behind it. */
  readonly end: number;
  readonly isWhole: boolean;
}

const dialect = (delimiter: string) => ({
  bom: true,
  delimiter,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
});

async function* recordsIn(file: string, delimiter: string, size = 0): AsyncGenerator<Record> {
  const parser = parse({ ...dialect(delimiter), info: true });
  pipeline(createReadStream(file), parser, () => {});
  let start = 0;
  try {
    for await (const { record, info } of parser) {
      const end = info.bytes;
      yield { cells: record, start, end, isWhole: end < size || (await endsWhole(file, size)) };
      start = end;
    }
  } catch (error) {
    // What cannot be read was not written to its end.
    if (!(error instanceof CsvError)) throw error;
  }
}

async function endsWhole(file: string, size: number): Promise<boolean> {
  for await (const bytes of createReadStream(file, { start: Math.max(0, size - 2) })) {
    return String(bytes).endsWith('\r\n');
  }
  return false;
}

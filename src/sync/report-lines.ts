import { createReadStream } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { Failure } from '../contract/errors.ts';
import { cellOf, safeCell } from '../output/csv-cells.ts';
import { reportColumns } from './sheet.ts';

/** A line of a report: the cells of a row of the sheet, and what became of it. */
export interface ReportLine {
  readonly cells: readonly string[];
  /** An action, or `sending`, `started`, `finished`, `undone`. */
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
  lines(): AsyncIterable<PlacedLine>;
}

/** Opens a report; undefined where there is none. Throws `usage` for a file that is none. */
export async function reportIn(file: string): Promise<ReadReport | undefined> {
  const { size } = (await stat(file).catch(() => undefined)) ?? {};
  if (size === undefined) return undefined;
  for await (const { cells } of recordsIn(file)) {
    const columns = cells.slice(0, -reportColumns.length).map(cellOf);
    const isReport = reportColumns.every((name, index) => cells[columns.length + index] === name);
    if (isReport) return { columns, lines: () => linesIn(file, columns.length, size) };
    break;
  }
  if (size === 0) return undefined;
  throw new Failure('usage', `${file} is there, and is no report of an import.`, {
    hint: 'Name another file with --report.',
  });
}

/** The whole lines of a report: what a run that was killed left behind the last one is no line. */
async function* linesIn(file: string, width: number, size: number): AsyncGenerator<PlacedLine> {
  let start: number | undefined;
  for await (const { cells, end, isWhole } of recordsIn(file, size)) {
    const begin = start;
    start = end;
    if (begin === undefined) continue; // the header
    if (!isWhole || cells.length !== width + reportColumns.length) return;
    yield { ...lineOf(cells), start: begin, end };
  }
}

/** The line of a report that stands at a place of the file. */
export async function placedLineIn(file: FileHandle, start: number, end: number): Promise<ReportLine> {
  const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
  const [cells = []]: string[][] = parseAtOnce(buffer);
  return lineOf(cells);
}

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
  /** The offset behind it. */
  readonly end: number;
  readonly isWhole: boolean;
}

async function* recordsIn(file: string, size = 0): AsyncGenerator<Record> {
  const parser = parse({ info: true, record_delimiter: '\r\n', relax_column_count: true });
  pipeline(createReadStream(file), parser, () => {});
  try {
    for await (const { record, info } of parser) {
      yield { cells: record, end: info.bytes, isWhole: info.bytes < size || (await endsWhole(file, size)) };
    }
  } catch (error) {
    // What cannot be read was not written to its end.
    if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('CSV_'))
      throw error;
  }
}

async function endsWhole(file: string, size: number): Promise<boolean> {
  for await (const bytes of createReadStream(file, { start: Math.max(0, size - 2) })) {
    return String(bytes).endsWith('\r\n');
  }
  return false;
}

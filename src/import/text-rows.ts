import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { Failure } from '../contract/errors.ts';
import { escapeFormula, formatCell, joinValues } from '../render/cells.ts';
import { formatHeaderName } from '../render/field-headers.ts';
import { fieldsOf } from '../render/fields.ts';
import { normalizeTexts } from '../values/field-values.ts';
import type { Row } from './table-file.ts';

/** A text file with a table. */
export interface TextFile {
  /** What complaints call it. */
  readonly name: string;
  /** The beginning of the text. */
  readonly head: string;
  text(): AsyncIterable<string>;
}

/** A row as it stands in a file; the header is the first one. */
export interface TableRow {
  /** Counted as a spreadsheet does: the first is 1. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Why cells cannot be imported, by their index. */
  readonly cellErrors?: Readonly<Record<number, string>>;
}

/** The longest row, in bytes: a quote that is never closed must not take the whole file into memory. */
const longestRow = 4 * 1024 * 1024;

/**
 * The rows of a CSV file, from a line on.
 * @throws {Failure} usage if it is not CSV
 */
export async function* readCsvRows(
  { name, text }: TextFile,
  delimiter: string,
  from_line: number,
): AsyncGenerator<TableRow> {
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
  pipeline(text(), parser, () => {});
  try {
    for await (const { record, info } of parser) {
      yield { row: info.records + info.empty_lines, cells: record };
    }
  } catch (error) {
    throw notCsv(error, name);
  }
}

const complaints: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  CSV_MAX_RECORD_SIZE: 'a row is too long, probably because a quote is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE: 'there is a quote inside an unquoted cell',
};

function notCsv(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('lines' in error)) return error;
  const what = complaints[String(error.code)] ?? error.message;
  return new Failure('usage', `${name}, line ${error.lines}: ${what}.`, {
    cause: error,
    hint: 'A cell with a quote is written as "say ""hello""".',
  });
}

/** How a sheet is written. */
export type Kind = 'csv' | 'tsv' | 'ndjson';

const ends: Readonly<Record<string, Kind>> = {
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** How a sheet is written, by the end of its name or by how it begins. */
export function detectKind(name: string, head: string): Kind {
  const [end = ''] = /\.[a-z]+$/i.exec(name) ?? [];
  return ends[end.toLowerCase()] ?? (/^\ufeff?\s*\{/.test(head) ? 'ndjson' : 'csv');
}

/** What may part the cells of a row. */
const delimiters = [',', ';', '\t', '|'] as const;

/** What parts the cells of a header: the sign that stands in it most often, outside quotes. */
export function detectDelimiter(head: string): string {
  const [header = ''] = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(head.replace(/^\ufeff/, '').trimStart()) ?? [];
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const count = (sign: string) => bare.split(sign).length - 1;
  return delimiters.reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** The delimiter that a first line `sep=;` tells to Excel, which does not count that line; undefined: there is none. */
export function readDelimiterLine(head: string): string | undefined {
  return /^"?sep=([^"\r\n])"?(?=[\r\n])/i.exec(head)?.[1];
}

/** JSON that is not a record on each line. Throws `usage`. */
export function rejectOtherJson(head: string, name: string): void {
  const isList = /^\s*\[\s*[{\]]/.test(head);
  if (!isList && !/^\s*\{\s*[\r\n]/.test(head)) return;
  const what = isList ? 'a JSON array' : 'JSON over several lines';
  throw new Failure('usage', `${name} is ${what}, not NDJSON, which has a record on each line.`, {
    hint: `kith prints that with --format ndjson; jq makes it with: jq -c '${isList ? '.[]' : '.'}'`,
  });
}

/** The columns of NDJSON: every name that one of its records has, in the order in which they come up. */
export async function readJsonColumns(text: AsyncIterable<string>): Promise<string[]> {
  const names = new Set<string>();
  for await (const { cells } of records(text)) for (const name of cells?.keys() ?? []) names.add(name);
  return [...names];
}

/** The records of NDJSON as rows of a sheet: several values of a member stand in one cell. */
export async function* readJsonRows(
  text: AsyncIterable<string>,
  columns: readonly string[],
): AsyncGenerator<Row> {
  for await (const { row, cells } of records(text)) {
    const values = columns.map((name) => cells?.get(name) ?? '');
    const filled = { row, cells: values.map(escapeFormula), values };
    if (!cells) yield { ...filled, error: 'It is no JSON object on one line.' };
    else if (values.some((cell) => cell.trim() !== '')) yield filled;
  }
}

interface JsonRecord {
  readonly row: number;
  readonly cells: ReadonlyMap<string, string> | undefined;
}

async function* records(text: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let row = 0;
  for await (const line of splitLines(text)) {
    row += 1;
    if (line.trim() !== '') yield { row, cells: cellsIn(line) };
  }
}

/**
 * The members of a record as cells; its custom fields, which a record of the service has in a map, as an export
 * calls them.
 */
function cellsIn(line: string): ReadonlyMap<string, string> | undefined {
  const record = parsed(line);
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return undefined;
  const { custom_fields, ...own } = fieldsOf(record);
  const custom = Object.values(fieldsOf(custom_fields)).map(fieldsOf);
  return new Map([
    ...Object.entries(own).map(([name, value]) => [name, joinValues(normalizeTexts(name, value))] as const),
    ...custom.map(({ name, value }) => [formatHeaderName(formatCell(name, ' ')), joinValues(value)] as const),
  ]);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The lines of a text that comes in chunks. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

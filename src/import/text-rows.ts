import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { Failure } from '../contract/errors.ts';
import { escapeFormula, formatCell, joinValues } from '../render/cells.ts';
import { formatHeaderName } from '../render/field-headers.ts';
import { normalizeTexts } from '../values/field-values.ts';
import { readObject } from '../values/json-object.ts';
import type { Row } from './table-file.ts';

/** A text file with a table. */
export interface TextFile {
  /** The name in messages. */
  readonly name: string;
  /** The beginning of the text. */
  readonly head: string;
  text(): AsyncIterable<string>;
}

/** A row of a file. The header is the first one. */
export interface TableRow {
  /** The row number in a spreadsheet: the first is 1. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Why cells cannot be imported, by index. */
  readonly cellErrors?: Readonly<Record<number, string>>;
}

/** The maximum length of a row in bytes: an unclosed quote must not load the whole file. */
const maxRowLength = 4 * 1024 * 1024;

/**
 * Yields the rows of a CSV file, from a line on.
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
    max_record_size: maxRowLength,
    // A file may have several, if another program added rows.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // In tab-separated text a quote is usually just a character.
    relax_quotes: delimiter === '\t',
    skip_empty_lines: true,
  });
  pipeline(text(), parser, () => {});
  try {
    for await (const { record, info } of parser) {
      yield { row: info.records + info.empty_lines, cells: record };
    }
  } catch (error) {
    throw toCsvFailure(error, name);
  }
}

const messages: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  CSV_MAX_RECORD_SIZE: 'a row is too long, probably because a quote is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE: 'there is a quote inside an unquoted cell',
};

function toCsvFailure(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('lines' in error)) return error;
  const problem = messages[String(error.code)] ?? error.message;
  return new Failure('usage', `${name}, line ${error.lines}: ${problem}.`, {
    cause: error,
    hint: 'A cell with a quote is written as "say ""hello""".',
  });
}

/** The format of a text file. */
export type Kind = 'csv' | 'tsv' | 'ndjson';

const kindsByExtension: Readonly<Record<string, Kind>> = {
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** Returns the format of a file by its extension, or else by its first characters. */
export function detectKind(name: string, head: string): Kind {
  const [end = ''] = /\.[a-z]+$/i.exec(name) ?? [];
  return kindsByExtension[end.toLowerCase()] ?? (/^\ufeff?\s*\{/.test(head) ? 'ndjson' : 'csv');
}

const delimiters = [',', ';', '\t', '|'] as const;

/** Returns the delimiter that occurs most often in the header, outside quotes. */
export function detectDelimiter(head: string): string {
  const [header = ''] = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(head.replace(/^\ufeff/, '').trimStart()) ?? [];
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const count = (character: string) => bare.split(character).length - 1;
  return delimiters.reduce((best, character) => (count(character) > count(best) ? character : best));
}

/** Returns the delimiter of a first line such as `sep=;`, which Excel reads and does not count. */
export function readDelimiterLine(head: string): string | undefined {
  return /^"?sep=([^"\r\n])"?(?=[\r\n])/i.exec(head)?.[1];
}

/** @throws {Failure} usage if the file is JSON but does not have one record per line */
export function rejectOtherJson(head: string, name: string): void {
  const isList = /^\s*\[\s*[{\]]/.test(head);
  if (!isList && !/^\s*\{\s*[\r\n]/.test(head)) return;
  const what = isList ? 'a JSON array' : 'JSON over several lines';
  throw new Failure('usage', `${name} is ${what}, not NDJSON (one record per line).`, {
    hint: `kith prints NDJSON with --format ndjson; jq converts with: jq -c '${isList ? '.[]' : '.'}'`,
  });
}

/** Returns the columns of NDJSON: the member names of all records, in order of appearance. */
export async function readJsonColumns(text: AsyncIterable<string>): Promise<string[]> {
  const names = new Set<string>();
  for await (const { cells } of readRecords(text)) for (const name of cells?.keys() ?? []) names.add(name);
  return [...names];
}

/** Yields the records of NDJSON as rows. Several values of a member are joined in one cell. */
export async function* readJsonRows(
  text: AsyncIterable<string>,
  columns: readonly string[],
): AsyncGenerator<Row> {
  for await (const { row, cells } of readRecords(text)) {
    const values = columns.map((name) => cells?.get(name) ?? '');
    const filled = { row, cells: values.map(escapeFormula), values };
    if (!cells) yield { ...filled, error: 'Not a JSON object on one line.' };
    else if (values.some((cell) => cell.trim() !== '')) yield filled;
  }
}

interface JsonRecord {
  readonly row: number;
  readonly cells: ReadonlyMap<string, string> | undefined;
}

async function* readRecords(text: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let row = 0;
  for await (const line of splitLines(text)) {
    row += 1;
    if (line.trim() !== '') yield { row, cells: readCells(line) };
  }
}

/**
 * Returns the members of a record as cells. Custom fields, which the service sends as a map, get the column names of
 * an export.
 */
function readCells(line: string): ReadonlyMap<string, string> | undefined {
  const record = parseJson(line);
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return undefined;
  const { custom_fields, ...own } = readObject(record);
  const custom = Object.values(readObject(custom_fields)).map(readObject);
  return new Map([
    ...Object.entries(own).map(([name, value]) => [name, joinValues(normalizeTexts(name, value))] as const),
    ...custom.map(({ name, value }) => [formatHeaderName(formatCell(name, ' ')), joinValues(value)] as const),
  ]);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Yields the lines of a text that arrives in chunks. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { Failure } from '../contract/errors.ts';
import { createReadFailure } from '../files/disk-errors.ts';
import { escapeFormula, joinValues } from '../render/cells.ts';
import { formatHeaderName } from '../render/field-headers.ts';
import { listDefinedValues, normalizeTexts } from '../values/field-values.ts';
import { isObject } from '../values/json-object.ts';
import {
  createTable,
  findHeader,
  type HeaderOptions,
  maxHeaderRow,
  type Row,
  splitLines,
  type Table,
} from './table.ts';
import { decodeFile, decodeHead, detectUnicode, readBytes, resolveEncoding } from './text-encoding.ts';

/** What decides how a file is read. */
interface TableOptions extends HeaderOptions {
  /** The encoding of a text file (default UTF-8). */
  readonly encoding: string | undefined;
  /** The worksheet of an .xlsx file (default the first one). */
  readonly sheet: string | undefined;
  /** The time zone of dates with a time in an .xlsx file (default that of this machine). */
  readonly tz: string | undefined;
  /** Whether the rows may be the cards of a vCard file. */
  readonly acceptsCards?: boolean;
}

/**
 * Opens the table in a file by its contents: an .xlsx workbook, CSV, TSV, NDJSON or vCard.
 * @throws {Failure} usage if the file has another format
 */
export async function openTable(file: string, name: string, options: TableOptions): Promise<Table> {
  const signature = (await readHead(file, name)).toString('hex', 0, 4);
  const { encoding, sheet, tz } = options;
  if (signature === '504b0304') {
    if (encoding !== undefined) {
      throw new Failure('usage', `--encoding applies only to text files; ${name} is an .xlsx file.`);
    }
    const { openWorkbook } = await import('./xlsx/workbook.ts');
    return openWorkbook(file, name, sheet, tz, options);
  }
  if (signature === 'd0cf11e0') {
    const hint = 'Save it without a password as .xlsx, or as "CSV UTF-8".';
    throw new Failure('usage', `${name} is an .xls file or is password-protected.`, { hint });
  }
  if (sheet !== undefined) {
    throw new Failure('usage', `--sheet applies only to .xlsx files; ${name} is not one.`);
  }
  return openTextTable(file, name, encoding && resolveEncoding(encoding), options);
}

/**
 * Opens the table in a text file: CSV with any of the delimiters `,` `;` TAB and `|`, or NDJSON. A byte order mark has
 * precedence over `encoding`. `name` is the file's name in messages.
 * @throws {Failure} usage if the file has no table
 */
export async function openTextTable(
  file: string,
  name: string,
  encoding = 'utf-8',
  options: HeaderOptions & Pick<TableOptions, 'acceptsCards'> = {},
): Promise<Table> {
  const bytes = await readHead(file, name);
  const actual = detectUnicode(bytes) ?? encoding;
  const head = decodeHead(bytes, actual);
  const read = () => decodeFile(file, name, actual);
  if (options.acceptsCards && cardStart.test(head)) return (await import('./vcard.ts')).openCards(read);
  requireTable(name, head);
  if (isNdjson(name, head)) {
    if (options.headerRow === undefined) return openJsonTable(name, read);
    throw new Failure('usage', `--header-row does not apply to NDJSON; ${name} has no header.`);
  }
  const layout = detectLayout(name, head, options);
  return createTable(name, () => readCsvRows(name, layout, read), options);
}

const cardStart = /^\s*BEGIN:VCARD/i;

/** The beginnings of text files that are not tables. */
const otherFormats: readonly (readonly [start: RegExp, format: string, hint: string])[] = [
  [cardStart, 'a vCard file', 'Import it with `kith contacts import FILE`.'],
  [/^\s*BEGIN:VCALENDAR/i, 'a calendar file', 'Import it with `kith workspace import-events FILE`.'],
  [/^%PDF-/, 'a PDF file', 'Export the data as CSV or .xlsx.'],
  [
    /^\s*<(!doctype html|html|head|body|table|meta)\b/i,
    'a web page (HTML)',
    'Open it in a spreadsheet program, and save it as .xlsx or as "CSV UTF-8".',
  ],
  [
    /^\s*<\?xml\b/i,
    'an XML file',
    'If a spreadsheet program can open it, save it as .xlsx or as "CSV UTF-8".',
  ],
];

/** @throws {Failure} usage if a text file has a known format that is not a table */
function requireTable(name: string, head: string): void {
  const [, format, hint = ''] = otherFormats.find(([start]) => start.test(head)) ?? [];
  if (format !== undefined)
    throw new Failure('usage', `${name} is ${format}, not a spreadsheet or CSV file.`, { hint });
}

const readHead = (file: string, name: string) =>
  readBytes(file, 0, 65_536).catch((error: unknown) => {
    throw createReadFailure(name, error);
  });

/** The maximum length of a row in bytes: an unclosed quote must not load the whole file. */
const maxRowLength = 4 * 1024 * 1024;

const isTsv = (name: string) => /\.(tsv|tab)$/i.test(name);

/** How a CSV or TSV file is written. */
interface Layout {
  readonly delimiter: string;
  /** The lines above the header, which need not be CSV. */
  readonly preamble: readonly string[];
  /** Whether the first line names the delimiter, such as `sep=;`. Excel does not count that line. */
  readonly isDeclared: boolean;
}

function detectLayout(name: string, head: string, { headerRow, isHeader }: HeaderOptions): Layout {
  const [line = '', declared] = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r)/i.exec(head) ?? [];
  const lines = head.slice(line.length).split(/\r\n|\n|\r/);
  const known = declared ?? (isTsv(name) ? '\t' : undefined);
  const isDeclared = declared !== undefined;
  if (headerRow === undefined && isHeader) {
    // A line within a quoted cell is not a row.
    let isQuoted = false;
    const firstLines = lines.slice(0, maxHeaderRow).map((text) => {
      const wasQuoted = isQuoted;
      if (text.split('"').length % 2 === 0) isQuoted = !isQuoted;
      return wasQuoted ? '' : text;
    });
    const readings = (known === undefined ? delimiters : [known]).map((delimiter) => ({
      delimiter,
      ...findHeader(
        firstLines.map((text) => text.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, ''))),
        isHeader,
      ),
    }));
    const best = readings.reduce((most, reading) => (reading.count > most.count ? reading : most));
    if (best.index > 0)
      return { delimiter: best.delimiter, preamble: lines.slice(0, best.index), isDeclared };
  }
  const preamble = lines.slice(0, Math.max((headerRow ?? 1) - 1, 0));
  const delimiter = known ?? detectDelimiter(lines.slice(preamble.length).join('\n'));
  return { delimiter, preamble, isDeclared };
}

/** Yields the rows of a CSV or TSV file. @throws {Failure} usage if it is neither */
async function* readCsvRows(
  name: string,
  { delimiter, preamble, isDeclared }: Layout,
  read: () => AsyncIterable<string>,
) {
  for (const [index, line] of preamble.entries()) {
    const text = line.trim().replace(/^"(.*)"$/, '$1');
    if (text !== '') yield { row: index + 1, cells: [text] };
  }
  const skipped = preamble.length + (isDeclared ? 1 : 0);
  const readTable = () => skipLines(read(), skipped);
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: maxRowLength,
    // A file may mix line endings if another program added rows.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // In tab-separated text a quote is usually just a character.
    relax_quotes: delimiter === '\t',
    skip_empty_lines: true,
  });
  pipeline(readTable(), parser, () => {});
  try {
    for await (const { record, info } of parser) {
      yield { row: preamble.length + info.records + info.empty_lines, cells: record };
    }
  } catch (error) {
    throw await toCsvFailure(error, name, skipped, () => findInvalidQuote(readTable(), delimiter));
  }
}

const messages: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  CSV_MAX_RECORD_SIZE: 'a row is too long, probably because a quote is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE: 'there is a quote inside an unquoted cell',
};

/** `skipped`: the number of lines that the parser did not get. */
async function toCsvFailure(
  error: unknown,
  name: string,
  skipped: number,
  findQuote: () => Promise<InvalidQuote | undefined>,
) {
  if (!(error instanceof Error) || !('code' in error) || !('lines' in error)) return error;
  const { line, endLine } = (await findQuote()) ?? { line: Number(error.lines) };
  const problem =
    endLine === undefined || endLine === line
      ? (messages[String(error.code)] ?? error.message)
      : `the quote that opens here closes in line ${skipped + endLine}, with text after it`;
  return new Failure('usage', `${name}, line ${skipped + line}: ${problem}.`, {
    cause: error,
    hint: 'A cell with a quote is written as "say ""hello""".',
  });
}

/** The lines of an opening quote and of its closing quote, if it has one. */
interface InvalidQuote {
  readonly line: number;
  readonly endLine?: number;
}

/** Finds the quote that makes a CSV file invalid. The parser knows only the line in which it stopped. */
async function findInvalidQuote(
  text: AsyncIterable<string>,
  delimiter: string,
): Promise<InvalidQuote | undefined> {
  const isStrict = delimiter !== '\t';
  let state: 'unquoted' | 'quoted' | 'closed' = 'unquoted';
  let [line, quoteLine, before] = [1, 1, '\n'];
  for await (const chunk of text) {
    for (const character of chunk) {
      const isBetweenCells = (one: string) => one === delimiter || one === '\n' || one === '\r';
      if (state === 'closed' && character !== '"') {
        if (isStrict && !isBetweenCells(character)) return { line: quoteLine, endLine: line };
        state = 'unquoted';
      } else if (character === '"' && state === 'unquoted') {
        if (isBetweenCells(before)) [state, quoteLine] = ['quoted', line];
        else if (isStrict) return { line };
      } else if (character === '"') state = state === 'quoted' ? 'closed' : 'quoted';
      if (character === '\r' || (character === '\n' && before !== '\r')) line += 1;
      before = character;
    }
  }
  return state === 'quoted' ? { line: quoteLine } : undefined;
}

/** Yields a text without its first lines. */
async function* skipLines(text: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  const pattern = new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\n|\\r(?!\\n)(?=[^]))){${count}}(?=[^])`);
  let isSkipped = count === 0;
  let start = '';
  for await (const chunk of text) {
    if (isSkipped) {
      yield chunk;
      continue;
    }
    start += chunk;
    const [lines] = pattern.exec(start) ?? [];
    if (lines === undefined) continue;
    isSkipped = true;
    yield start.slice(lines.length);
  }
}

const delimiters = [',', ';', '\t', '|'];

/** Returns the delimiter that occurs most often in the header, outside quotes. */
function detectDelimiter(head: string): string {
  const [header = ''] = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(head.trimStart()) ?? [];
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const count = (character: string) => bare.split(character).length - 1;
  return delimiters.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

/** Returns whether a file is NDJSON. @throws {Failure} usage if it is JSON without one record per line */
function isNdjson(name: string, head: string): boolean {
  const isArray = /^\s*\[\s*[{\]]/.test(head);
  if (isArray || /^\s*\{\s*[\r\n]/.test(head)) {
    const form = isArray ? 'a JSON array' : 'JSON over several lines';
    throw new Failure('usage', `${name} is ${form}, not NDJSON (one record per line).`, {
      hint: `kith prints NDJSON with --format ndjson; jq converts with: jq -c '${isArray ? '.[]' : '.'}'`,
    });
  }
  return /\.(ndjson|jsonl)$/i.test(name) || (!isTsv(name) && /^\s*\{/.test(head));
}

/** Opens NDJSON. The columns are the member names of all records, in order of appearance. */
async function openJsonTable(name: string, read: () => AsyncIterable<string>): Promise<Table> {
  const columns = new Set<string>();
  let isEmpty = true;
  for await (const { cells } of readRecords(read())) {
    isEmpty &&= cells?.size === 0;
    for (const column of cells?.keys() ?? []) columns.add(column);
  }
  if (isEmpty) throw new Failure('usage', `${name} is empty: it has no records.`);
  async function* rows(): AsyncGenerator<Row> {
    for await (const { row, cells } of readRecords(read())) {
      const cellTexts = Array.from(columns, (column) => escapeFormula(cells?.get(column) ?? ''));
      if (!cells) yield { row, cells: cellTexts, error: 'Not a JSON object on one line.' };
      else if (cellTexts.some((cell) => cell.trim() !== '')) yield { row, cells: cellTexts };
    }
  }
  return { columns: [...columns], isReport: false, notes: [], rows };
}

/** Yields the records of NDJSON with their line numbers. A line that is not a JSON object has no cells. */
async function* readRecords(text: AsyncIterable<string>) {
  let row = 0;
  for await (const line of splitLines(text)) {
    row += 1;
    if (line.trim() !== '') yield { row, cells: readCells(line) };
  }
}

/** Returns the members of a record as cells. Custom fields get the column names of an export. */
function readCells(line: string): ReadonlyMap<string, string> | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(record)) return undefined;
  const { custom_fields, ...otherFields } = record;
  return new Map([
    ...Object.entries(otherFields).map(
      ([name, value]) => [name, joinValues(normalizeTexts(name, value))] as const,
    ),
    ...listDefinedValues(custom_fields).map(
      ({ name, value }) => [formatHeaderName(name), joinValues(value)] as const,
    ),
  ]);
}

/** Returns a hash of a file and its import settings. */
export async function hashInput(file: string, settings: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest('base64url');
}

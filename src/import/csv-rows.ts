import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { Failure } from '../contract/errors.ts';

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
  readonly cellFaults?: Readonly<Record<number, string>>;
}

/** The longest row, in bytes: a quote that is never closed must not take the whole file into memory. */
const longestRow = 4 * 1024 * 1024;

/**
 * The rows of a CSV file, from a line on.
 * @throws {Failure} usage if it is not CSV
 */
export async function* csvRows(
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

import { escapeFormula, formatCell, joinValues } from '../render/cells.ts';
import { formatHeaderName } from '../render/field-headers.ts';
import { fieldsOf } from '../render/fields.ts';
import { normalizeTexts } from '../values/field-values.ts';
import type { SheetRow } from './table-file.ts';

/** The columns of NDJSON: every name that one of its records has, in the order in which they come up. */
export async function jsonColumns(text: AsyncIterable<string>): Promise<string[]> {
  const names = new Set<string>();
  for await (const { cells } of records(text)) for (const name of cells?.keys() ?? []) names.add(name);
  return [...names];
}

/** The records of NDJSON as rows of a sheet: several values of a member stand in one cell. */
export async function* jsonRows(
  text: AsyncIterable<string>,
  columns: readonly string[],
): AsyncGenerator<SheetRow> {
  for await (const { row, cells } of records(text)) {
    const values = columns.map((name) => cells?.get(name) ?? '');
    const filled = { row, cells: values.map(escapeFormula), values };
    if (!cells) yield { ...filled, fault: 'It is no JSON object on one line.' };
    else if (values.some((cell) => cell.trim() !== '')) yield filled;
  }
}

interface JsonRecord {
  readonly row: number;
  readonly cells: ReadonlyMap<string, string> | undefined;
}

async function* records(text: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let row = 0;
  for await (const line of linesOf(text)) {
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
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

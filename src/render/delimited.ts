import { readObject } from '../values/json-object.ts';
import { formatCell } from './cells.ts';
import type { Column, View } from './columns.ts';

/** Renders records in batches. The first batch has the header. */
export type RecordRenderer = (records: readonly unknown[]) => string;

/** Creates a renderer of rows of cells. */
export function createRowRenderer(
  view: View,
  { header = true, format }: { readonly header?: boolean; readonly format: (value: unknown) => string },
  joinRows: (rows: readonly (readonly string[])[]) => string,
): RecordRenderer {
  let columns: readonly Column[] | undefined;
  return (records) => {
    const isFirst = columns === undefined;
    const objects = records.map(readObject);
    const current = columns ?? view(objects).filter(({ place }) => place !== 'details');
    columns = current;
    const rows = objects.map((record) => current.map((column) => format(column.cell(record))));
    return joinRows(isFirst && header ? [current.map(({ name }) => name), ...rows] : rows);
  };
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escapeCell = (text: string) => text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '');

/** Creates a renderer of TSV. A tab, line feed or backslash in a cell becomes `\t`, `\n` or `\\`. */
export function createTsvRenderer(view: View, { header = true } = {}): RecordRenderer {
  return createRowRenderer(view, { header, format: (value) => formatCell(value, ';') }, (rows) =>
    rows.map((row) => `${row.map(escapeCell).join('\t')}\n`).join(''),
  );
}

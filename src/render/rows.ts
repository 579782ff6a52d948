import type { Column, View } from './columns.ts';
import { fieldsOf, formatCell } from './fields.ts';

/** Draws a list in batches as rows of cells, the header before the first. */
export function createRowRenderer(
  view: View,
  { header = true, textOf }: { readonly header?: boolean; readonly textOf: (value: unknown) => string },
  write: (rows: readonly (readonly string[])[]) => string,
) {
  let columns: readonly Column[] | undefined;
  return (records: readonly unknown[]): string => {
    const isFirst = columns === undefined;
    columns ??= view(records);
    const cells = columns;
    const rows = records.map((record) => cells.map(({ cell }) => textOf(cell(fieldsOf(record)))));
    return write(isFirst && header ? [cells.map(({ name }) => name), ...rows] : rows);
  };
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escapeCell = (text: string) => text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '');

/** Draws a list as TSV: nothing cut; a tab, line feed or backslash within a cell as `\t`, `\n`, `\\`. */
export function createTsvRenderer(
  view: View,
  { header = true }: { readonly header?: boolean } = {},
): (records: readonly unknown[]) => string {
  const textOf = (value: unknown) => formatCell(value, ';');
  return createRowRenderer(view, { header, textOf }, (rows) =>
    rows.map((row) => `${row.map(escapeCell).join('\t')}\n`).join(''),
  );
}

import type { Column, View } from './columns.ts';
import { fieldsOf } from './fields.ts';

/** Draws a list in batches as rows of cells, the header before the first. */
export function rowsOf(
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

import type { View } from './columns.ts';
import { cellText } from './fields.ts';
import { rowsOf } from './rows.ts';

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escaped = (text: string) => text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '');

/** Draws a list as TSV: nothing cut; a tab, line feed or backslash within a cell as `\t`, `\n`, `\\`. */
export function tsvOf(
  view: View,
  { header = true }: { readonly header?: boolean } = {},
): (records: readonly unknown[]) => string {
  const textOf = (value: unknown) => cellText(value, ';');
  return rowsOf(view, { header, textOf }, (rows) =>
    rows.map((row) => `${row.map(escaped).join('\t')}\n`).join(''),
  );
}

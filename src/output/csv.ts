import { stringify } from 'csv-stringify/sync';
import type { View } from './columns.ts';
import { rowsOf } from './rows.ts';

/** What a spreadsheet would run, apart from phone numbers and amounts. */
const isFormula = (text: string) => /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().;+-]*$/.test(text);

/** What Excel wants before a text that is UTF-8. */
const byteOrderMark = '\ufeff';

/** Draws a list as CSV (RFC 4180). A cell that a spreadsheet would run gets an apostrophe before it. */
export function csvOf(
  view: View,
  { header = true, bom = false }: { readonly header?: boolean; readonly bom?: boolean } = {},
): (records: readonly unknown[]) => string {
  let mark = bom ? byteOrderMark : '';
  const draw = rowsOf(view, { header }, (rows) =>
    stringify(
      rows.map((row) => row.map((text) => (isFormula(text) ? `'${text}` : text))),
      // Of itself it quotes a cell for the delimiter of the records, not for half of it.
      { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
    ),
  );
  return (records) => {
    const text = mark + draw(records);
    mark = '';
    return text;
  };
}

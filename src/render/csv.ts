import { stringify } from 'csv-stringify/sync';
import type { View } from './columns.ts';
import { escapeFormula, joinValues } from './csv-cells.ts';
import { createRowRenderer } from './rows.ts';

/** What Excel wants before a text that is UTF-8. */
const byteOrderMark = '\ufeff';

/** Draws a list as CSV (RFC 4180), its cells as `csv-cells.ts` makes them. */
export function createCsvRenderer(
  view: View,
  { header = true, bom = false }: { readonly header?: boolean; readonly bom?: boolean } = {},
): (records: readonly unknown[]) => string {
  let mark = bom ? byteOrderMark : '';
  const draw = createRowRenderer(view, { header, textOf: joinValues }, (rows) =>
    stringify(
      rows.map((row) => row.map(escapeFormula)),
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

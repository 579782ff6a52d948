import { stringify } from 'csv-stringify/sync';
import { escapeFormula, joinValues } from './cells.ts';
import type { View } from './columns.ts';
import { createRowRenderer, type RecordRenderer } from './delimited.ts';

/** Creates a renderer of CSV (RFC 4180). `bom`: whether to begin with the byte order mark, which Excel needs for UTF-8. */
export function createCsvRenderer(view: View, { header = true, bom = false } = {}): RecordRenderer {
  let mark = bom ? '\ufeff' : '';
  const render = createRowRenderer(view, { header, format: joinValues }, (rows) =>
    stringify(
      rows.map((row) => row.map(escapeFormula)),
      // Without quoted_match, csv-stringify would not quote a lone CR or LF.
      { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
    ),
  );
  return (records) => {
    const text = mark + render(records);
    mark = '';
    return text;
  };
}

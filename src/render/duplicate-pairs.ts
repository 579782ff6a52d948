import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import type { RecordRenderer } from './delimited.ts';
import { createTableRenderer } from './table.ts';
import type { TableStyle } from './text/paint.ts';
import { wrapParagraph } from './text/paragraph.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { pad } from './text/width.ts';
import { views } from './views.ts';

/** Columns of the score. */
const scoreWidth = 3;

/**
 * Creates a function that formats pairs of likely duplicates for a terminal: as a table, or as three lines each if the
 * table would hide a column. No pairs have no header.
 */
export function createPairFormatter(style: TableStyle): RecordRenderer {
  const renderTable = createTableRenderer(views.duplicates, style);
  return (pairs) => {
    if (pairs.length === 0) return '';
    const table = renderTable(pairs);
    if (renderTable.getHiddenColumns().length === 0) return table;
    return pairs.map((pair) => formatPair(readObject(pair), style)).join('');
  };
}

function formatPair(pair: JsonObject, { width, paint }: TableStyle): string {
  const formatLine = (start: string, text: string) =>
    `${pad(start, scoreWidth, 'right')}  ${wrapParagraph(sanitizeLine(text), width, scoreWidth + 2)}`;
  const formatRecord = (name: unknown, id: unknown) =>
    formatLine('', [name, `(${id})`].filter(Boolean).join(' '));
  return [
    paint.bold(formatLine(String(pair.score), readTexts(pair.reasons).join(', '))),
    formatRecord(pair.name, pair.id),
    formatRecord(pair.other_name, pair.other_id),
    '',
  ].join('\n');
}

import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { type Block, createText, renderBlocks } from './blocks.ts';
import type { RecordRenderer } from './delimited.ts';
import { createTableRenderer } from './table.ts';
import type { TableStyle } from './text/paint.ts';
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
    return renderBlocks(pairs.map(readObject).flatMap(listPairBlocks), style);
  };
}

function listPairBlocks(pair: JsonObject): Block[] {
  const mark = `${pad(String(pair.score), scoreWidth, 'right')}  `;
  const createRecord = (name: unknown, id: unknown) =>
    createText([name, `(${id})`].filter(Boolean).join(' '), { indent: mark.length });
  return [
    createText(readTexts(pair.reasons).join(', '), { mark, style: 'bold' }),
    createRecord(pair.name, pair.id),
    createRecord(pair.other_name, pair.other_id),
  ];
}

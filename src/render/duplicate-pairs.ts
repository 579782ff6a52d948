import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { type Block, renderBlocks } from './blocks.ts';
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
  const toRecord = (name: unknown, id: unknown): Block => ({
    kind: 'text',
    text: [name, `(${id})`].filter(Boolean).join(' '),
    indent: scoreWidth + 2,
  });
  return [
    {
      kind: 'text',
      text: readTexts(pair.reasons).join(', '),
      mark: `${pad(String(pair.score), scoreWidth, 'right')}  `,
      style: 'bold',
    },
    toRecord(pair.name, pair.id),
    toRecord(pair.other_name, pair.other_id),
  ];
}

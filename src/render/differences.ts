import type { Result } from '../contract/documents/results.ts';
import { type Noun, singularNouns, toTypedNoun } from '../contract/singular-nouns.ts';
import { formatCell } from './cells.ts';
import { renderChanges } from './edit/changes.ts';
import type { Paint, TableStyle } from './text/paint.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { wrapSpans } from './text/styled-text.ts';
import { truncate } from './text/width.ts';

/** A record that differs between two workspaces, as it is printed. */
export type DifferenceRow = Result<'difference'>;

const colors: Readonly<Record<DifferenceRow['change'], keyof Paint>> = {
  added: 'green',
  removed: 'red',
  changed: 'yellow',
};

/** The noun of one record by its typed form. */
const titles = new Map<string, string>(
  Object.entries(singularNouns).map(([noun, title]) => [toTypedNoun(noun as Noun), title]), // its keys
);

/** The maximum width of a value that is not a text, such as a transcript. */
const maxValue = 120;

/** Renders differences for a terminal: one line for each record, and below it the fields that changed. */
export function renderDifferences(rows: readonly unknown[], style: TableStyle): string {
  const room = style.width ?? Number.POSITIVE_INFINITY;
  return (rows as readonly DifferenceRow[]) // from the comparison of two archives
    .map(({ change, noun, id, name, fields }) => {
      const label = { text: change, style: style.paint[colors[change]] };
      const title = sanitizeLine([titles.get(noun) ?? noun, name, `(${id})`].filter(Boolean).join(' '));
      const head = wrapSpans([label, { text: ` ${title}` }], room, 2);
      const changes = fields.map(({ field, before, after }) => ({
        name: field,
        before: formatValue(before),
        after: formatValue(after),
      }));
      return `${head.join('\n')}\n${renderChanges(changes, style)}`;
    })
    .join('');
}

function formatValue(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  const hasObjects = [value].flat().some((item) => typeof item === 'object' && item !== null);
  const text = hasObjects ? truncate(JSON.stringify(value), maxValue) : formatCell(value, ', ');
  return text === '' ? undefined : text;
}

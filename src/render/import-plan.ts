import { type Fields, fieldsOf, itemsOf, plain } from './fields.ts';
import type { TableStyle } from './paint.ts';
import { sanitizeLine } from './sanitize.ts';

/** The first character of a plan's line, by action. */
const signs: Readonly<Record<string, string>> = {
  create: '+',
  update: '~',
  same: '=',
  refused: '!',
  unknown: '!',
};

/** Renders the plan of a dry run, one line per row: `~ update first_name: A -> B  (row 3, 0rlnky)`. */
export function planLines({ paint }: TableStyle): (records: readonly unknown[]) => string {
  const colors: Readonly<Record<string, (text: string) => string>> = {
    create: paint.green,
    update: paint.yellow,
    same: paint.dim,
    refused: paint.red,
  };
  return (records) =>
    records
      .map(fieldsOf)
      .map(({ action, row, id, changes, error }) => {
        const name = plain(action);
        const label = `${signs[name] ?? '?'} ${name}`;
        const detail =
          error === undefined ? itemsOf(changes).map(formatChange).join(', ') : sanitizeLine(plain(error));
        const place = paint.dim(`(${[`row ${row}`, sanitizeLine(plain(id))].filter(Boolean).join(', ')})`);
        return `${[(colors[name] ?? plain)(label), detail].filter(Boolean).join(' ')}  ${place}\n`;
      })
      .join('');
}

/** Returns `first_name: A -> B`, or `emails: + b@acme.example` for an added value. */
function formatChange({ field, from, to, added }: Fields): string {
  const now = formatPlanValue(to);
  if (added === true) return `${sanitizeLine(plain(field))}: + ${now}`;
  return `${sanitizeLine(plain(field))}: ${from === undefined ? now : `${formatPlanValue(from)} -> ${now}`}`;
}

function formatPlanValue(value: unknown): string {
  return sanitizeLine(Array.isArray(value) ? value.map(plain).join('; ') : plain(value)) || 'nothing';
}

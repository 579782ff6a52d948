import { type Fields, fieldsOf, itemsOf, plain } from './fields.ts';
import type { TableStyle } from './paint.ts';
import { sanitizeLine } from './sanitize.ts';

/** What a line of a plan begins with, by what would become of the row. */
const signs: Readonly<Record<string, string>> = {
  create: '+',
  update: '~',
  same: '=',
  refused: '!',
  unknown: '!',
};

/** Draws what would become of the rows of a sheet, a line each: `~ update first_name: A -> B  (row 3, 0rlnky)`. */
export function planLines({ paint }: TableStyle): (records: readonly unknown[]) => string {
  const colours: Readonly<Record<string, (text: string) => string>> = {
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
        const what = `${signs[name] ?? '?'} ${name}`;
        const told =
          error === undefined ? itemsOf(changes).map(changeText).join(', ') : sanitizeLine(plain(error));
        const place = paint.dim(`(${[`row ${row}`, sanitizeLine(plain(id))].filter(Boolean).join(', ')})`);
        return `${[(colours[name] ?? plain)(what), told].filter(Boolean).join(' ')}  ${place}\n`;
      })
      .join('');
}

/** `first_name: A -> B`; what is new beside others `emails: + b@acme.example`. */
function changeText({ field, from, to, added }: Fields): string {
  const now = shown(to);
  if (added === true) return `${sanitizeLine(plain(field))}: + ${now}`;
  return `${sanitizeLine(plain(field))}: ${from === undefined ? now : `${shown(from)} -> ${now}`}`;
}

function shown(value: unknown): string {
  return sanitizeLine(Array.isArray(value) ? value.map(plain).join('; ') : plain(value)) || 'nothing';
}

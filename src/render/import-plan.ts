import type { Result } from '../contract/documents/results.ts';
import { formatCell } from './cells.ts';
import type { Paint, TableStyle } from './text/paint.ts';
import { sanitizeLine } from './text/sanitize.ts';

/** The first character and the color of a plan's line, by action. */
const styles: Readonly<Record<string, readonly [sign: string, color?: keyof Paint]>> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  same: ['=', 'dim'],
  refused: ['!', 'red'],
  unknown: ['!'],
};

/** The planned changes of a row. */
export type PlannedRow = Result<'import-row'>;

export type PlannedChange = NonNullable<PlannedRow['changes']>[number];

/** Renders the plan of a dry run, one line per row: `~ update first_name: A -> B  (row 3, 0rlnky)`. */
export function formatPlan({ paint }: TableStyle): (records: readonly unknown[]) => string {
  return (records) =>
    (records as readonly PlannedRow[]) // of a dry run
      .map(({ action, row, id = '', changes = [], error, left_out }) => {
        const [sign, color] = styles[action] ?? ['?'];
        const label = `${sign} ${action}`;
        const plan = error === undefined ? changes.map(formatChange).join(', ') : sanitizeLine(error);
        const note = left_out === undefined ? '' : `(left out: ${sanitizeLine(left_out)})`;
        const detail = [plan, note].filter(Boolean).join(' ');
        const place = paint.dim(`(${[`row ${row}`, sanitizeLine(id)].filter(Boolean).join(', ')})`);
        return `${[color ? paint[color](label) : label, detail].filter(Boolean).join(' ')}  ${place}\n`;
      })
      .join('');
}

/** Returns `first_name: A -> B`, or `emails: + b@acme.example` for an added value. */
export function formatChange({ field, from, to, added }: PlannedChange): string {
  const now = formatPlanValue(to);
  if (added === true) return `${sanitizeLine(field)}: + ${now}`;
  return `${sanitizeLine(field)}: ${from === undefined ? now : `${formatPlanValue(from)} -> ${now}`}`;
}

function formatPlanValue(value: unknown): string {
  return sanitizeLine(formatCell(value, '; ')) || 'nothing';
}

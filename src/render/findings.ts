import type { Paint, TableStyle } from './text/paint.ts';
import { wrapParagraph } from './text/paragraph.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { pad } from './text/width.ts';

/** The result of one check of `doctor`. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'error';
  readonly found: string;
  /** How to fix it; empty if the check passed. */
  readonly advice: string;
}

const colors: Readonly<Record<Finding['state'], keyof Paint>> = {
  ok: 'green',
  warning: 'yellow',
  error: 'red',
};

/** The fewest columns in which a finding is printed next to the name of its check. */
const minRoom = 40;

/** Renders the results of checks, each with its advice on the next lines. Nothing is truncated. */
export function renderFindings(
  findings: readonly unknown[],
  { width = Number.POSITIVE_INFINITY, paint }: TableStyle,
): string {
  const checks = findings as readonly Finding[]; // from the checks of doctor
  const stateWidth = Math.max(...checks.map(({ state }) => state.length));
  const nameWidth = Math.max(...checks.map(({ check }) => check.length));
  const margin = stateWidth + nameWidth + 4;
  const indent = width - margin < minRoom ? 2 : margin;
  const lines = checks.flatMap(({ state, check, found, advice }) => {
    const name = `${paint[colors[state]](state)}${pad('', stateWidth - state.length)}  ${check}`;
    const texts = [found, ...(advice === '' ? [] : [`hint: ${advice}`])].map((text) =>
      wrapParagraph(sanitizeLine(text), width, indent),
    );
    if (indent < margin) return [name, ...texts.map((text) => pad('', indent) + text)];
    const [first = '', ...rest] = texts;
    return [
      name + pad('', margin - stateWidth - 2 - check.length) + first,
      ...rest.map((text) => pad('', margin) + text),
    ];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

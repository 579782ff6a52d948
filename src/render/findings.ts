import type { Result } from '../contract/documents/results.ts';
import { renderBlocks } from './blocks.ts';
import type { Paint, TableStyle } from './text/paint.ts';
import { wrapParagraph } from './text/paragraph.ts';
import { pad } from './text/width.ts';

/** The result of one check of `doctor`. */
export type Finding = Result<'finding'>;

const colors: Readonly<Record<Finding['state'], keyof Paint>> = {
  ok: 'green',
  warning: 'yellow',
  error: 'red',
};

/** Renders the results of checks, each with its advice on the next lines. Nothing is truncated. */
export function renderFindings(findings: readonly unknown[], style: TableStyle): string {
  const checks = findings as readonly Finding[]; // from the checks of doctor
  const stateWidth = Math.max(...checks.map(({ state }) => state.length));
  // A label that wraps has further lines without a state.
  const paintState = (label: string) =>
    label.replace(/^(?:ok|warning|error)\b/, (state) =>
      style.paint[colors[state as Finding['state']]](state),
    );
  const fields = checks.map(({ state, check, found, advice }) => ({
    label: `${pad(state, stateWidth)}  ${check}`,
    texts: [found, ...(advice === '' ? [] : [`hint: ${advice}`])],
  }));
  const wrapText = (text: string, width: number) => wrapParagraph(text, width).split('\n');
  const layout = { minRoom: 40, isUniform: true, paintLabel: paintState, wrapText };
  return renderBlocks([{ kind: 'fields', fields, ...layout }], style);
}

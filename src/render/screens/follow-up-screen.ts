import type { Result } from '../../contract/documents/results.ts';
import { type Block, createText, renderBlocks } from '../blocks.ts';
import type { TableStyle } from '../text/paint.ts';
import { pad } from '../text/width.ts';

/** Columns of a score. */
const scoreWidth = 3;

/** Maximum number of lines for a reason. */
const maxLines = 2;

/** Renders whom to contact, with the reasons in words. `explain`: whether to show the parts of each score. */
export function renderFollowUps(
  lines: readonly Result<'follow-up'>[],
  { explain, ...style }: Pick<TableStyle, 'width' | 'paint'> & { readonly explain: boolean },
): string {
  return renderBlocks(
    lines.flatMap((line) => listFollowUpBlocks(line, explain)),
    style,
  );
}

/** `explain`: whether to show the parts of the score. */
export function listFollowUpBlocks(
  { id, name, contact, score, reasons }: Result<'follow-up'>,
  explain: boolean,
): Block[] {
  const format = (points: number) => (explain ? `${pad(String(points), scoreWidth, 'right')}  ` : '');
  const mark = format(score);
  return [
    createText([name, contact && `(${contact})`, id].filter(Boolean).join(' '), {
      mark,
      style: 'bold',
      maxLines: 1,
    }),
    ...reasons.map((reason) =>
      createText(reason.text, {
        mark: explain ? `${format(reason.score)}${reason.part}: ` : '',
        indent: 2,
        maxLines,
      }),
    ),
  ];
}

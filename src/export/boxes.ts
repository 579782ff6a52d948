import { hashContent } from './folder.ts';

/** A Markdown checkbox, as kith writes it for an action item. */
export interface Box {
  readonly isDone: boolean;
  readonly text: string;
}

const boxLine = /^- \[([ xX])\] (.*)$/gm;

/** Returns the boxes of a text in order. */
export function listBoxes(markdown: string): Box[] {
  return Array.from(markdown.matchAll(boxLine), ([, mark, text = '']) => ({ isDone: mark !== ' ', text }));
}

/** Returns the positions of the done boxes of a text. */
export function listDoneBoxes(markdown: string): number[] {
  return listBoxes(markdown).flatMap(({ isDone }, index) => (isDone ? [index] : []));
}

/**
 * Returns the boxes whose states a person changed; none if the file also differs in other text. `hash` and `done`: the
 * hash and the done boxes of the text that the export wrote.
 */
export function findChangedBoxes(
  markdown: string,
  hash: string,
  done: readonly number[],
): readonly (Box & { readonly index: number })[] {
  const wasDone = new Set(done);
  let position = 0;
  const written = markdown.replace(boxLine, (line) => {
    const isDone = wasDone.has(position);
    position += 1;
    return `- [${isDone ? 'x' : ' '}${line.slice(4)}`;
  });
  if (hashContent(written) !== hash) return [];
  return listBoxes(markdown).flatMap((box, index) =>
    box.isDone === wasDone.has(index) ? [] : [{ ...box, index }],
  );
}

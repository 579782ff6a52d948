import { hashContent } from './folder.ts';

/** A box in Markdown, as kith writes those of action items. */
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
 * Returns the boxes of a file whose states a person changed; empty if the file differs in more. `hash` and `done`: of the
 * text that the export wrote.
 */
export function findChangedBoxes(
  markdown: string,
  { hash, done }: { readonly hash: string; readonly done: readonly number[] },
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

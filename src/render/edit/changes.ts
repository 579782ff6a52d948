import { formatCount } from '../../values/text.ts';
import type { TableStyle } from '../text/paint.ts';
import { sanitizeLine, sanitizeLines } from '../text/sanitize.ts';
import { wrapSpans } from '../text/styled-text.ts';

/** A field whose value changes. undefined means no value. */
export interface ValueChange {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Maximum number of removed lines, and of added lines, that are shown for a text. */
const maxLines = 10;

/**
 * Renders the changes of a record as `name: before -> after`. For texts of several lines, renders the lines that
 * differ.
 */
export function renderChanges(changes: readonly ValueChange[], { width, paint }: TableStyle): string {
  const room = width ?? Number.POSITIVE_INFINITY;
  const lines = changes.flatMap(({ name, before, after }) => {
    const label = { text: `  ${sanitizeLine(name)}:`, style: paint.bold };
    if (`${before}${after}`.includes('\n')) {
      const [removedLines, addedLines] = compareLines(before ?? '', after ?? '');
      return [
        ...wrapSpans([label], room, 4),
        ...limitLines(removedLines).flatMap((line) =>
          wrapSpans([{ text: `    - ${line}`, style: paint.red }], room, 6),
        ),
        ...limitLines(addedLines).flatMap((line) =>
          wrapSpans([{ text: `    + ${line}`, style: paint.green }], room, 6),
        ),
      ];
    }
    const show = (value: string | undefined, style: (text: string) => string) =>
      value === undefined ? { text: '(none)', style: paint.dim } : { text: sanitizeLine(value), style };
    const arrow = { text: ' -> ' };
    return wrapSpans(
      [label, { text: ' ' }, show(before, paint.red), arrow, show(after, paint.green)],
      room,
      4,
    );
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns the lines of two texts that are in neither their common start nor their common end. */
function compareLines(before: string, after: string): [removed: string[], added: string[]] {
  const [old, current] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const shorter = Math.min(old.length, current.length);
  let start = 0;
  while (start < shorter && old[start] === current[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === current.at(-1 - end)) end += 1;
  return [old.slice(start, old.length - end), current.slice(start, current.length - end)];
}

function limitLines(lines: readonly string[]): string[] {
  const visibleLines = lines.slice(0, maxLines).map((line) => sanitizeLines(line).replaceAll('\t', '  '));
  return lines.length > maxLines
    ? [...visibleLines, `... and ${formatCount(lines.length - maxLines, 'more line')}`]
    : visibleLines;
}

import { hasUnspaced } from '../../values/unspaced-scripts.ts';
import { formatLabeled } from './labeled.ts';
import { measureWidth, wrap } from './width.ts';

/**
 * Code in backticks, a flag with a file, and a command at the end of a hint. A line feed would make them impossible to
 * paste.
 */
const atoms =
  /(?:^|(?<=: ))(?:kith|chmod|createdb|createuser|export|jq) .*[^.\]>]$|`[^`]*`\S*|--[\w-]+ @\S+|\S+/g;

/** The minimum width of wrapped text, in columns. */
const minRoom = 20;

/**
 * Wraps a paragraph at spaces to lines of at most `width` columns. Lines after the first begin with `indent` spaces,
 * and the first line has the same room. Code and long words are not split, so that they can be copied.
 */
export function wrapParagraph(text: string, width = Number.POSITIVE_INFINITY, indent = 0): string {
  const room = Math.max(minRoom, width - indent);
  // Most texts are short and need no wrapping. Their spaces are kept.
  if (text.length <= room && measureWidth(text) <= room) return text;
  const lines: string[] = [];
  let lineWidth = room;
  for (const atom of text.match(atoms) ?? []) {
    const [first = '', ...nextLines] = hasUnspaced(atom) ? wrap(atom, room) : [atom];
    const isFitting = lineWidth + 1 + measureWidth(first) <= room;
    if (isFitting) lines.push(`${lines.pop()} ${first}`, ...nextLines);
    else lines.push(first, ...nextLines);
    lineWidth = measureWidth(lines.at(-1) ?? '');
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/** Formats a term of a list with its meaning next to it; in a narrow terminal, below it. */
export function formatTerm(term: string, termWidth: number, meaning: string, width: number): string {
  const wrapText = (text: string, room: number) => wrapParagraph(text, room).split('\n');
  const layout = { width: width - 2, labelWidth: termWidth, indent: 4, isUniform: true, wrapText };
  const lines = formatLabeled({ label: term, texts: meaning === '' ? [] : [meaning] }, layout);
  return lines.map((line) => `  ${line}`).join('\n');
}

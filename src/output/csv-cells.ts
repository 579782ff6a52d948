import { splitAt } from './escaped.ts';
import { cellText } from './fields.ts';

/** What a spreadsheet would run, apart from phone numbers and amounts. */
const isFormula = (text: string) => /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().;+-]*$/.test(text);

/** Also behind apostrophes: one more and one less then never mean the same cell. */
const hidesFormula = (text: string) => isFormula(text.replace(/^'+/, ''));

/** A text as a cell: one that a spreadsheet would run gets an apostrophe before it. `cellOf` takes it off. */
export function safeCell(text: string): string {
  return hidesFormula(text) ? `'${text}` : text;
}

/** The text that `safeCell` made a cell of; a cell that it did not make is as it stands. */
export function cellOf(cell: string): string {
  return cell.startsWith("'") && hidesFormula(cell) ? cell.slice(1) : cell;
}

/**
 * A value as a text. Several values are separated by `;`. In one of several a backslash stands before `;` and `\`, and
 * before a blank at either end, which `valuesIn` would trim.
 */
export function valueText(value: unknown): string {
  if (!Array.isArray(value)) return cellText(value, ';');
  return value
    .map((item) =>
      cellText(item, ';')
        .replace(/[;\\]/g, '\\$&')
        .replace(/^\s|(?<!^)\s$/g, '\\$&'),
    )
    .join(';');
}

/** The values that `valueText` or a person put into one text. Blanks around a value and empty values are dropped. */
export function valuesIn(text: string): string[] {
  return splitAt(text, ';')
    .map(trimUnescaped)
    .filter((value) => value !== '')
    .map(unescapeValue);
}

/** A blank at an end stays if a backslash stands before it. */
function trimUnescaped(part: string): string {
  const end = part.trimEnd();
  const [backslashes = ''] = /\\*$/.exec(end) ?? [];
  const isEscaped = end.length < part.length && backslashes.length % 2 === 1;
  return (isEscaped ? part.slice(0, end.length + 1) : end).trimStart();
}

/** Takes the backslashes off. A backslash before anything else, as in `C:\temp`, is one that a person typed. */
function unescapeValue(part: string): string {
  return part.replace(/\\([;\\])|^\\(?=\s)|\\(?=\s$)/g, '$1');
}

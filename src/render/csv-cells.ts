import { splitUnescaped } from './escapes.ts';
import { formatCell } from './fields.ts';

/** What a spreadsheet would run, apart from phone numbers and amounts. */
const isFormula = (text: string) => /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().;+-]*$/.test(text);

/** Also behind apostrophes: one more and one less then never mean the same cell. */
const needsEscape = (text: string) => isFormula(text.replace(/^'+/, ''));

/** A text as a cell: one that a spreadsheet would run gets an apostrophe before it. `cellOf` takes it off. */
export function escapeFormula(text: string): string {
  return needsEscape(text) ? `'${text}` : text;
}

/** The text that `safeCell` made a cell of; a cell that it did not make is as it stands. */
export function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && needsEscape(cell) ? cell.slice(1) : cell;
}

/**
 * Formats a value as text. Several values are separated by `;`; within each, a backslash escapes `;`, `\`, and a blank
 * at either end, which `valuesIn` would trim.
 */
export function joinValues(value: unknown): string {
  if (!Array.isArray(value)) return formatCell(value, ';');
  return value
    .map((item) =>
      formatCell(item, ';')
        .replace(/[;\\]/g, '\\$&')
        .replace(/^\s|(?<!^)\s$/g, '\\$&'),
    )
    .join(';');
}

/** Splits a text from `valueText` or a person into its values. Drops blanks around values, and empty values. */
export function splitValues(text: string): string[] {
  return splitUnescaped(text, ';')
    .map(trimUnescaped)
    .filter((value) => value !== '')
    .map(unescapeValue);
}

/** Trims a value, except for blanks escaped by a backslash. */
function trimUnescaped(part: string): string {
  const end = part.trimEnd();
  const [backslashes = ''] = /\\*$/.exec(end) ?? [];
  const isEscaped = end.length < part.length && backslashes.length % 2 === 1;
  return (isEscaped ? part.slice(0, end.length + 1) : end).trimStart();
}

/** Removes escaping backslashes. A backslash before anything else, as in `C:\temp`, is part of the value. */
function unescapeValue(part: string): string {
  return part.replace(/\\([;\\])|^\\(?=\s)|\\(?=\s$)/g, '$1');
}

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

/** A value as a text; several values are parted by `;`, and a `;` or `\` in one has a `\` before it. */
export function valueText(value: unknown): string {
  if (!Array.isArray(value)) return cellText(value, ';');
  return value.map((item) => cellText(item, ';').replace(/[;\\]/g, '\\$&')).join(';');
}

/**
 * The values that `valueText` put into one text, or a person did: space around them is nobody's, nor are empty
 * ones.
 */
export function valuesIn(text: string): string[] {
  return splitAt(text, ';')
    .map((part) => part.trim().replace(/\\([;\\])/g, '$1'))
    .filter((value) => value !== '');
}

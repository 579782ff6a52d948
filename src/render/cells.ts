import { type FieldType, getSeparator, parseValue } from '../contract/field-types.ts';

/** Formats a value as the text of a cell. Several values are separated by `separator`. */
export function formatCell(value: unknown, separator: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => formatCell(item, separator)).join(separator);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** Whether a spreadsheet would run a text as a formula. Phone numbers and amounts are not formulas. */
const isFormula = (text: string) => /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().;+-]*$/.test(text);

/** Also true after apostrophes. Otherwise two texts would have the same cell. */
const needsApostrophe = (text: string) => isFormula(text.replace(/^'+/, ''));

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. */
export function escapeFormula(text: string): string {
  return needsApostrophe(text) ? `'${text}` : text;
}

/** Removes the apostrophe from `escapeFormula`. Returns any other cell unchanged. */
export function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && needsApostrophe(cell) ? cell.slice(1) : cell;
}

/** Formats a value as text. Values are separated by `;`. A backslash escapes `;`, `\`, and a blank at either end. */
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

/** Splits a text from `joinValues` or a person into its values. Drops blanks around values, and empty values. */
export function splitValues(text: string): string[] {
  return splitUnescaped(text, ';')
    .map(trimUnescaped)
    .filter((value) => value !== '')
    .map(unescapeValue);
}

/** Splits a text with values of a field. A text that is one value is not split. */
export function splitFieldValues(text: string, type: FieldType): string[] {
  const isValue = (part: string) => 'value' in parseValue(part, { type });
  const separator = getSeparator(type);
  if (separator === undefined || isValue(text)) return [text];
  const splitAtSeparators = (part: string) => part.split(separator).filter((piece) => piece.trim() !== '');
  const parts = splitValues(text).flatMap((part) => (isValue(part) ? part : splitAtSeparators(part)));
  if (parts.every(isValue)) return parts;
  // A value may contain a semicolon: `tel:+14155552671;ext=12`.
  const others = splitAtSeparators(text).flatMap((part) => (isValue(part) ? part : splitValues(part)));
  return others.every(isValue) ? others : parts;
}

/** Trims a value, except for blanks escaped by a backslash. */
function trimUnescaped(value: string): string {
  const trimmed = value.trimEnd();
  const [backslashes = ''] = /\\*$/.exec(trimmed) ?? [];
  const endsEscaped = trimmed.length < value.length && backslashes.length % 2 === 1;
  return (endsEscaped ? value.slice(0, trimmed.length + 1) : trimmed).trimStart();
}

/** Removes escaping backslashes. A backslash before anything else, as in `C:\temp`, is part of the value. */
function unescapeValue(value: string): string {
  return value.replace(/\\([;\\])|^\\(?=\s)|\\(?=\s$)/g, '$1');
}

/** Splits a text at each separator that has no backslash before it. Backslashes stay in the parts. */
export function splitUnescaped(text: string, separator: string): string[] {
  const parts = [''];
  for (const piece of text.match(/\\.|[^\\]|\\$/gs) ?? []) {
    if (piece === separator) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

/** Removes the backslashes before separators. */
export function removeEscapes(text: string): string {
  return text.replace(/\\([.,:=\\])/g, '$1');
}

import type { DataType } from '../contract/fields.ts';
import { isDate, isDateTime } from '../values/dates.ts';
import { isUrl } from '../values/domain.ts';
import { isExactInJson } from '../values/field-values.ts';
import type { Sheet } from './table-file.ts';

/** A text that is long, or has lines, is no single line. */
const longLine = 200;

/** Data types by what all values of a column are, the narrowest first. A number keeps its digits: `007` is none. */
const kinds: readonly (readonly [DataType, (text: string) => boolean])[] = [
  [
    'number',
    (text) =>
      /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && isExactInJson(Number(text)) && String(Number(text)) === text,
  ],
  ['date', isDate],
  ['datetime', isDateTime],
  ['url', isUrl],
  ['text', (text) => !text.includes('\n') && text.length <= longLine],
];

/** The data types that the values of columns have, by the names of the columns; of an empty one `text`. */
export async function guessedTypes(sheet: Sheet, columns: readonly string[]): Promise<Map<string, DataType>> {
  const places = columns.map((column) => sheet.columns.indexOf(column));
  const left = columns.map(() => [...kinds]);
  const isEmpty = columns.map(() => true);
  for await (const { values } of sheet.rows()) {
    for (const [index, place] of places.entries()) {
      const text = values[place] ?? '';
      if (text.trim() === '') continue;
      isEmpty[index] = false;
      left[index] = (left[index] ?? []).filter(([, is]) => is(text));
    }
  }
  return new Map(
    columns.map((column, index) => [column, isEmpty[index] ? 'text' : (left[index]?.[0]?.[0] ?? 'textarea')]),
  );
}

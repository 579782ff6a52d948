import { readDataType } from '../contract/field-types.ts';
import { findType } from '../contract/list-fields.ts';
import { isEmpty, isFieldContainer, listDefinedValues, normalizeTexts } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import { renderBlocks } from './blocks.ts';
import { collectReferences, type Reference } from './collect-references.ts';
import { type Column, describeType } from './columns.ts';
import {
  createItemFormatter,
  type Display,
  findTitle,
  formatLabel,
  listItems,
  plainDisplay,
} from './display.ts';
import type { LabeledValue } from './text/labeled.ts';
import type { TableStyle } from './text/paint.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { measureWidth } from './text/width.ts';

/** A field of a record with the texts of its value, and their source if they are Markdown. */
export interface Detail extends LabeledValue {
  readonly markdown?: string;
}

/** How details are drawn. */
interface DetailStyle extends TableStyle {
  /** Renders Markdown as lines. If omitted, Markdown is shown as text. */
  readonly renderMarkdown?: ((text: string, style: TableStyle) => string[]) | undefined;
}

/** If one of several values is longer than this, each value gets its own line. */
const longValue = 40;

/** Formats a record as lines of name and value. Values wrap; in a narrow terminal, long ones are below their names. */
export function renderDetails(
  record: unknown,
  { renderMarkdown, ...style }: DetailStyle,
  columns: readonly Column[] = [],
  display: Display = { ...plainDisplay, isFull: true },
): string {
  const fields = listDetails(record, columns, display).map(({ markdown, ...field }) =>
    markdown === undefined || !renderMarkdown
      ? field
      : { ...field, render: (width: number) => renderMarkdown(markdown, { ...style, width }) },
  );
  return renderBlocks([{ kind: 'fields', fields, paintLabel: style.paint.bold }], style);
}

/** Returns the records and people that the details of a record show by name. */
export function listDetailReferences(record: unknown, columns: readonly Column[]): Reference[] {
  return collectReferences((getName) => listDetails(record, columns, { ...plainDisplay, getName }));
}

/**
 * Lists the names and values of a record as the columns of its table show them. Custom fields and list fields are
 * listed by their names, and the members of other objects by their paths.
 */
export function listDetails(
  record: unknown,
  columns: readonly Column[] = [],
  display: Display = { ...plainDisplay, isFull: true },
): Detail[] {
  const object = readObject(record);
  const columnsByField = new Map(
    columns.filter(hasOwnFormat).map((column) => [getFields(column)[0], column]),
  );
  const computedFields = new Set(
    Array.from(columnsByField.values(), (column) => getFields(column).slice(1)).flat(),
  );
  const titles = new Map(columns.map(({ name, title = name }) => [name, title]));
  return Object.entries(object).flatMap(([name, value]): Detail[] => {
    const column = columnsByField.get(name);
    if (column) {
      const detail = { label: formatLabel(column), texts: formatTexts(column, object, display) };
      const markdown = column.isMarkdown ? column.cell(object) : undefined;
      return [typeof markdown === 'string' && markdown !== '' ? { ...detail, markdown } : detail];
    }
    if (computedFields.has(name)) return [];
    if (!isFieldContainer(name)) return listField(name, value, display, titles.get(name));
    return listDefinedValues(value).map(({ name, dataType, value }) => {
      const column = { name, cell: () => value, ...describeType(readDataType(dataType)) };
      return { label: sanitizeLine(name), texts: formatTexts(column, object, display) };
    });
  });
}

const getFields = ({ name, fields = [name] }: Column) => fields;

/** Whether the details show a column instead of its field. */
const hasOwnFormat = ({ place, reference, display, isTime, isText, isMarkdown, fields }: Column) =>
  place !== 'data' && Boolean(reference || display || isTime || isText || isMarkdown || fields);

function formatTexts(column: Column, record: JsonObject, display: Display): readonly string[] {
  const value = column.cell(record);
  if (isEmpty(value)) return ['-'];
  const texts = listItems(column, record).map(createItemFormatter(column, record, display));
  if (column.isText || texts.some((text) => measureWidth(text) > longValue)) return texts;
  return [texts.join(', ')];
}

/**
 * Lists a field that no column formats; an object is listed member by member. A field of the contract or of a column has
 * a label.
 */
function listField(path: string, value: unknown, display: Display, title?: string): Detail[] {
  if (isObject(value) && findTitle(value) === undefined) {
    return Object.entries(value).flatMap(([name, member]) => listField(`${path}.${name}`, member, display));
  }
  const type = findType(path);
  const column: Column = {
    name: path,
    cell: () => normalizeTexts(path, value),
    isTime: path.endsWith('_at'),
    ...describeType(type ?? 'text'),
  };
  const label =
    type === undefined && title === undefined ? sanitizeLine(path) : formatLabel({ name: path, title });
  return [{ label, texts: formatTexts(column, {}, display) }];
}

import { readField } from '../contract/field-table.ts';
import { type FieldType, readMember } from '../contract/field-types.ts';
import type { RecordType } from '../contract/index.ts';
import { findField } from '../contract/list-fields.ts';
import { recordFields } from '../contract/record-fields.ts';
import type { ListedNoun } from '../contract/singular-nouns.ts';
import { normalizeTexts } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { formatCents } from '../values/money.ts';
import type { NameKind } from './collect-references.ts';
import type { Shrink } from './text/fit-columns.ts';

/** A column of a table, CSV or TSV, for records of type `T`. */
export interface Column<T = JsonObject> {
  /** The name of the field, and the header in CSV and TSV. */
  readonly name: string;
  /** The header in a table, if it differs from the name. */
  readonly title?: string;
  /** Other names that --fields accepts. */
  readonly aliases?: readonly string[];
  cell(record: T): unknown;
  /** The value in a table, if it differs from the value in CSV. */
  display?(record: T): unknown;
  /** The fields that the cell is computed from, if not just the field with the column's name. */
  readonly fields?: readonly string[];
  /** Returns the owners of the ids or addresses in the cell: a table shows their names instead. */
  reference?(record: T): NameKind | undefined;
  /** Whether the cell is a point in time, which a table shows as local time. */
  readonly isTime?: boolean;
  /** Whether the cell is the address of a user: a table shows the part before the `@`. */
  readonly isUser?: boolean;
  /** Whether the cell is a text of several lines; a table shows the first one. */
  readonly isText?: boolean;
  /** Whether the cell is Markdown, which the details in a terminal show formatted. */
  readonly isMarkdown?: boolean;
  /** The number of values that a table shows; it counts the others. */
  readonly maxItems?: number;
  readonly isRightAligned?: boolean;
  /** Whether the cell is a number without a unit. */
  readonly isNumber?: boolean;
  /** 2 by default. */
  readonly shrink?: Shrink;
  /** Where it appears: first in a table; in a table if there is room; in a table with --wide; only in CSV and TSV; in details. */
  readonly place?: 'lead' | 'extra' | 'wide' | 'data' | 'details';
}

/** Returns the columns of a table, in order. They may depend on the records. */
export interface View {
  (records: readonly JsonObject[]): readonly Column[];
  /** The record of the contract that the columns show, if any. */
  readonly recordType?: RecordType | undefined;
  /** The noun whose fields the columns show, if any. */
  readonly noun?: ListedNoun | undefined;
}

export const createPlainColumn = (name: string, options: Partial<Column> = {}): Column => ({
  name,
  cell: (record) => normalizeTexts(name, record[name]),
  ...options,
});

/** Creates the column for a built-in or computed field. */
export function createFieldColumn(noun: ListedNoun, name: string): Column {
  const column = findFieldColumn(noun, name);
  if (!column) throw new Error(`there is no field ${name}`);
  return column;
}

/** Returns the column for a built-in or computed field; undefined if the noun has no such field. */
export function findFieldColumn(noun: ListedNoun, name: string): Column | undefined {
  const computed = recordFields[noun].computedFields[name];
  if (computed) {
    const { type, from: fields, read } = computed;
    // The client has checked the shape of the records.
    return { name, fields, cell: (record) => read(record as never), ...describeType(type) };
  }
  const field = findField(noun, name);
  if (!field) return undefined;
  const { key, type, title, aliases } = field;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(aliases && { aliases }),
    ...(key !== name && { fields: [key] }),
    cell: (record) => readCell(readField(record, field), type),
    ...describeType(type),
  };
}

const readCell = (value: unknown, type: FieldType): unknown =>
  type === 'money' ? formatCents(value) : readMember(value, type);

/** Returns the formatting of a type's values in tables and details. */
export function describeType(
  type: FieldType,
): Pick<Column<unknown>, 'reference' | 'isTime' | 'isUser' | 'isText' | 'isRightAligned' | 'isNumber'> {
  if (type === 'user') return { isUser: true };
  if (type === 'textarea') return { isText: true };
  if (type === 'contact' || type === 'organization' || type === 'list') return { reference: () => type };
  if (type === 'money') return { isRightAligned: true };
  if (type === 'number') return { isRightAligned: true, isNumber: true };
  return type === 'datetime' || type === 'localtime' ? { isTime: true } : {};
}

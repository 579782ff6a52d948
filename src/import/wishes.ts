import { splitValues } from '../render/cells.ts';
import { parseFieldHeader } from '../render/field-headers.ts';
import { type Fields, plain } from '../render/fields.ts';
import { parseFieldValue } from '../values/field-values.ts';
import type { OwnColumns, Target } from './columns.ts';
import type { SheetRow } from './table-file.ts';

/** A value for a field by its name, as a body takes it. */
export interface NamedValue {
  readonly name: string;
  readonly value: unknown;
  /** Of the field, for comparing. */
  readonly data_type: unknown;
}

/** What a row wants of a record. An empty cell wants nothing. */
export interface Wish {
  /** By the names of the own columns. */
  readonly own: Readonly<Record<string, readonly string[]>>;
  readonly custom: readonly NamedValue[];
  readonly list: readonly NamedValue[];
  /** The record of the row, if the report of an earlier import says it. */
  readonly recordId?: string | undefined;
}

/** What is wrong with a row. */
export interface Fault {
  /** The column; undefined: the row as such. */
  readonly column?: string;
  readonly message: string;
}

/** A row that was read: what it wants, and what is wrong with it. */
export interface ReadRow {
  readonly row: SheetRow;
  readonly wish: Wish;
  readonly faults: readonly Fault[];
}

/** Reads rows of a sheet by what its columns are for. */
export function rowReader(
  columns: readonly string[],
  targets: readonly Target[],
  ownColumns: OwnColumns,
): (row: SheetRow) => ReadRow {
  const names = columns.map((column) => parseFieldHeader(column).name);
  return (row) => {
    const own: Record<string, string[]> = {};
    const values: Record<'custom' | 'list', NamedValue[]> = { custom: [], list: [] };
    const faults: Fault[] = row.fault === undefined ? [] : [{ message: row.fault }];
    for (const [index, target] of targets.entries()) {
      const text = row.values[index] ?? '';
      const column = names[index] ?? '';
      const unread = row.cellFaults?.[index];
      if (target && unread !== undefined) faults.push({ column, message: unread });
      if (!target || unread !== undefined || text.trim() === '') continue;
      if (target.kind === 'own') {
        const { several, unfit } = ownColumns[target.name] ?? {};
        const texts = several ? splitValues(text) : [text];
        for (const one of texts) {
          const takes = unfit?.(one);
          if (takes !== undefined) faults.push({ column, message: `"${one}" is not ${takes}.` });
        }
        own[target.name] = [...(own[target.name] ?? []), ...texts];
      } else {
        const { name, data_type } = target.field;
        const read = fieldValue(text, target.field);
        if ('wanted' in read) faults.push({ column, message: `"${read.text}" is not ${read.wanted}.` });
        else values[target.kind].push({ name: plain(name), value: read.value, data_type });
      }
    }
    return { row, wish: { own, ...values, recordId: row.recordId }, faults };
  };
}

type FieldValue = { readonly value: unknown } | { readonly wanted: string; readonly text: string };

/** The value of a cell for a field; several ones where it takes several. Only a text, or an option, keeps the blanks around it. */
function fieldValue(text: string, field: Fields): FieldValue {
  const isText =
    field.data_type === 'text' || field.data_type === 'textarea' || field.data_type === undefined;
  const isOption = Array.isArray(field.options) && field.options.includes(text);
  if (field.accepts_multiple_values !== true) return oneValue(isText || isOption ? text : text.trim(), field);
  const values: unknown[] = [];
  for (const one of splitValues(text)) {
    const read = oneValue(one, field);
    if ('wanted' in read) return read;
    values.push(read.value);
  }
  return { value: values };
}

function oneValue(text: string, field: Fields): FieldValue {
  const read = parseFieldValue(text, field);
  return 'wanted' in read ? { ...read, text } : read;
}

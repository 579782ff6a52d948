import { readField } from '../contract/field-table.ts';
import { type FieldType, readMember } from '../contract/field-types.ts';
import { findField } from '../contract/list-fields.ts';
import { type FieldNoun, recordFields } from '../contract/record-fields.ts';
import { formatCents } from '../values/money.ts';
import type { Column } from './views.ts';

/** Creates the column for a built-in or computed field. */
export function createFieldColumn(noun: FieldNoun, name: string): Column {
  const computed = recordFields[noun].computedFields[name];
  if (computed) {
    const { type, from: fields, read } = computed;
    // The client has checked the shape of the records.
    return { name, fields, cell: (record) => read(record as never), ...describeType(type) };
  }
  const field = findField(noun, name);
  if (!field) throw new Error(`there is no field ${name}`);
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
): Pick<Column<unknown>, 'reference' | 'isTime' | 'isText' | 'isRightAligned' | 'isNumber'> {
  if (type === 'textarea') return { isText: true };
  if (type === 'contact' || type === 'organization' || type === 'list') return { reference: () => type };
  if (type === 'money') return { isRightAligned: true };
  if (type === 'number') return { isRightAligned: true, isNumber: true };
  return type === 'datetime' || type === 'localtime' ? { isTime: true } : {};
}

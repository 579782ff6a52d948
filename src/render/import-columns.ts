import { formatFieldHeader } from './field-headers.ts';
import { type Fields, fieldsOf } from './fields.ts';
import { type Column, fieldColumn } from './views.ts';

/** The columns of contacts with all that an import reads. `organization` is a text that stands for one. */
export function contactSheet(customFields: readonly Fields[]): Column[] {
  return sheet(['first_name', 'last_name', 'emails', 'phone_numbers', 'organization'], customFields);
}

/** The columns of organizations with all that an import reads. */
export function organizationSheet(customFields: readonly Fields[]): Column[] {
  return sheet(['name', 'domains'], customFields);
}

function sheet(own: readonly string[], customFields: readonly Fields[]): Column[] {
  return [
    fieldColumn('id'),
    ...own.map((name) => fieldColumn(name)),
    ...customFields.map(columnOf),
    fieldColumn('created_at'),
    fieldColumn('updated_at'),
  ];
}

function columnOf(definition: Fields): Column {
  const [id, name] = [String(definition.id), String(definition.name ?? '')];
  return {
    name: formatFieldHeader(definition),
    cell: ({ custom_fields }) => {
      const held = fieldsOf(custom_fields);
      // Ours stand under the id of their field; the specification says only "a field identifier".
      const named = () => Object.values(held).find((value) => fieldsOf(value).name === name);
      return fieldsOf(Object.hasOwn(held, id) ? held[id] : named()).value;
    },
  };
}

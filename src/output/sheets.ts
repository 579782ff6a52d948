import { type Column, field } from './columns.ts';
import { type Fields, fieldsOf } from './fields.ts';

/** What a header means in any sheet, in any case, whatever custom fields are called. */
const meanings: ReadonlySet<string> = new Set([
  ...['id', 'created_at', 'updated_at', 'custom_fields'],
  ...['first_name', 'last_name', 'email', 'emails', 'phone', 'phones', 'phone_number', 'phone_numbers'],
  ...['organization', 'organization_id', 'name', 'domain', 'domains'],
]);

/** What a header begins with that names a custom field, whatever else has its name. */
export const fieldPrefix = 'custom_fields.';

/** The header of a custom field: its name, with `custom_fields.` before one that would mean something else. */
export function headerOf(name: string): string {
  const folded = name.toLowerCase();
  const isClear =
    name !== '' && name.trim() === name && !meanings.has(folded) && !folded.startsWith(fieldPrefix);
  return isClear ? name : `${fieldPrefix}${name}`;
}

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
    field('id'),
    ...own.map((name) => field(name)),
    ...customFields.map(columnOf),
    field('created_at'),
    field('updated_at'),
  ];
}

function columnOf(definition: Fields): Column {
  const [id, name] = [String(definition.id), String(definition.name ?? '')];
  return {
    name: headerOf(name),
    cell: ({ custom_fields }) => {
      const held = fieldsOf(custom_fields);
      // Ours stand under the id of their field; the specification says only "a field identifier".
      const named = () => Object.values(held).find((value) => fieldsOf(value).name === name);
      return fieldsOf(Object.hasOwn(held, id) ? held[id] : named()).value;
    },
  };
}

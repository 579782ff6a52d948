import { type CustomField, customFields, type Model } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import { isMultiple, type RecordField, toRecordField } from '../../contract/field-table.ts';
import { parseValue } from '../../contract/field-types.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { FilteredNoun } from '../../filter/noun-fields.ts';
import { removeEscapes } from '../../render/cells.ts';
import type { FieldContainer } from '../../values/field-values.ts';
import type { Session } from '../command/context.ts';
import { makeRepeatable } from './options.ts';

/** A value for a field, by its name; undefined clears it. */
export interface FieldAssignment {
  readonly name: string;
  readonly value: string | undefined;
}

/** A value in the `custom_fields` or `list_fields` of a body. */
export type NamedValue = { readonly name: string; readonly value: unknown };

/** The flag that sets custom fields or list fields. */
export const fieldOption = makeRepeatable<FieldAssignment>({
  summary: 'Set a field; NAME= clears it',
  placeholder: 'NAME=VALUE',
  completion: 'fields',
  short: '-f',
  parse: parseAssignment,
});

/** Parses `NAME=VALUE`; a backslash before `=` makes it part of the name. @throws {Failure} usage */
export function parseAssignment(text: string): FieldAssignment {
  const [, name, value] = /^((?:\\.|[^=\\])+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new Failure('usage', `"${text}" is not NAME=VALUE.`);
  return { name: removeEscapes(name), value: value === '' ? undefined : value };
}

/** Formats a value for a field as `parseAssignment` reads it. */
export function formatAssignment(name: string, value: string): string {
  return `${name.replace(/[=\\]/g, '\\$&')}=${value}`;
}

/** Parses the values of fields by their types. @throws {Failure} usage */
export async function parseFieldValues(
  session: Session,
  assignments: readonly FieldAssignment[],
  fields: readonly RecordField[],
): Promise<NamedValue[]> {
  const resolved: FieldAssignment[] = [];
  // One after the other: a terminal shows one prompt at a time.
  for (const { name, value } of assignments) {
    const field = findDefined(name, fields, '--field');
    resolved.push({ name, value: value && (await resolveContactValue(session, value, field)) });
  }
  return buildFieldValues(resolved, fields);
}

/** Returns the id of the contact that a value of a field of contacts names; any other value unchanged. */
export async function resolveContactValue(
  session: Session,
  value: string,
  { type }: RecordField,
): Promise<string> {
  if (type !== 'contact') return value;
  const { resolveReference } = await import('../references/resolve-reference.ts');
  return resolveReference(session, 'contact', value);
}

function buildFieldValues(
  assignments: readonly FieldAssignment[],
  fields: readonly RecordField[],
): NamedValue[] {
  const names = new Set(assignments.map(({ name }) => name));
  return Array.from(names, (name) => {
    const field = findDefined(name, fields, '--field');
    const texts = assignments.filter((assignment) => assignment.name === name).map(({ value }) => value);
    if (texts.length > 1 && texts.includes(undefined))
      throw new Failure('usage', `--field: "${name}=" clears the field; omit its other values.`);
    const values = texts.flatMap((text) => text ?? []).map((text) => parseFlagValue(text, field, '--field'));
    if (values.length === 0) return { name, value: null };
    const hasSeveral = isMultiple(field);
    if (values.length === 1 && !hasSeveral) return { name, value: values[0] };
    // The definition may not say whether the field accepts several values (specification, 2.1).
    if (hasSeveral !== false) return { name, value: values };
    throw new Failure('usage', `--field: "${name}" accepts one value.`);
  });
}

/** Parses a text by the type of a field; the error names `flag`. @throws {Failure} usage */
export function parseFlagValue(text: string, field: RecordField, flag: string): unknown {
  const result = parseValue(text, field);
  if ('value' in result) return result.value;
  throw new Failure('usage', `${flag}: "${field.key}" requires ${result.expected}, not "${text}".`);
}

/** Finds a custom field or list field by its name; the error names `flag`. @throws {Failure} usage */
export function findDefined(name: string, fields: readonly RecordField[], flag: string): RecordField {
  const field = fields.find(({ key }) => key === name);
  if (field) return field;
  const names = fields.map(({ key }) => key).join(', ');
  throw new Failure('usage', `${flag}: unknown field "${name}".`, {
    hint: names === '' ? 'Create it with: kith custom-fields create' : `Available fields: ${names}.`,
  });
}

/** The nouns whose records have fields that a workspace defines, and the member with their values. */
export const nounContainers = {
  contacts: 'custom_fields',
  organizations: 'custom_fields',
  entries: 'list_fields',
} as const satisfies Partial<Record<FilteredNoun, FieldContainer>>;

/** A noun whose records have custom fields or list fields. */
type DefiningNoun = keyof typeof nounContainers;

/** Whether the records of a noun have custom fields or list fields. */
export const hasDefinedFields = (noun: string): noun is DefiningNoun => Object.hasOwn(nounContainers, noun);

/** Returns the custom fields of a noun, or the fields of the list of its entries. */
export async function readDefinedFields(
  session: Session,
  noun: DefiningNoun,
  listId?: unknown,
): Promise<readonly RecordField[]> {
  if (noun === 'entries') {
    const client = await session.client();
    return toListFields(await client.read(lists.get, { list_id: String(listId) }));
  }
  const definitions = await listCustomFields(session, noun === 'contacts' ? 'contact' : 'organization');
  return definitions.map((definition) => toRecordField('custom_fields', definition));
}

/** Returns the fields of a list. */
export const toListFields = ({ fields = [] }: Received<List>): RecordField[] =>
  fields.map((definition) => toRecordField('list_fields', definition));

/** Returns the custom fields of a model. */
export async function listCustomFields(session: Session, model: Model): Promise<Received<CustomField>[]> {
  const client = await session.client();
  const fields: Received<CustomField>[] = [];
  for await (const { records } of client.pages(customFields.list, {}))
    for (const { value } of records) if (value?.model === model) fields.push(value);
  return fields;
}

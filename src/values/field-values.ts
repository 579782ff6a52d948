import { isObject, readObject } from './json-object.ts';

/** The members of records with the values of user-defined fields. */
export const fieldContainers = ['custom_fields', 'list_fields'] as const;
export type FieldContainer = (typeof fieldContainers)[number];

/** Whether a member of a record contains the values of defined fields. */
export const isFieldContainer = (name: string): name is FieldContainer =>
  fieldContainers.some((container) => container === name);

export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The value of a user-defined field. */
interface DefinedValue {
  /** The name of the field, or its id if the service sends no name. */
  readonly name: string;
  readonly dataType: unknown;
  readonly value: unknown;
}

/** Returns the values in `custom_fields` or `list_fields`, which are stored by field id. */
export function listDefinedValues(container: unknown): DefinedValue[] {
  return Object.entries(readObject(container)).map(([id, field]) => {
    const { name, data_type, value } = readObject(field);
    return { name: String(name ?? id), dataType: data_type, value };
  });
}

/** Returns the value of a named field in `custom_fields` or `list_fields`; null if there is no value. */
export function findDefinedValue(container: unknown, name: string): unknown {
  const fields = readObject(container);
  const field = Object.values(fields).find((field) => readObject(field).name === name);
  if (field !== undefined) return readObject(field).value ?? null;
  const value = Object.hasOwn(fields, name) ? fields[name] : null; // a service may map names to values
  return (isObject(value) && 'value' in value ? value.value : value) ?? null;
}

/** Fields of any record that hold several texts. */
const textFields = ['emails', 'domains', 'phone_numbers'];

/** Returns the value of a field for a request body. A field with several texts becomes an array of texts. */
export function normalizeTexts(name: string | undefined, value: unknown): unknown {
  const isTexts = name !== undefined && textFields.includes(name);
  return isTexts && value !== undefined && value !== null ? [value].flat().map(readItem) : value;
}

/** Members that may hold the text of an email address, a domain or a phone number, most specific first. */
const textMembers = ['email', 'address', 'domain', 'url', 'phone_number', 'phone', 'number', 'value', 'name'];

/** Reads a field with several texts. Each is a string or an object with a string, in an array or alone. */
export function readTexts(value: unknown): string[] {
  return [value].flat().map(readItem).filter(isScalar).map(String);
}

/** Returns the text of an item, or the item itself if it has no text. */
function readItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const fields: Readonly<Record<string, unknown>> = { ...item };
  return textMembers.map((name) => fields[name]).find(isScalar) ?? item;
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

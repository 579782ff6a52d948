/** Fields of any record that hold several texts. */
const textFields = ['emails', 'domains', 'phone_numbers'];

/**
 * Returns the value of a field as a request body has it: for a field with several texts, its texts. An item without a
 * known text stays as it is.
 */
export function normalizeTexts(name: string | undefined, value: unknown): unknown {
  const isTexts = name !== undefined && textFields.includes(name);
  return isTexts && value !== undefined && value !== null ? [value].flat().map(readItem) : value;
}

/** Members that may hold the text of an email address, a domain or a phone number, most specific first. */
const textMembers = ['email', 'address', 'domain', 'url', 'phone_number', 'phone', 'number', 'value', 'name'];

/**
 * Reads a field with several texts (`emails`, `domains`, `phone_numbers`). Each may be sent as a string or as an object
 * that holds it; a single one may be sent without an array. An object without such a member has no text.
 */
export function readTexts(value: unknown): string[] {
  return [value].flat().map(readItem).filter(isScalar).map(String);
}

/** The text of an item, or the item if it has none. */
function readItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const fields: Readonly<Record<string, unknown>> = { ...item };
  return textMembers.map((name) => fields[name]).find(isScalar) ?? item;
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** Fields with several texts, in records of any kind. */
const textFields = ['emails', 'domains', 'phone_numbers'];

/** The value of a field as a person or a request body has it: of a field with several texts its texts. */
export function fieldValue(name: string | undefined, value: unknown): unknown {
  const isTexts = name !== undefined && textFields.includes(name);
  return isTexts && value !== undefined && value !== null ? textsIn(value) : value;
}

/** Members under which a service may send the text of an email address, a domain or a phone number, best first. */
const textMembers = ['email', 'address', 'domain', 'url', 'phone_number', 'phone', 'number', 'value', 'name'];

/**
 * Reads a field with several texts (`emails`, `domains`, `phone_numbers`). Each may be sent as a string or as an object
 * that holds it; a single one may be sent without an array. An object without such a member becomes its JSON.
 */
export function textsIn(value: unknown): string[] {
  return [value].flat().flatMap((item) => {
    if (item === null || item === undefined) return [];
    const fields: Readonly<Record<string, unknown>> = typeof item === 'object' ? { ...item } : {};
    const text = textMembers.map((name) => fields[name]).find(isScalar) ?? item;
    return isScalar(text) ? String(text) : JSON.stringify(text);
  });
}

const isScalar = (value: unknown) => typeof value === 'string' || typeof value === 'number';

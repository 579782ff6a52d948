import { isObject } from '../../values/json-object.ts';

/** Matches the escapes in JSON of characters that a database may not store: U+0000, and surrogates, paired or not. */
const unsupported = /\\u0000|\\u[dD][89a-fA-F]/;

/** Whether the text of a value may contain characters that a database does not store. */
export const mayBeUnsupported = (text: string): boolean => unsupported.test(text);

/** Replaces the characters of a JSON value that a database does not store. */
export function replaceUnsupported(value: unknown): unknown {
  if (typeof value === 'string') return replaceCharacters(value);
  if (Array.isArray(value)) return value.map(replaceUnsupported);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    replaceCharacters(name),
    replaceUnsupported(member),
  ]);
  return Object.fromEntries(members);
}

const replaceCharacters = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');

import { foldName } from './names.ts';

/** Formats a full name. In Korean, Japanese and Chinese the family name comes first. */
export function formatFullName(
  first_name: string | null | undefined,
  last_name: string | null | undefined,
): string {
  const [first, last] = [first_name ?? '', last_name ?? ''];
  const both = `${last}${first}`;
  if (/^[\p{Script=Hangul}\p{Script=Han}]+$/u.test(both)) return both;
  if (/^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(both))
    return `${last} ${first}`.trim();
  return `${first} ${last}`.trim();
}

/** Returns the comparison form of a full name: folded, without spaces and the comma of `Last, First`. */
export const toFullNameKey = (name: string) => foldName(name).replace(/[\s,]/g, '');

/** Returns the comparison forms of a contact's full name, with either name first. */
export function listFullNameKeys({ first_name, last_name }: Readonly<Record<string, unknown>>): string[] {
  const [first, last] = [String(first_name ?? ''), String(last_name ?? '')];
  return [`${first}${last}`, `${last}${first}`].map(toFullNameKey);
}

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

/** The parts of a contact that name it. */
interface NamedContact {
  readonly first_name?: string | null | undefined;
  readonly last_name?: string | null | undefined;
  readonly emails?: readonly string[] | null | undefined;
  readonly phone_numbers?: readonly string[] | null | undefined;
}

/** Returns the name of a contact, or else its first email address or phone number; empty if it has none of them. */
export function getContactName({ first_name, last_name, emails, phone_numbers }: NamedContact): string {
  return formatFullName(first_name, last_name) || (emails?.[0] ?? phone_numbers?.[0] ?? '');
}

/** The parts of an organization that name it. */
interface NamedOrganization {
  readonly name?: string | null | undefined;
  readonly domains?: readonly string[] | null | undefined;
}

/** Returns the name of an organization, or else its first domain; empty if it has neither. */
export function getOrganizationName({ name, domains }: NamedOrganization): string {
  return name || (domains?.[0] ?? '');
}

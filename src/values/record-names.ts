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

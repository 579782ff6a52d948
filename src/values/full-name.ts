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

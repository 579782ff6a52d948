/** Whether a text has only ASCII characters. Such a text has nothing to clean. */
export const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/**
 * Invisible characters that other programs leave in texts: soft hyphens, zero-width spaces, direction marks.
 * Joiners (U+200C, U+200D) are not among them: Persian, Indic scripts and emoji need them.
 */
const invisible = String.raw`\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff`;
const invisibleCharacters = new RegExp(`[${invisible}]`, 'g');
const endCharacter = new RegExp(`[\\s${invisible}]`);

/** Removes invisible characters anywhere in a text, such as a name. */
export const removeInvisible = (text: string): string => text.replace(invisibleCharacters, '');

/** Removes invisible characters at both ends of a text. Keeps blanks. */
export function cleanEnds(text: string): string {
  if (isAscii(text)) return text;
  let [start, end] = [0, text.length]; // a pattern would take quadratic time for long runs of blanks
  while (start < end && endCharacter.test(text.charAt(start))) start += 1;
  while (start < end && endCharacter.test(text.charAt(end - 1))) end -= 1;
  return removeInvisible(text.slice(0, start)) + text.slice(start, end) + removeInvisible(text.slice(end));
}

/**
 * Returns a text of a grammar, such as an address, a number or a date, in plain characters: without invisible
 * characters, with ASCII hyphens and spaces, and with ASCII in place of full-width characters.
 */
export function cleanToken(text: string): string {
  if (isAscii(text)) return text;
  const plainText = removeInvisible(text)
    .replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ');
  // Between ASCII characters, joiners join nothing.
  const unjoinedText = plainText.replace(/\u200c|\u200d/g, '');
  return isAscii(unjoinedText) ? unjoinedText : plainText;
}

/** Replaces invisible characters and unusual spaces with escapes such as `\u200b`. */
export const escapeInvisible = (text: string): string =>
  text.replace(/\p{Cf}|(?! )\p{Zs}/gu, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
  });

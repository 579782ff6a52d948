/**
 * Characters that can drive a terminal, turn its text around or hide some: controls, bidi marks, line separators,
 * annotations, half characters, and tags beyond the flags that they belong to. Joiners stay: emoji and the letters
 * of many languages need them. Made on first use: the engine looks up what \p stands for.
 */
const unsafeCharacters = () =>
  /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]|(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]*)[\u{e0000}-\u{e007f}]/gu;

/** A text that shows what it holds and does nothing: each harmful character as `\x1b` or `\u202e`. */
export function sanitize(text: string): string {
  return text.replace(unsafeCharacters(), (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
  });
}

/** The same for a text of several lines, which keep their line feeds and tabs. */
export function sanitizeLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(unsafeCharacters(), (character) => (/[\n\t]/.test(character) ? character : sanitize(character)));
}

/** The same for one line: line feeds, tabs and runs of space become one space. */
export function sanitizeLine(text: string): string {
  return sanitize(collapseWhitespace(text));
}

/** The same for a JSON text, which stays JSON: its line feeds and escapes are left, the rest becomes `\u202e`. */
export function sanitizeJson(text: string): string {
  return text.replace(unsafeCharacters(), (character) =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
          .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

/** The same on one line for a reader who could do nothing with an escape: what is harmful is left out. */
export function stripUnsafe(text: string): string {
  return text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(unsafeCharacters(), '')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** A text on one line, its runs of space as one. */
export function collapseWhitespace(text: string): string {
  // A space alone stays: to put one in its place, word for word, would take most of the time.
  return text.replace(/(?! \S)\s+/g, ' ').trim();
}

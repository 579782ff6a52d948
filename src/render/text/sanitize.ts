/**
 * Characters that control a terminal, reverse its text or hide parts of it: controls, bidi marks, line separators,
 * annotations, unpaired surrogates, and tags outside flags. Joiners are safe: emoji and many scripts need them. A
 * function, because the engine takes long to compile `\p`.
 */
const createUnsafePattern = () =>
  /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]|(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]*)[\u{e0000}-\u{e007f}]/gu;

/** Replaces each unsafe character of a text by an escape such as `\x1b` or `\u202e`. */
export function sanitize(text: string): string {
  return text.replace(createUnsafePattern(), (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
  });
}

/** Sanitizes a text of several lines. Keeps line feeds and tabs. */
export function sanitizeLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(createUnsafePattern(), (character) =>
      /[\n\t]/.test(character) ? character : sanitize(character),
    );
}

/** Sanitizes a text as one line. Line feeds, tabs and runs of whitespace become one space. */
export function sanitizeLine(text: string): string {
  return sanitize(collapseWhitespace(text));
}

/** Sanitizes a JSON text, which stays valid JSON: unsafe characters become `\u` escapes, line feeds stay. */
export function sanitizeJson(text: string): string {
  return text.replace(createUnsafePattern(), (character) =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
          .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

/** Removes unsafe characters from a text and joins its lines, for readers that cannot use escapes. */
export function stripUnsafe(text: string): string {
  return text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(createUnsafePattern(), '')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** Replaces each run of whitespace by one space, and trims the text. */
export function collapseWhitespace(text: string): string {
  // Skips single spaces, because replacing each of them takes most of the time.
  return text.replace(/(?! \S)\s+/g, ' ').trim();
}

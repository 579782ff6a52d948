/** Characters that can drive a terminal or turn its text around: controls, bidi marks, line separators. */
const harmful = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A text that shows what it holds and does nothing: each harmful character as `\x1b` or `\u202e`. */
export function safe(text: string): string {
  return text.replace(harmful, (character) => {
    const code = character.charCodeAt(0);
    return code < 256
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The same for a text of several lines, which keep their line feeds and tabs. */
export function safeLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(harmful, (character) => (/[\n\t]/.test(character) ? character : safe(character)));
}

/** The same for one line: line feeds, tabs and runs of space become one space. */
export function safeLine(text: string): string {
  return safe(text.replace(/\s+/g, ' ').trim());
}

/** The same for a JSON text, which stays JSON: its line feeds and escapes are left, the rest becomes `\u202e`. */
export function safeJson(text: string): string {
  return text.replace(harmful, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same on one line for a reader who could do nothing with an escape: what is harmful is left out. */
export function harmless(text: string): string {
  return text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(harmful, '')
    .replace(/ {2,}/g, ' ')
    .trim();
}

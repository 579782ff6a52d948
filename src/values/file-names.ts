import { createHash } from 'node:crypto';

/** Maximum bytes of a title and an id in a file name. File systems allow 255 bytes in total. */
const titleBytes = 120;
const idBytes = 80;

/**
 * Returns a title as a part of a file name that every file system accepts: the letters and digits of every script, in
 * lower case; everything else becomes a hyphen. Empty if the title has no letters or digits.
 */
export function slugify(title: string): string {
  const words = title
    .normalize('NFC')
    // Variation selectors and keycaps that remain of emoji.
    .replace(/\p{Variation_Selector}|\u20e3/gu, '')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return truncateGraphemes(words.replace(/^-+|-+$/g, '').toLowerCase(), titleBytes).replace(/-+$/, '');
}

function truncateGraphemes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let result = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Buffer.byteLength(result + segment) > bytes) break;
    result += segment;
  }
  return result;
}

/**
 * Encodes an id for a file name, without hyphens. Lowercase letters and digits stay. Otherwise `~` and a hexadecimal bit
 * mask of the capitals follow, and other characters become `%` and their code. A long id is truncated, with its hash.
 */
export function encodeId(id: string): string {
  const whole = encodeWholeId(id);
  if (whole.length <= idBytes) return whole;
  // UTF-16, because UTF-8 cannot encode an unpaired surrogate.
  const hash = createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, 32);
  return `${encodeWholeId(Array.from(id).slice(0, 4).join(''))}~${hash}`;
}

function encodeWholeId(id: string): string {
  if (/^[a-z0-9]+$/.test(id)) return id;
  const letters = Array.from(id);
  const capitals = letters.map((letter) => (/[A-Z]/.test(letter) ? '1' : '0'));
  const spelledLetters = letters.map((letter) =>
    /[A-Za-z0-9]/.test(letter) ? letter : `%${letter.codePointAt(0)?.toString(16)}.`,
  );
  return `${spelledLetters.join('')}~${BigInt(`0b0${capitals.reverse().join('')}`).toString(16)}`;
}

/** Names that Windows reserves for devices, with any extension. */
const reservedNames = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** Whether Windows refuses a name without its extension. */
export const isReservedName = (name: string) => reservedNames.test(name);

/** Returns the form of a path that is equal for paths that a file system may not tell apart. */
export const toFileKey = (path: string) => path.normalize('NFC').toLowerCase();

import { createHash } from 'node:crypto';

/** Bytes that a title may take in a file name: file systems allow 255 for all of it. */
const titleBytes = 120;
const idBytes = 80;

/** What is read of a calendar event to name its file. */
export interface Named {
  readonly id: string;
  readonly title: string;
  /** ISO 8601; the day in it is the day of the name, whatever the time zone of this machine. */
  readonly start_at: string;
}

/**
 * The name of a meeting's file: date, title, id. Letters of every script stay; all else that a file system or
 * a shell could stumble over becomes a hyphen. Different ids give different names, also where the file system
 * takes no notice of case.
 */
export function fileName({ id, title, start_at }: Named): string {
  const [date = 'undated'] = /^\d{4}-\d\d-\d\d/.exec(start_at) ?? [];
  return `${[date, slug(title), spellId(id)].filter(Boolean).join('-')}.md`;
}

/** Returns the spelled id in the name of a meeting's file. `stem` is the name without its end, such as `.2.txt`. */
export function idInName(stem: string): string {
  return stem.slice(stem.lastIndexOf('-') + 1);
}

/** The name of the folder of an organization. */
export function folderName(name: string, id: string): string {
  return `${slug(name) || 'organization'}-${spellId(id)}`;
}

function slug(title: string): string {
  const words = title
    .normalize('NFC')
    // What is left of an emoji, and would not be seen.
    .replace(/\p{Variation_Selector}|\u20e3/gu, '')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return shortened(words.replace(/^-+|-+$/g, '').toLowerCase(), titleBytes).replace(/-+$/, '');
}

/** Cut between the characters that a person sees. */
function shortened(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let result = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Buffer.byteLength(result + segment) > bytes) break;
    result += segment;
  }
  return result;
}

/**
 * An id as part of a file name; it has no hyphen. Lower-case letters and digits stay as they are; any other id gets `~` and its
 * capitals as a hexadecimal bit mask, what is no letter or digit in it as `%` and its code: still one to one.
 * One that is too long is cut and told apart by its hash.
 */
export function spellId(id: string): string {
  const whole = spelledId(id);
  if (whole.length <= idBytes) return whole;
  // As UTF-16, because half a letter has no bytes of its own in UTF-8.
  const hash = createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, 32);
  return `${spelledId(Array.from(id).slice(0, 4).join(''))}~${hash}`;
}

function spelledId(id: string): string {
  if (/^[a-z0-9]+$/.test(id)) return id;
  const letters = Array.from(id);
  let capitals = 0n;
  letters.forEach((letter, index) => {
    if (/[A-Z]/.test(letter)) capitals |= 1n << BigInt(index);
  });
  const spelled = letters.map((letter) =>
    /[A-Za-z0-9]/.test(letter) ? letter : `%${letter.codePointAt(0)?.toString(16)}.`,
  );
  return `${spelled.join('')}~${capitals.toString(16)}`;
}

import { createHash } from 'node:crypto';
import { foldItemText, type KnownItem, matchItems } from './match-items.ts';

/** The characters of an id: without i, l, o and u, which are easily misread. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 10;

/**
 * Returns the items of a meeting with their ids. A known item keeps its id. The id of a new item is derived from the
 * meeting and the letters and digits of the text, so that it is the same on every machine.
 */
export function identifyItems(
  meeting: string,
  texts: readonly string[],
  knownItems: readonly KnownItem[],
): KnownItem[] {
  const counts = new Map<string, number>();
  const items = texts.map((text) => {
    // The same text may occur more than once in a meeting.
    const letters = foldItemText(text);
    const count = counts.get(letters) ?? 0;
    counts.set(letters, count + 1);
    const bytes = createHash('sha256')
      .update(JSON.stringify([meeting, letters, count]))
      .digest();
    const id = Array.from(bytes.subarray(0, idLength), (byte) => alphabet[byte % alphabet.length]).join('');
    return { id, text };
  });
  const matches = matchItems(items, knownItems);
  return items.map(({ id, text }, index) => ({ id: matches[index]?.id ?? id, text }));
}

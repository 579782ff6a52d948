import { createHash } from 'node:crypto';
import { foldItemText, type KnownItem, matchItems } from './match-items.ts';

/** The characters of ids: no letter looks like a digit. */
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
  const matches = matchItems(
    texts.map((text) => ({ text })),
    knownItems,
  );
  const usedIds = new Set(matches.flatMap((known) => known?.id ?? []));
  return texts.map((text, index) => {
    const id = matches[index]?.id ?? createUnusedId(meeting, foldItemText(text), usedIds);
    usedIds.add(id);
    return { id, text };
  });
}

/** The same text may occur more than once in a meeting. */
function createUnusedId(meeting: string, text: string, usedIds: ReadonlySet<string>): string {
  for (let count = 0; ; count += 1) {
    const bytes = createHash('sha256')
      .update(JSON.stringify([meeting, text, count]))
      .digest();
    const id = Array.from(bytes.subarray(0, idLength), (byte) => alphabet[byte % alphabet.length]).join('');
    if (!usedIds.has(id)) return id;
  }
}

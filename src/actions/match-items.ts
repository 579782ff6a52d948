import leven from 'leven';
import { foldText } from '../values/fold.ts';

/** An action item of a meeting as it was read earlier. */
export interface KnownItem {
  readonly id: string;
  readonly text: string;
}

/** A text that is folded for comparison. */
interface FoldedItem {
  readonly words: readonly string[];
  /** The words, separated by spaces, and without spaces. */
  readonly text: string;
  readonly letters: string;
  /** The words with digits: items that differ in a number are different. */
  readonly numbers: string;
}

/** Minimum share of equal characters of two texts of the same item. */
const minSimilarity = 0.6;

/** The similarity of the same words in another order. */
const reorderedSimilarity = 0.8;

/** The most characters of an item, and the most pairs of a meeting, that are compared by similarity. */
const maxLength = 1000;
const maxPairs = 100_000;

/** Words with at most this many letters may be replaced, as articles and prepositions are. */
const maxMinorLength = 3;

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const hangul = /\p{Script=Hangul}/u;

/** Returns the letters and digits of an item's text without case, accents, spaces and punctuation. */
export const foldItemText = (text: string): string => foldItem(text).letters;

function foldItem(text: string): FoldedItem {
  const words = foldText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const numbers = words.flatMap((word) => word.match(/\p{N}+/gu) ?? []);
  return { words, text: words.join(' '), letters: words.join(''), numbers: numbers.sort().join(' ') };
}

/**
 * Finds for each item of a meeting the same item among those that were read earlier: with the same id, the same text, or
 * else a similar text. The best matches are assigned first, and each known item is assigned once.
 */
export function matchItems<T extends KnownItem>(
  items: readonly { readonly id?: string; readonly text: string }[],
  knownItems: readonly T[],
): (T | undefined)[] {
  const matches: (T | undefined)[] = items.map(() => undefined);
  if (knownItems.length === 0) return matches;
  const open = new Map(items.map(({ id, text }, index) => [index, { id, ...foldItem(text) }]));
  const remaining = new Map(knownItems.map((known) => [known, foldItem(known.text)]));
  const assign = (index: number, known: T) => {
    if (!open.has(index) || !remaining.delete(known)) return;
    open.delete(index);
    matches[index] = known;
  };
  const assignEqual = (name: 'id' | 'letters') => {
    const knownByKey = new Map<string, T[]>();
    for (const [known, { letters }] of remaining) {
      const key = name === 'id' ? known.id : letters;
      knownByKey.set(key, [...(knownByKey.get(key) ?? []), known]);
    }
    for (const [index, { [name]: key }] of [...open]) {
      const next = key === undefined ? undefined : knownByKey.get(key)?.shift();
      if (next) assign(index, next);
    }
  };
  assignEqual('id');
  assignEqual('letters');
  if (open.size * remaining.size > maxPairs) return matches;
  const pairs = Array.from(open).flatMap(([index, item]) =>
    Array.from(remaining, ([known, folded]) => ({ index, known, score: compareFolded(item, folded) })),
  );
  const similarPairs = pairs.filter(({ score }) => score >= minSimilarity);
  for (const { index, known } of similarPairs.sort((left, right) => right.score - left.score))
    assign(index, known);
  return matches;
}

/** Returns the share of equal characters of two texts, from 0 to 1; 0 if they are about different things. */
function compareFolded(left: FoldedItem, right: FoldedItem): number {
  if (left.numbers !== right.numbers) return 0;
  const length = Math.max(left.text.length, right.text.length);
  if (length > maxLength || length === 0) return 0;
  // A word that replaces another one, such as a name, makes another item. An additional word does not.
  const [lost, added] = findUnmatchedWords(left.words, right.words);
  if (lost.some(isMajor) && added.some(isMajor)) return 0;
  const similarity = 1 - leven(left.text, right.text) / length;
  return lost.length + added.length === 0 ? Math.max(similarity, reorderedSimilarity) : similarity;
}

/** Returns the words of each text that have no counterpart in the other text, apart from typing errors and endings. */
function findUnmatchedWords(left: readonly string[], right: readonly string[]): [string[], string[]] {
  const added = [...right];
  const remove = (isSame: (word: string) => boolean) => {
    const index = added.findIndex(isSame);
    if (index >= 0) added.splice(index, 1);
    return index >= 0;
  };
  const changed = left.filter((word) => !remove((other) => other === word));
  return [changed.filter((word) => !remove((other) => isSameWord(word, other))), added];
}

function isSameWord(left: string, right: string): boolean {
  const length = Math.max(left.length, right.length);
  const limit = Math.floor(length / (unspaced.test(left + right) ? 6 : 3));
  return Math.abs(left.length - right.length) <= limit && leven(left, right) <= limit;
}

const isMajor = (word: string) => word.length > maxMinorLength || unspaced.test(word) || hangul.test(word);

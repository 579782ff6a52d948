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
  /** The words, joined with spaces. */
  readonly text: string;
  /** The words, joined without spaces. */
  readonly letters: string;
  /** The sorted numbers in the text. Items with different numbers are different items. */
  readonly numbers: string;
}

/** Minimum share of equal characters of two texts of the same item. */
const minSimilarity = 0.6;

/** The similarity of the same words in another order. */
const reorderedSimilarity = 0.8;

/** Longer items, and the items of a meeting with more pairs, are not compared by similarity. */
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
 * Finds the known item for each item of a meeting: by id, by equal text, or else by similar text. Assigns the best
 * matches first, and each known item once.
 */
export function matchItems<T extends KnownItem>(
  items: readonly { readonly id?: string; readonly text: string }[],
  knownItems: readonly T[],
): (T | undefined)[] {
  const matches: (T | undefined)[] = items.map(() => undefined);
  if (knownItems.length === 0) return matches;
  const unmatchedItems = new Map(items.map(({ id, text }, index) => [index, { id, ...foldItem(text) }]));
  const unmatchedKnown = new Map(knownItems.map((known) => [known, foldItem(known.text)]));
  const assign = (index: number, known: T) => {
    if (!unmatchedItems.has(index) || !unmatchedKnown.delete(known)) return;
    unmatchedItems.delete(index);
    matches[index] = known;
  };
  const assignEqual = (name: 'id' | 'letters') => {
    const knownByKey = new Map<string, T[]>();
    for (const [known, { letters }] of unmatchedKnown) {
      const key = name === 'id' ? known.id : letters;
      knownByKey.set(key, [...(knownByKey.get(key) ?? []), known]);
    }
    for (const [index, { [name]: key }] of [...unmatchedItems]) {
      const next = key === undefined ? undefined : knownByKey.get(key)?.shift();
      if (next) assign(index, next);
    }
  };
  assignEqual('id');
  assignEqual('letters');
  if (unmatchedItems.size * unmatchedKnown.size > maxPairs) return matches;
  const pairs = Array.from(unmatchedItems).flatMap(([index, item]) =>
    Array.from(unmatchedKnown, ([known, folded]) => ({ index, known, score: compareFolded(item, folded) })),
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
  // If a word replaces another, such as a name, the items are different. An additional word does not make a difference.
  const [leftWords, rightWords] = findUnmatchedWords(left.words, right.words);
  if (leftWords.some(isMajor) && rightWords.some(isMajor)) return 0;
  const similarity = 1 - leven(left.text, right.text) / length;
  return leftWords.length + rightWords.length === 0 ? Math.max(similarity, reorderedSimilarity) : similarity;
}

/** Returns the words of each text that have no counterpart in the other text, apart from typos and endings. */
function findUnmatchedWords(left: readonly string[], right: readonly string[]): [string[], string[]] {
  const rightWords = [...right];
  const remove = (isSame: (word: string) => boolean) => {
    const index = rightWords.findIndex(isSame);
    if (index >= 0) rightWords.splice(index, 1);
    return index >= 0;
  };
  const leftWords = left.filter((word) => !remove((other) => other === word));
  return [leftWords.filter((word) => !remove((other) => isSameWord(word, other))), rightWords];
}

function isSameWord(left: string, right: string): boolean {
  const length = Math.max(left.length, right.length);
  const limit = Math.floor(length / (unspaced.test(left + right) ? 6 : 3));
  return Math.abs(left.length - right.length) <= limit && leven(left, right) <= limit;
}

const isMajor = (word: string) => word.length > maxMinorLength || unspaced.test(word) || hangul.test(word);

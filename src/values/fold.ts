import { isAscii, removeInvisible } from './clean-text.ts';

/** Marks that are removed: accents, Arabic and Hebrew vowels, and the Arabic letter extender. Other marks are letters. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;

/** Letters that Unicode does not decompose, and interchangeable letters. */
const sameLetters: Readonly<Record<string, string>> = {
  ...{ ø: 'o', đ: 'd', ð: 'd', ł: 'l', ħ: 'h', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ' },
  ...{ ة: 'ه', ى: 'ي', ی: 'ي', ک: 'ك' },
};
const replaceableLetters = new RegExp(`[${Object.keys(sameLetters).join('')}]`, 'g');

const katakana = /[\u30a1-\u30f6]/g;
/** The distance from a Katakana letter to the same Hiragana letter. */
const toHiragana = 0x60;

/**
 * Folds a text so that spellings of the same word are equal: without case, accents, vowel marks and invisible
 * characters, with Katakana and half-width forms as Hiragana. `foldName` is for names that must be equal.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  // Upper case first: it expands `ß`, and the dotless `ı` becomes the letter that a query has.
  const lowerCase = removeInvisible(text)
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase();
  return lowerCase
    .replace(replaceableLetters, (letter) => sameLetters[letter] ?? letter)
    .replace(katakana, (letter) => String.fromCharCode(letter.charCodeAt(0) - toHiragana));
}

/** A character with its marks, also half-width voicing marks and the vowels and finals of decomposed Hangul. */
const clusters = /.[\p{M}\uff9e\uff9f\u1160-\u11ff]*/gsu;

/**
 * Folds a text and maps its characters to the original. `starts`: the index of each character in the original text, and
 * then the index of its end; undefined if all positions are the same.
 */
export function foldWithPlaces(original: string): { text: string; starts: readonly number[] | undefined } {
  if (isAscii(original)) return { text: original.toLowerCase(), starts: undefined };
  let text = '';
  const starts: number[] = [];
  for (const { 0: cluster, index } of original.matchAll(clusters)) {
    const foldedCluster = foldText(cluster);
    for (let count = 0; count < foldedCluster.length; count += 1) starts.push(index);
    text += foldedCluster;
  }
  starts.push(original.length);
  return { text, starts };
}

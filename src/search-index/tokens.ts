import { foldText } from '../values/fold.ts';

/** A run of letters and digits in a folded text. */
const words = /[\p{L}\p{N}\p{M}]+/gu;

/** Parts of a word in scripts without spaces between words, or, as in Korean, with particles attached to words. */
const unspacedRuns =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+)/u;

/** Longest token, in characters: a longer word is found by its beginning. */
const maxLength = 32;

/** A part of a word: all of it, or a run of one kind of script. */
export interface WordPart {
  readonly text: string;
  /** Whether the script has no spaces, so that a part of the run is searched for too. */
  readonly isUnspaced: boolean;
}

/** Splits a folded text into words, and a word where a script without spaces begins or ends. */
export function splitFolded(foldedText: string): WordPart[] {
  const parts: WordPart[] = [];
  for (const [word] of foldedText.matchAll(words)) {
    if (!/[^\0-\x7f]/.test(word)) {
      parts.push({ text: word.slice(0, maxLength), isUnspaced: false });
      continue;
    }
    for (const [index, text] of word.split(unspacedRuns).entries()) {
      const isUnspaced = index % 2 === 1;
      if (text !== '') parts.push({ text: isUnspaced ? text : truncate(text), isUnspaced });
    }
  }
  return parts;
}

const truncate = (text: string) =>
  text.length > maxLength ? Array.from(text).slice(0, maxLength).join('') : text;

/**
 * Returns the tokens of a text: its words, and for scripts without spaces each pair of characters and the last
 * character, so that every part of a run is found by the pairs in it.
 */
export function tokenize(text: string): string[] {
  return splitFolded(foldText(text)).flatMap((part) => {
    if (!part.isUnspaced) return [part.text];
    const characters = Array.from(part.text);
    return [...toPairs(characters), characters.at(-1) ?? ''];
  });
}

/** Adds the tokens of a text to a set. */
export function addTokens(tokens: Set<string>, text: string): void {
  for (const token of tokenize(text)) tokens.add(token);
}

/** Returns each pair of neighbors. */
export function toPairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** The numbers of last digits that are indexed: enough to omit the country code, and a short form. */
const phoneLengths = [8, 4];

/** Adds the tokens of a phone number, which is found in any format by its last digits. */
export function addPhoneTokens(tokens: Set<string>, phone: string): void {
  const digits = phone.replace(/\D/g, '');
  for (const length of phoneLengths) if (digits.length >= length) tokens.add(digits.slice(-length));
}

/** Returns the token of a typed phone number, such as `010-5550-1234`; undefined if the word is not one. */
export function parsePhoneToken(word: string): string | undefined {
  if (!/^\+?[\d\s().-]+$/.test(word)) return undefined;
  const digits = word.replace(/\D/g, '');
  const [length = 8] = phoneLengths;
  return digits.length >= length ? digits.slice(-length) : undefined;
}

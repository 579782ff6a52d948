import { foldText } from '../values/fold.ts';

const letter = String.raw`[\p{L}\p{N}\p{M}]`;

/** A run of letters and digits in a folded text. */
const words = new RegExp(`${letter}+`, 'gu');

/** Parts of a word in scripts without spaces between words, or, as in Korean, with particles attached to words. */
const unspacedRuns =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+)/u;

/** A part of a word: all of it, or a run of one kind of script. */
export interface WordPart {
  readonly text: string;
  /** Whether the script has no spaces, so that a part of the run is searched for too. */
  readonly isUnspaced: boolean;
}

/** Splits a folded text into words, and a word where a script without spaces begins or ends. */
export function splitFolded(foldedText: string): WordPart[] {
  return Array.from(foldedText.matchAll(words)).flatMap(([word]) =>
    word
      .split(unspacedRuns)
      .map((text, index) => ({ text, isUnspaced: index % 2 === 1 }))
      .filter(({ text }) => text !== ''),
  );
}

/** Returns a text as FTS5 indexes it: folded, with the tokens separated by anything but letters and digits. */
export function toIndexText(text: string): string {
  const foldedText = foldText(text);
  // FTS5 splits ASCII itself.
  if (!/[^\0-\x7f]/.test(foldedText)) return foldedText;
  return splitFolded(foldedText).flatMap(toTokens).join(' ');
}

/**
 * Returns the tokens of a part: for a script without spaces each pair of characters and the last character, so that
 * every part of the run is a phrase of pairs.
 */
function toTokens({ text, isUnspaced }: WordPart): string[] {
  const characters = Array.from(text);
  return isUnspaced ? [...toPairs(characters), characters.at(-1) ?? ''] : [text];
}

const toPairs = (characters: readonly string[]) =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`);

/** Formats adjacent words as an expression of FTS5. With `isPrefix`, the last one may be the beginning of a word. */
export function formatPhrase(parts: readonly WordPart[], isPrefix = false): string {
  const last = parts.at(-1);
  // A single character is found at the beginning of a pair, or alone.
  const lastPairs = last?.isUnspaced ? toPairs(Array.from(last.text)) : [];
  const lastTokens = lastPairs.length > 0 ? lastPairs : [last?.text ?? ''];
  const isStart = isPrefix || (last?.isUnspaced === true && lastPairs.length === 0);
  return `"${[...parts.slice(0, -1).flatMap(toTokens), ...lastTokens].join(' ')}"${isStart ? ' *' : ''}`;
}

/** Returns a regular expression that finds adjacent words in a folded text. */
export function formatPattern(parts: readonly WordPart[], isPrefix = false): string {
  const start = parts[0]?.isUnspaced ? '' : `(?<!${letter})`;
  const end = parts.at(-1)?.isUnspaced ? '' : `${isPrefix ? `${letter}*` : ''}(?!${letter})`;
  return start + parts.map(({ text }) => text).join(String.raw`[^\p{L}\p{N}\p{M}]*`) + end;
}

/** The numbers of last digits of a phone number that are indexed: enough to omit the country code, and a short form. */
const phoneLengths = [8, 4] as const;

/** Returns the tokens of a phone number, which is found in any format by its last digits. */
export function listPhoneTokens(phone: string): string[] {
  const digits = phone.replace(/\D/g, '');
  return phoneLengths.filter((length) => digits.length >= length).map((length) => digits.slice(-length));
}

/** Returns the digits of a typed phone number, such as `010-5550-1234`; undefined if the word is not one. */
export function parsePhone(word: string): { readonly all: string; readonly last: string } | undefined {
  const all = word.replace(/\D/g, '');
  const [length] = phoneLengths;
  if (!/^\+?[\d\s().-]+$/.test(word) || all.length < length) return undefined;
  return { all, last: all.slice(-length) };
}

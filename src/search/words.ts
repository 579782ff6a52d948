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
 * Returns the tokens of a word. In a script without spaces, the tokens are each pair of characters and the last
 * character, so that every part of a word is a phrase of pairs.
 */
function toTokens({ text, isUnspaced }: WordPart): string[] {
  const characters = Array.from(text);
  return isUnspaced ? [...toPairs(characters), characters.at(-1) ?? ''] : [text];
}

const toPairs = (characters: readonly string[]) =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`);

/** Formats adjacent words as an FTS5 phrase. With `isPrefix`, the last word may be the beginning of a longer word. */
export function formatPhrase(parts: readonly WordPart[], isPrefix = false): string {
  const last = parts.at(-1);
  // A single character matches at the beginning of a pair, or alone.
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

/** A phone number is indexed by its last 8 digits, which omit the country code, and by its last 4. */
const phoneLengths = [8, 4] as const;

/** Returns a phone number's tokens: its last digits, which match any format. */
export function listPhoneTokens(phone: string): string[] {
  const digits = phone.replace(/\D/g, '');
  return phoneLengths.filter((length) => digits.length >= length).map((length) => digits.slice(-length));
}

/** Returns the digits of a typed phone number, such as `010-5550-1234`; undefined if it is not a phone number. */
export function parsePhone(word: string): { readonly all: string; readonly last: string } | undefined {
  const all = word.replace(/\D/g, '');
  const [length] = phoneLengths;
  if (!/^\+?[\d\s().-]+$/.test(word) || all.length < length) return undefined;
  return { all, last: all.slice(-length) };
}

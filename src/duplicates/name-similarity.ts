import { foldText } from '../values/fold.ts';

/** Titles, which are not part of a person's name. */
const titles = new Set('mr mrs ms miss dr prof 님 씨 様 さん さま'.split(' '));

/** A title at the end of a name without spaces. */
const titleSuffix = /(?<=^\p{L}{2,})(님|씨|様|さん|さま)$/u;

/** Words that are no part of a company's name: legal forms, and words that are often left out. */
const companyWords = new Set(
  `inc incorporated corp corporation co company llc llp ltd limited plc pty gmbh ag kg sa sas sarl srl spa bv nv ab oy
  as aps kk and und et the 주 주식회사 유한회사 株式会社 有限会社 合同会社 有限公司 شركه`.split(/\s+/),
);

/** A legal form at the start or the end of a name without spaces. */
const companyAffix =
  /^(주식회사|유한회사|株式会社|有限会社|合同会社)(?=\p{L})|(?<=\p{L})(주식회사|유한회사|株式会社|有限会社|合同会社|股份有限公司|有限公司)$/u;

/** The period of an abbreviation such as `S.A.` */
const abbreviation = /(?<=(?:^|[^\p{L}])\p{L})\.(?=\p{L}(?:[^\p{L}]|$))/gu;

const unspacedName = /^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u;

/** A text whose letters stand for sounds: one wrong letter is a typo, not another name. */
const spelledName =
  /^(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]\P{L}*){6,}$/u;

const splitWords = (text: string) => text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');

/** Removes the ignored words, unless no word would remain. */
function dropWords(words: readonly string[], ignoredWords: ReadonlySet<string>): readonly string[] {
  const significant = words.filter((word) => !ignoredWords.has(word));
  return significant.length > 0 ? significant : words;
}

/** The name of a person, for comparison. */
export interface PersonName {
  /** The folded words in alphabetical order, without titles. */
  readonly words: readonly string[];
  /** Two names with a common key are the same, also with the last name first. */
  readonly keys: readonly string[];
}

/** Parses the name of a person. A name without letters has neither words nor keys. */
export function parsePersonName(name: string): PersonName {
  const text = foldText(name).replace(/['’]/g, '');
  // `Ji-woo` is also written `Jiwoo` and `Ji woo`.
  const spellings = text.includes('-') ? [text.replaceAll('-', ''), text] : [text];
  const names = spellings.map((spelling) =>
    dropWords(splitWords(spelling), titles)
      .map((word) => (unspacedName.test(word) ? word.replace(titleSuffix, '') : word))
      .sort(),
  );
  return { words: names[0] ?? [], keys: [...new Set(names.flatMap(listNameKeys))] };
}

function listNameKeys(words: readonly string[]): string[] {
  if (words.length === 0) return [];
  const [firstWord = '', lastWord = ''] = words;
  const isUnspaced = words.length <= 2 && unspacedName.test(firstWord + lastWord);
  // Without a space nobody knows where the last name ends.
  return isUnspaced ? [firstWord + lastWord, lastWord + firstWord] : [words.join(' ')];
}

/** Returns the name of a company for comparison: folded, without spaces and legal forms. */
export function foldCompanyName(name: string): string {
  const text = foldText(name).replace(/['’]/g, '').replace(abbreviation, '');
  return dropWords(splitWords(text), companyWords).join('').replace(companyAffix, '');
}

/** How two names of persons are related. `partial`: one of them is only a first or a last name. */
type NameRelation = 'same' | 'similar' | 'partial';

/** Compares the names of two persons; undefined if they differ. */
export function comparePersonNames(left: PersonName, right: PersonName): NameRelation | undefined {
  if (left.keys.some((key) => right.keys.includes(key))) return 'same';
  const [short, long] = left.words.length <= right.words.length ? [left, right] : [right, left];
  if (short.words.length < long.words.length && short.words.every((word) => long.words.includes(word))) {
    if (short.words.length > 1) return 'similar';
    return /^\p{L}{2,}$/u.test(short.words[0] ?? '') ? 'partial' : undefined;
  }
  const isSimilar =
    isInitialOf(left, right) ||
    isInitialOf(right, left) ||
    isTypingError(left.words.join(' '), right.words.join(' '));
  return isSimilar ? 'similar' : undefined;
}

/** Whether a name of two words has the initial of a word of the other: `A. Lovelace`. */
function isInitialOf({ words }: PersonName, other: PersonName): boolean {
  const [initial, ...more] = words.filter((word) => !other.words.includes(word));
  const [full = '', ...others] = other.words.filter((word) => !words.includes(word));
  const isOneWord = words.length === 2 && other.words.length === 2 && more.length + others.length === 0;
  return isOneWord && initial !== undefined && /^\p{L}$/u.test(initial) && full.startsWith(initial);
}

/**
 * Whether two folded names differ by one typo. They need at least six letters, of a script in which letters
 * stand for sounds; names that differ in a digit are different.
 */
export function isTypingError(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1 || !spelledName.test(left) || !spelledName.test(right))
    return false;
  const length = Math.min(left.length, right.length);
  let start = 0;
  while (start < length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < length - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const [a, b] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  if (/\p{N}/u.test(a + b)) return false;
  const isSwap = a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
  return isSwap || (a.length <= 1 && b.length <= 1);
}

/** The most letters of a name that is compared for typos: its spellings take memory for the square of them. */
const maxTypingLength = 200;

/**
 * Returns a name and all its spellings without one letter. Two names that differ by a typo share a spelling.
 */
export function listTypingKeys(name: string): string[] {
  if (name.length > maxTypingLength || !spelledName.test(name)) return [];
  const keys = [name];
  for (let at = 0; at < name.length; at += 1)
    if (!/\p{N}/u.test(name.charAt(at))) keys.push(name.slice(0, at) + name.slice(at + 1));
  return keys;
}

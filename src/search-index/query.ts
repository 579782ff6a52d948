import { foldText } from '../values/fold.ts';
import { marks } from './postings.ts';
import { parsePhoneToken, splitFolded, tokenize, toPairs } from './tokens.ts';

/** A token with its alternatives, one of which a record must have. */
interface TokenGroup {
  readonly tokens: readonly string[];
  /** Whether words that begin with the token match. */
  readonly isPrefix: boolean;
}

/** A typed word, or a part of one: an email address has several. */
export interface QueryWord {
  readonly groups: readonly TokenGroup[];
  /** A regular expression that finds the word in a folded text. */
  readonly pattern: string;
  /** The characters of a word in a script without spaces; `groups` has their pairs. */
  readonly characters?: readonly string[];
  /** Tokens that a record may have instead of `groups`, because the word may have a typing error. */
  readonly corrections?: readonly (readonly string[])[];
}

/** A typed word as parts: a name is one part, an email address has several. */
interface Spelling {
  readonly parts: ReturnType<typeof splitFolded>;
}

/** Shortest beginning that finds the words that begin with it. */
const minPrefix = 3;

const letter = String.raw`[\p{L}\p{N}\p{M}]`;

/** A typed phone number, which may contain spaces. */
const phoneNumbers = /(?<!\S)\+?\(?\d[\d().-]*(?:\s[\d().-]+)+(?!\S)/g;

/** Parses typed words. All of them must be in a record; the last one may be the beginning of a word. */
export function parseQuery(typedWords: readonly string[]): QueryWord[] {
  const text = typedWords.join(' ').replace(phoneNumbers, (phone) => phone.replace(/\s/g, '-'));
  const words = text.split(/\s+/).filter((word) => splitFolded(foldText(word)).length > 0);
  return words.flatMap((word, index) => parseWord(word, index === words.length - 1));
}

function parseWord(word: string, isLast: boolean): QueryWord[] {
  const phone = parsePhoneToken(word);
  if (phone !== undefined) return [createPhoneWord(word, phone)];
  const spellings = listSpellings(word);
  const [{ parts } = { parts: [] }] = spellings;
  return parts.map(({ text, isUnspaced }, index) => {
    if (isUnspaced) {
      const characters = Array.from(text);
      return { groups: createPairGroups(characters), pattern: text, characters };
    }
    const tokens = [...new Set(spellings.flatMap((spelling) => spelling.parts[index]?.text ?? []))];
    // An email address is typed whole.
    const isPrefix = isLast && index === parts.length - 1 && text.length >= minPrefix && !word.includes('@');
    return { groups: [{ tokens, isPrefix }], pattern: formatPattern(tokens, isPrefix) };
  });
}

/** Returns the spellings of a German word: with an umlaut, and with the two letters that replace it. */
function listSpellings(word: string): Spelling[] {
  const letters: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };
  const composed = word.normalize('NFC').toLowerCase();
  const texts = [
    foldText(word),
    foldText(composed.replace(/[äöü]/g, (letter) => letters[letter] ?? letter)),
    // A short word such as `Joe` is no spelling of another one.
    foldText(word).replace(/^(?=.{5})(.*?[aou])e/, '$1'),
  ];
  const spellings = [...new Set(texts)].map((text) => ({ parts: splitFolded(text) }));
  return spellings.filter(({ parts }) => parts.length === spellings[0]?.parts.length);
}

/** A single character is found at the beginning of a pair or alone; a longer run by all its pairs. */
function createPairGroups(characters: readonly string[]): TokenGroup[] {
  if (characters.length === 1) return [{ tokens: characters, isPrefix: true }];
  return toPairs(characters).map((pair) => ({ tokens: [pair], isPrefix: false }));
}

function createPhoneWord(word: string, phone: string): QueryWord {
  const digits = word.replace(/\D/g, '');
  const pattern = Array.from(phone).join(String.raw`[\s().-]*`);
  return { groups: [{ tokens: [...new Set([phone, digits])], isPrefix: false }], pattern };
}

const formatPattern = (tokens: readonly string[], isPrefix: boolean) =>
  tokens.map((text) => `(?<!${letter})${text}${isPrefix ? `${letter}*` : ''}(?!${letter})`).join('|');

/** Adds other spellings of a word, which a typing error may have changed. */
export function addSpellings(word: QueryWord, spellings: readonly string[]): QueryWord {
  const [group] = word.groups;
  if (!group || spellings.length === 0) return word;
  return {
    groups: [{ ...group, tokens: [...group.tokens, ...spellings] }],
    pattern: `${word.pattern}|${formatPattern(spellings, false)}`,
  };
}

/**
 * Allows one wrong character in a word of three or more in a script without spaces: a record may lack the pairs with
 * that character. In a word of four or more, two pairs must be left.
 */
export function allowWrongCharacter(word: QueryWord): QueryWord {
  const { characters = [] } = word;
  if (characters.length < 3) return word;
  const pairs = toPairs(characters);
  const corrections: string[][] = [];
  const patterns = [word.pattern];
  for (const at of characters.keys()) {
    const remaining = pairs.filter((_, index) => index !== at - 1 && index !== at);
    if (remaining.length < Math.min(2, characters.length - 2)) continue;
    corrections.push(remaining);
    // The character may also be one too many, or one may be missing next to it.
    patterns.push(`${characters.slice(0, at).join('')}${letter}{0,2}${characters.slice(at + 1).join('')}`);
  }
  return { ...word, corrections, pattern: patterns.join('|') };
}

/** Formats words as an expression of FTS5. A mark restricts it to the words that have the mark. */
export function formatMatch(words: readonly QueryWord[], mark: '' | keyof typeof marks): string {
  const prefix = mark === '' ? '' : marks[mark];
  const formatTerm = (token: string) => `"${prefix}${token}"`;
  const join = (terms: readonly string[], operator: 'AND' | 'OR') =>
    terms.length === 1 ? terms.join() : `(${terms.join(` ${operator} `)})`;
  return words
    .map(({ groups, corrections = [] }) => {
      const typed = groups.map(({ tokens, isPrefix }) =>
        join(
          tokens.map((token) => `${formatTerm(token)}${isPrefix ? ' *' : ''}`),
          'OR',
        ),
      );
      const others = corrections.map((tokens) => join(tokens.map(formatTerm), 'AND'));
      return join([join(typed, 'AND'), ...others], 'OR');
    })
    .join(' AND ');
}

/** Formats an expression of FTS5 for the records that have all words of a name, in their title or what they are about. */
export function formatExactMatch(name: string): string {
  const tokens = new Set(tokenize(name));
  return Array.from(tokens, (token) => `"${marks.about}${token}"`).join(' AND ');
}

import { foldText } from '../values/fold.ts';
import { formatPattern, formatPhrase, parsePhone, splitFolded, type WordPart } from './words.ts';

/** A word or phrase to find, or to exclude. */
export interface Term {
  /** An FTS5 expression. */
  readonly match: string;
  /** A regular expression that finds the term in a folded text. */
  readonly pattern: string;
  readonly isExcluded: boolean;
  /** The word to correct typos in. Not set for phrases and phone numbers. */
  readonly word?: WordPart;
}

/** Shortest beginning that finds the words that begin with it. */
const minPrefix = 3;

/** A typed phone number, which may contain spaces. */
const phoneNumbers = /(?<!\S)\+?\(?\d[\d().-]*(?:\s[\d().-]+)+(?!\S)/g;

/** A phrase in quotation marks, or a word; a minus before it excludes it. */
const termPattern = /(?<!\S)(?:(-?)"([^"]+)"(?!\S)|(-?)(\S+))/g;

/** Parses typed words: the last one may be the beginning of a word. */
export function parseQuery(text: string): Term[] {
  const typedTerms = text.replace(phoneNumbers, (phone) => phone.replace(/\s/g, '-')).matchAll(termPattern);
  const all = Array.from(typedTerms, ([, phraseMinus, phrase, minus, word]) => ({
    text: phrase ?? word ?? '',
    isPhrase: phrase !== undefined,
    isExcluded: (phraseMinus ?? minus) === '-',
  })).filter(({ text }) => splitFolded(foldText(text)).length > 0);
  const last = all.findLast(({ isExcluded }) => !isExcluded);
  return all.flatMap((term) => {
    if (term.isPhrase || term.isExcluded) return [createPhraseTerm(term.text, term.isExcluded)];
    return createWordTerms(term.text, term === last);
  });
}

/** Parses a part of a name: each word may be the beginning of a longer word. */
export function parseNamePart(text: string): Term[] {
  const words = text.split(/\s+/).filter((word) => splitFolded(foldText(word)).length > 0);
  return words.map((word) => createTerm(listSpellings(word), true));
}

/** Creates a function that tells whether a text has all words of a part of a name, in any order and spelling. */
export function createNameMatcher(part: string): (text: string) => boolean {
  const patterns = parseNamePart(part).map(({ pattern }) => new RegExp(pattern, 'u'));
  if (patterns.length === 0) return () => false;
  return (text) => {
    const foldedText = foldText(text);
    return patterns.every((pattern) => pattern.test(foldedText));
  };
}

/** An excluded word with several parts, such as an email address, is a phrase too. */
function createPhraseTerm(text: string, isExcluded: boolean): Term {
  const phone = createPhoneTerm(text);
  return { ...(phone ?? createTerm(listSpellings(text), false)), isExcluded };
}

/** Returns a term for each part of a word: a name is one part, an email address has several. */
function createWordTerms(word: string, isLast: boolean): Term[] {
  const phone = createPhoneTerm(word);
  if (phone) return [phone];
  const spellings = listSpellings(word);
  const [parts = []] = spellings;
  return parts.map((part, index) => {
    const partSpellings = spellings.map((spelling) => spelling.slice(index, index + 1));
    // An email address is typed whole.
    const mayBeStart = isLast && index === parts.length - 1 && !part.isUnspaced && !word.includes('@');
    return { ...createTerm(partSpellings, mayBeStart && part.text.length >= minPrefix), word: part };
  });
}

/** Creates a term that one of several phrases matches. */
function createTerm(phrases: readonly (readonly WordPart[])[], isPrefix: boolean): Term {
  const matches = new Set(phrases.map((phrase) => formatPhrase(phrase, isPrefix)));
  const patterns = new Set(phrases.map((phrase) => formatPattern(phrase, isPrefix)));
  return { match: joinAlternatives([...matches]), pattern: [...patterns].join('|'), isExcluded: false };
}

function createPhoneTerm(word: string): Term | undefined {
  const phone = parsePhone(word);
  if (!phone) return undefined;
  const pattern = Array.from(phone.last).join(String.raw`[\s().-]*`);
  const matches = new Set([`"${phone.last}"`, `"${phone.all}"`]);
  return { match: joinAlternatives([...matches]), pattern, isExcluded: false };
}

/** Adds alternative expressions and patterns to a term. */
export function addAlternatives(term: Term, matches: readonly string[], patterns: readonly string[]): Term {
  if (matches.length === 0) return term;
  return {
    ...term,
    match: joinAlternatives([term.match, ...matches]),
    pattern: [term.pattern, ...patterns].join('|'),
  };
}

const joinAlternatives = (matches: readonly string[]) =>
  matches.length === 1 ? matches.join() : `(${matches.join(' OR ')})`;

/** Returns the spellings of German words: with an umlaut, and with the two letters that replace it. */
function listSpellings(text: string): WordPart[][] {
  const letters: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };
  const composedText = text.normalize('NFC').toLowerCase();
  const texts = [
    foldText(text),
    foldText(composedText.replace(/[äöü]/g, (letter) => letters[letter] ?? letter)),
    // A short word such as `Joe` has no other spelling.
    foldText(text).replace(/^(?=.{5})(.*?[aou])e/, '$1'),
  ];
  const spellings = [...new Set(texts)].map(splitFolded);
  return spellings.filter(({ length }) => length === spellings[0]?.length);
}

/** Formats an FTS5 expression that matches records with all terms. `columns` restricts the required terms. */
export function formatMatch(terms: readonly Term[], columns = ''): string {
  const required = terms.filter(({ isExcluded }) => !isExcluded).map(({ match }) => match);
  const excludedMatches = terms.filter(({ isExcluded }) => isExcluded).map(({ match }) => match);
  const match = `${columns}(${required.join(' AND ')})`;
  return excludedMatches.length > 0 ? `(${match}) NOT (${excludedMatches.join(' OR ')})` : match;
}

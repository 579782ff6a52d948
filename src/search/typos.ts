import type { IndexFile } from './index/index-file.ts';
import { addAlternatives, type Term } from './query.ts';
import { formatPattern, formatPhrase } from './words.ts';

/** A word to correct typos in. A longer word would have too many spellings. */
const correctableWord = /^\p{L}{4,32}$/u;

/** Minimum length in a script without spaces, in which one character is a syllable. */
const minUnspacedLength = 3;

/** A word in more records than this is not a typo. */
const maxRare = 1000;

/** Letters that may replace another letter or be missing, by script. Folded words contain no other letters. */
const alphabets = [
  'abcdefghijklmnopqrstuvwxyz',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'абвгдежзиклмнопрстуфхцчшщъыьэюяіїєґ',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهويءئؤپچژگ',
  'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
];

/** Adds indexed words that differ by one typo to each term. */
export function correctTerms(index: IndexFile, terms: readonly Term[]): Term[] {
  index.sqlite.exec(
    "create virtual table if not exists temp.vocabulary using fts5vocab (main, words, 'row')",
  );
  return terms.map((term) => {
    const { text, isUnspaced } = term.word ?? { text: '', isUnspaced: false };
    if (isUnspaced) return allowWrongCharacter(term, Array.from(text));
    if (!correctableWord.test(text) || isCommon(index, text)) return term;
    const words = findWords(index, listEdits(text)).map((word) => [{ text: word, isUnspaced }]);
    return addAlternatives(
      term,
      words.map((word) => formatPhrase(word)),
      words.map((word) => formatPattern(word)),
    );
  });
}

/** Returns the words with one letter missing, added, replaced, or two neighbors swapped. The first letter may differ too. */
export function listEdits(word: string): string[] {
  const letters = Array.from(word);
  const alphabet = alphabets.find((alphabet) => letters.some((letter) => alphabet.includes(letter))) ?? '';
  const edits = new Set<string>();
  const add = (start: number, insertedText: string, end: number) =>
    edits.add([...letters.slice(0, start), insertedText, ...letters.slice(end)].join(''));
  for (let at = 0; at <= letters.length; at += 1) {
    if (at < letters.length) add(at, '', at + 1);
    if (at + 1 < letters.length) add(at, `${letters[at + 1]}${letters[at]}`, at + 2);
    for (const letter of alphabet) {
      if (at < letters.length) add(at, letter, at + 1);
      add(at, letter, at);
    }
  }
  edits.delete(word);
  return [...edits];
}

/** Whether too many records have a word for it to be misspelled. */
function isCommon(index: IndexFile, word: string): boolean {
  const selection = index.prepare('select 1 from temp.vocabulary where term = ? and doc > ?');
  return selection.get(word, maxRare) !== undefined;
}

/** Returns the words that the index has. */
function findWords(index: IndexFile, words: readonly string[]): string[] {
  const selection = index.prepare(
    'select v.term from json_each(?) j join temp.vocabulary v on v.term = j.value',
  );
  return (selection.all(JSON.stringify(words)) as { term: string }[]).map(({ term }) => term);
}

/**
 * Allows one wrong, additional or missing character in a word of at least three characters of a script without spaces.
 * A record then matches if it has the pairs without that character, but at least two pairs of a word of four or more.
 */
function allowWrongCharacter(term: Term, characters: readonly string[]): Term {
  const { length } = characters;
  if (length < minUnspacedLength) return term;
  const corrections = characters.flatMap((_, at) => {
    const sides = [characters.slice(0, at), characters.slice(at + 1)].map((side) => side.join(''));
    const phrases = sides.filter((side) => Array.from(side).length > 1);
    const pairs = phrases.reduce((sum, phrase) => sum + Array.from(phrase).length - 1, 0);
    if (pairs < Math.min(2, length - 2)) return [];
    const matches = phrases.map((text) => formatPhrase([{ text, isUnspaced: true }]));
    const pattern = sides.join(String.raw`[\p{L}\p{N}\p{M}]{0,2}`);
    return [{ match: matches.length > 1 ? `NEAR(${matches.join(' ')}, 3)` : matches.join(), pattern }];
  });
  return addAlternatives(
    term,
    corrections.map(({ match }) => match),
    corrections.map(({ pattern }) => pattern),
  );
}

import type { IndexFile } from './index-file.ts';
import { addSpellings, allowWrongCharacter, type QueryWord } from './query.ts';

/** Shortest word in which a typing error is corrected. */
const minLength = 4;

/** A word in more records than this is no typing error. */
const maxRare = 1000;

/** Letters that may replace another one or be missing, by script. Folded words have no others. */
const alphabets = [
  'abcdefghijklmnopqrstuvwxyz',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'абвгдежзиклмнопрстуфхцчшщъыьэюяіїєґ',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهويءئؤپچژگ',
  'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
];

/**
 * Adds to each word of 4 letters or more the words of the index that differ from it by one typing error. In a script
 * without spaces, where one character is a syllable, 3 characters are enough.
 */
export function correctWords(index: IndexFile, words: readonly QueryWord[]): QueryWord[] {
  return words.map((word) => {
    if (word.characters) return allowWrongCharacter(word);
    const [group, ...others] = word.groups;
    const [token] = group?.tokens ?? [];
    if (token === undefined || others.length > 0 || !/^\p{L}{4,}$/u.test(token)) return word;
    return isCommon(index, token) ? word : addSpellings(word, findTerms(index, listEdits(token)));
  });
}

/** Returns the words with one letter missing, added, replaced, or two neighbors swapped. The first letter may differ too. */
export function listEdits(word: string): string[] {
  const letters = Array.from(word);
  if (letters.length < minLength) return [];
  const alphabet = alphabets.find((one) => letters.some((letter) => one.includes(letter))) ?? '';
  const edits = new Set<string>();
  const add = (start: number, inserted: string, end: number) =>
    edits.add([...letters.slice(0, start), inserted, ...letters.slice(end)].join(''));
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

/** Whether more records have a word than a misspelled one would be in. */
function isCommon(index: IndexFile, word: string): boolean {
  return (
    prepareTerms(index, 'select 1 from temp.term where term = ? and doc > ?').get(word, maxRare) !== undefined
  );
}

/** Returns the words that the index has. */
function findTerms(index: IndexFile, words: readonly string[]): string[] {
  const selection = prepareTerms(
    index,
    'select t.term from json_each(?) j join temp.term t on t.term = j.value',
  );
  return (selection.all(JSON.stringify(words)) as { term: string }[]).map(({ term }) => term);
}

function prepareTerms(index: IndexFile, sql: string) {
  index.sqlite.exec("create virtual table if not exists temp.term using fts5vocab (main, posting, 'row')");
  return index.prepare(sql);
}

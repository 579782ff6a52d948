import { isAscii, removeInvisible } from './clean-text.ts';
import { joinNames, quote, truncateValue } from './text.ts';

/**
 * Folds case, spacing, character width, hyphens and Unicode composition of a name, without invisible characters. Keeps
 * accents, which distinguish names. Only a search folds them too (`fold.ts`).
 */
export function foldName(name: string): string {
  if (isAscii(name)) return name.trim().replace(/\s+/g, ' ').toLowerCase();
  const plainName = removeInvisible(name)
    .normalize('NFKC')
    .replace(/\u2010/g, '-');
  // Upper case first: it also unites letters with two lower-case forms, such as σ and ς, or ß and ss.
  return plainName.trim().replace(/\s+/g, ' ').toUpperCase().toLowerCase();
}

/** Returns the name that equals a text; otherwise the only name that `foldName` makes equal to it. */
export function findName(names: readonly string[], text: string): string | undefined {
  if (names.includes(text)) return text;
  const [match, ...others] = names.filter((name) => foldName(name) === foldName(text));
  return others.length === 0 ? match : undefined;
}

/** Returns the item whose name `findName` finds. */
export function findNamed<T>(items: readonly T[], text: string, getName: (item: T) => string): T | undefined {
  const name = findName(items.map(getName), text);
  return name === undefined ? undefined : items.find((item) => getName(item) === name);
}

/** Maximum number of names that `createClosestNames` keeps. */
const maxClosest = 3;

/**
 * Collects the names closest to a text by edit distance: at most three, the closest first. A name with a word that
 * begins with the text comes after names with a typo.
 */
export function createClosestNames<T>(text: string) {
  const searchKey = Array.from(foldName(text));
  const limit = Math.min(Math.max(1, Math.floor(searchKey.length / 3)), searchKey.length - 1);
  const start = searchKey.join('');
  // Too many names begin with the same character.
  const isPrefix = (name: string) =>
    searchKey.length > 1 && (name.startsWith(start) || name.includes(` ${start}`));
  let closestItems: { readonly item: T; readonly distance: number }[] = [];
  return {
    /** Adds an item if one of its folded names, or one word of them, is close to the text. */
    add: (names: readonly string[], item: T) => {
      let distance = Number.POSITIVE_INFINITY;
      for (const name of names) {
        distance = Math.min(distance, measureDistance(searchKey, name, limit));
        if (isPrefix(name)) distance = Math.min(distance, 2 * limit + 1);
        // A match of one word is weaker than a match of the whole name.
        for (const word of name.includes(' ') ? name.split(' ') : [])
          distance = Math.min(distance, measureDistance(searchKey, word, limit) + limit);
      }
      if (distance === Number.POSITIVE_INFINITY) return;
      closestItems = [...closestItems, { item, distance }]
        .sort((left, right) => left.distance - right.distance)
        .slice(0, maxClosest);
    },
    list: (): readonly T[] => closestItems.map(({ item }) => item),
  };
}

/** Returns the names closest to a text. */
export function findClosest(text: string, names: readonly string[]): readonly string[] {
  const closest = createClosestNames<string>(text);
  for (const name of names) closest.add([foldName(name)], name);
  return closest.list();
}

/** Describes an unknown field, with the closest field or all fields. */
export function describeUnknownField(name: string, available: readonly string[]): string {
  const [guess] = findClosest(truncateValue(name), available);
  const advice =
    guess === undefined
      ? `Available fields: ${joinNames(available) || 'none'}.`
      : `Did you mean ${quote(guess)}?`;
  return `Unknown field ${quote(name)}. ${advice}`;
}

/** Returns the number of insertions, deletions and replacements between two texts; infinite if above a limit. */
function measureDistance(letters: readonly string[], text: string, limit: number): number {
  // A character takes one or two units, so the length excludes most texts.
  if (text === '' || text.length < letters.length - limit || text.length > 2 * (letters.length + limit))
    return Number.POSITIVE_INFINITY;
  const textLetters = Array.from(text);
  if (Math.abs(letters.length - textLetters.length) > limit) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: textLetters.length + 1 }, (_, index) => index);
  for (let index = 0; index < letters.length; index += 1) {
    const next = [index + 1];
    let least = index + 1;
    for (let column = 0; column < textLetters.length; column += 1) {
      const replaceCost = (row[column] ?? 0) + (letters[index] === textLetters[column] ? 0 : 1);
      const cost = Math.min(replaceCost, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1);
      if (cost < least) least = cost;
      next.push(cost);
    }
    if (least > limit) return Number.POSITIVE_INFINITY;
    row = next;
  }
  const distance = row.at(-1) ?? 0;
  return distance > limit ? Number.POSITIVE_INFINITY : distance;
}

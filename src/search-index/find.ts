import { ContentStore } from './content.ts';
import { getKeyRange, guard, type IndexFile } from './index-file.ts';
import type { Kind } from './kinds.ts';
import { formatMatch, type QueryWord } from './query.ts';
import { correctWords } from './typos.ts';

/** The words to find, and the limits of the search. */
export interface FindOptions {
  readonly words: readonly QueryWord[];
  readonly kinds: readonly Kind[];
  /** Only records from this time on, in seconds since 1970. */
  readonly since: number | undefined;
  /** The maximum number of records. */
  readonly limit: number;
  readonly now: Date;
}

/** A record that matches. */
export interface Match {
  readonly kind: Kind;
  readonly id: string;
  /** The list of an entry. */
  readonly parent: string | null;
  /** Seconds since 1970; 0 if the service sends no time. */
  readonly at: number;
  /** From 0 to 1. */
  readonly score: number;
  /** Undefined if the index has no texts. */
  readonly title: string | undefined;
  /** Lines of text; undefined if the index has no texts. */
  readonly text: string | undefined;
}

/** The records found, grouped by kind, the best kind first. */
export interface FindResult {
  readonly matches: readonly Match[];
  /** The words that were searched for, with corrected spellings. */
  readonly words: readonly QueryWord[];
  /** The number of records that match, at most `maxCandidates` of each kind. */
  readonly total: number;
}

/** Maximum number of records of a kind that are compared. A word in more records is not specific. */
const maxCandidates = 100_000;

/** If fewer records match, typing errors are corrected. */
const fewMatches = 3;

/** The weight of a match by the position of its words: all in the title, all in `about`, or anywhere. */
const places = [
  { mark: 'title', weight: 1 },
  { mark: 'about', weight: 0.6 },
  { mark: '', weight: 0.3 },
] as const;

/** The factors for a title with other words, and for a corrected word. */
const longerTitleWeight = 0.9;
const correctionWeight = 0.8;

/** The bonus of the newest records. It halves with each year. */
const maxRecencyGain = 0.05;
const secondsPerYear = 365.25 * 86_400;

interface Row {
  readonly n: number;
  readonly id: string;
  readonly parent: string | null;
  readonly at: number;
  readonly title_words: number;
}

interface ScoredRow extends Row {
  readonly kind: Kind;
  readonly score: number;
}

/** Finds the records that have all words, the best of each kind. @throws {UnusableIndexError} if the file is damaged */
export function findRecords(index: IndexFile, options: FindOptions): FindResult {
  return guard(() => {
    const groups = findGroups(index, options, 1, new Set());
    let { words } = options;
    let total = sum(groups.map((group) => group.total));
    if (total < fewMatches) {
      words = correctWords(index, words);
      const excludedKeys = new Set(groups.flatMap(({ rows }) => rows.map(({ n }) => n)));
      if (words.some((word, position) => word !== options.words[position])) {
        const more = findGroups(index, { ...options, words }, correctionWeight, excludedKeys);
        for (const [position, { rows }] of more.entries()) groups[position]?.rows.push(...rows);
        total = sum(more.map((group) => group.total));
      }
    }
    const store = new ContentStore(index);
    const rows = chooseRows(
      groups.map((group) => group.rows),
      options.limit,
    );
    return { matches: rows.map((row) => readMatch(index, store, row)), words, total };
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

interface Group {
  readonly rows: ScoredRow[];
  readonly total: number;
}

function findGroups(
  index: IndexFile,
  options: FindOptions,
  factor: number,
  excludedKeys: ReadonlySet<number>,
): Group[] {
  return options.kinds.map((kind) => findGroup(index, kind, options, factor, excludedKeys));
}

/** Finds the best records of a kind: those with the words in the title first. */
function findGroup(
  index: IndexFile,
  kind: Kind,
  { words, since, limit, now }: FindOptions,
  factor: number,
  excludedKeys: ReadonlySet<number>,
): Group {
  const { first, last } = getKeyRange(kind);
  const matching = `select rowid as n from posting where posting match ? and rowid between ${first} and ${last}`;
  const isLate = `cross join record using (n) where at >= ${since}`;
  const counted = since === undefined ? matching : `select n from (${matching}) ${isLate}`;
  const candidates = `(${counted} limit ${maxCandidates})`;
  const { total } = index
    .prepare(`select count(*) as total from ${candidates}`)
    .get(formatMatch(words, '')) as { total: number }; // an aggregate always has a row
  const rows = new Map<number, ScoredRow>();
  const typedWords = words.flatMap(({ groups }) => groups).length;
  for (const { mark, weight } of total === 0 ? [] : places) {
    if (rows.size >= limit) break;
    const page = index
      .prepare(
        `select n, id, parent, at, title_words from ${candidates} join record using (n) order by title_words > ?, at desc limit ?`,
      )
      .all(formatMatch(words, mark), mark === 'title' ? typedWords : 0, limit) as Row[];
    for (const row of page) {
      if (rows.has(row.n) || excludedKeys.has(row.n)) continue;
      const isExact = mark !== 'title' || row.title_words <= typedWords;
      const years = Math.max(0, now.getTime() / 1000 - row.at) / secondsPerYear;
      const recency = row.at === 0 ? 0 : maxRecencyGain * 0.5 ** years;
      const score = weight * (isExact ? 1 : longerTitleWeight) * factor * (1 - maxRecencyGain + recency);
      rows.set(row.n, { ...row, kind, score: Math.round(score * 1000) / 1000 });
    }
  }
  return { rows: [...rows.values()].sort((one, other) => other.score - one.score).slice(0, limit), total };
}

/** Chooses rows of all kinds: as many of each kind if possible, the best kind first. */
function chooseRows(groups: readonly (readonly ScoredRow[])[], limit: number): ScoredRow[] {
  const counts = groups.map(() => 0);
  let remaining = limit;
  for (let hasMore = true; hasMore && remaining > 0; ) {
    hasMore = false;
    for (const [position, rows] of groups.entries()) {
      const count = counts[position] ?? 0;
      if (count >= rows.length || remaining === 0) continue;
      counts[position] = count + 1;
      remaining -= 1;
      hasMore = true;
    }
  }
  const selection = groups.map((rows, position) => rows.slice(0, counts[position]));
  // Tenths, so that the time alone does not determine the order of the kinds.
  const rank = ([best]: readonly ScoredRow[]) => Math.floor((best?.score ?? 0) * 10);
  return selection.sort((one, other) => rank(other) - rank(one)).flat();
}

function readMatch(
  index: IndexFile,
  store: ContentStore,
  { n, kind, id, parent, at, score }: ScoredRow,
): Match {
  const { title, content } = index.prepare('select title, content from record where n = ?').get(n) as {
    title: string | null;
    content: string | Uint8Array | null;
  }; // the row was selected in the same read
  const text = content === null ? undefined : store.expand(kind, content);
  return { kind, id, parent, at, score, title: title ?? undefined, text };
}

import { getKeyRange, getKind, guard, type IndexFile } from './index/index-file.ts';
import { expandText } from './index/text-compression.ts';
import { type Kind, kinds } from './kinds.ts';
import { formatMatch, type Term } from './query.ts';
import { correctTerms } from './typos.ts';

/** The terms to find, and the limits of the search. */
export interface FindOptions {
  readonly terms: readonly Term[];
  readonly kinds: readonly Kind[];
  /** Only records from this time on, in seconds since 1970. */
  readonly since: number | undefined;
  /** The maximum number of records. */
  readonly limit: number;
  /** The number of chosen records to skip; 0 if omitted. */
  readonly skip?: number;
  /** Whether the records are not grouped by kind, so that a result is the beginning of one with a higher limit. */
  readonly isUngrouped?: boolean;
}

interface RankedRow {
  readonly n: number;
  readonly kind: Kind;
  readonly id: string;
  /** The list of an entry. */
  readonly parent: string | null;
  /** Seconds since 1970; 0 if the service sends no time. */
  readonly at: number;
  /** From 0 to 1, relative to the best match. */
  readonly score: number;
}

export interface Match extends Omit<RankedRow, 'n'> {
  /** Undefined if the index has no texts. */
  readonly title: string | undefined;
  /** Where the record belongs, and the key of an entry; undefined if it has none, or the index has no texts. */
  readonly place: string | undefined;
  readonly key: string | undefined;
  /** Lines of text; undefined if the index has no texts. */
  readonly text: string | undefined;
}

/** The records found, grouped by kind, the best kind first. */
export interface FindResult {
  readonly matches: readonly Match[];
  /** The terms of the search, with corrected spellings. */
  readonly terms: readonly Term[];
  /** The number of records that match. */
  readonly total: number;
}

/** If fewer records match, typos are corrected. */
const fewMatches = 3;

/** The factor for the score of a record that only a corrected word matches. */
const correctionFactor = 0.8;

/** The weights of a word in the title, in `about`, and in the body, which may be long and repeat it often. */
const columnWeights = '100, 20, 1';

/** Maximum number of records of a kind to rank, because `bm25` reads all positions of a word: see `candidateColumns`. */
const maxRanked = 500;

/** Candidates are the newest records with the terms in their title, then in their title or `about`, then anywhere. */
const candidateColumns = ['{title} : ', '{title about} : ', ''];

interface Ranking {
  readonly rows: readonly RankedRow[];
  readonly total: number;
}

/** Finds the best records of each kind that match all terms. @throws {UnusableIndexError} if the file is damaged */
export function findRecords(index: IndexFile, options: FindOptions): FindResult {
  return guard(() => {
    const exact = rankRecords(index, options);
    const isEnough = exact.total >= fewMatches;
    const terms = isEnough ? options.terms : correctTerms(index, options.terms);
    const isCorrected = terms.some((term, position) => term !== options.terms[position]);
    const { rows, total } = isCorrected
      ? addCorrected(exact, rankRecords(index, { ...options, terms }))
      : exact;
    const matches = chooseRows(rows, options).map((row) => readMatch(index, row));
    return { matches, terms, total };
  });
}

/** Adds the records that only corrected words match. */
function addCorrected(exactRanking: Ranking, correctedRanking: Ranking): Ranking {
  const exactKeys = new Set(exactRanking.rows.map(({ n }) => n));
  const more = correctedRanking.rows.filter(({ n }) => !exactKeys.has(n));
  const rows = more.map((row) => ({ ...row, score: roundScore(row.score * correctionFactor) }));
  return { rows: [...exactRanking.rows, ...rows], total: correctedRanking.total };
}

/** Ranks the matching records, the best first. Among equal scores, the newest come first. */
function rankRecords(index: IndexFile, options: FindOptions): Ranking {
  const totals = countMatches(index, options);
  const total = totals.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return { rows: [], total };
  const keys = totals.flatMap(([kind, count]) => listCandidates(index, kind, options, count));
  // With the rowid as a constraint, FTS5 would restart the query and count each word again for every candidate.
  const selection = index.prepare(
    `select n, id, parent, at, -bm25(words, ${columnWeights}) as weight
    from words cross join record on n = words.rowid
    where words match ? and +words.rowid in (select value from json_each(?))`,
  );
  type Row = Omit<RankedRow, 'kind' | 'score'> & { readonly weight: number };
  const rows = selection.all(formatMatch(options.terms), JSON.stringify(keys)) as Row[]; // the columns of the statement
  const best = rows.reduce((maximum, { weight }) => Math.max(maximum, weight), 0);
  const rankedRows = rows.map(({ weight, ...row }) => ({
    ...row,
    kind: getKind(row.n),
    score: roundScore(weight / best),
  }));
  return { rows: rankedRows.sort((left, right) => right.score - left.score || right.at - left.at), total };
}

const roundScore = (score: number) => Math.round(score * 100) / 100;

/** SQL for the time of a row of `words`. */
const at = '(select at from record where n = words.rowid)';

const formatSince = ({ since }: FindOptions) => (since === undefined ? '' : `and ${at} >= ${since}`);

/** Counts the records of each kind in one pass: FTS5 reads the list of a word from its start. */
function countMatches(index: IndexFile, options: FindOptions): [Kind, number][] {
  const counts = options.kinds.map((kind) => {
    const { first, last } = getKeyRange(kind);
    return `count(*) filter (where rowid between ${first} and ${last}) as ${kind}`;
  });
  const selection = index.prepare(
    `select ${counts.join(', ')} from words where words match ? ${formatSince(options)}`,
  );
  const row = selection.get(formatMatch(options.terms)) as Record<Kind, number>; // an aggregate always has a row
  return options.kinds.map((kind) => [kind, row[kind]]);
}

/** Returns the keys of the records of a kind to rank. `count`: the number of matching records. */
function listCandidates(index: IndexFile, kind: Kind, options: FindOptions, count: number): number[] {
  const { first, last } = getKeyRange(kind);
  const size = Math.min(count, Math.max(options.limit + (options.skip ?? 0), maxRanked));
  const selection = index.prepare(
    `select rowid as n from words where words match ? and rowid between ${first} and ${last}
    ${formatSince(options)} order by ${at} desc limit ?`,
  );
  const keys = new Set<number>();
  for (const columns of candidateColumns) {
    if (keys.size >= size) break;
    const rows = selection.all(formatMatch(options.terms, columns), size) as { n: number }[]; // the column of the statement
    for (const { n } of rows) keys.add(n);
  }
  return [...keys].slice(0, size);
}

/** Chooses rows of all kinds, the best kind first and the same number of each kind if possible. */
function chooseRows(
  rows: readonly RankedRow[],
  { limit, skip = 0, isUngrouped = false }: Pick<FindOptions, 'limit' | 'skip' | 'isUngrouped'>,
): RankedRow[] {
  const groups = kinds.map((kind) => rows.filter((row) => row.kind === kind));
  const turns = groups.flatMap((group) => group.map((row, place) => ({ row, place })));
  const firstTurns = turns.sort((left, right) => left.place - right.place).slice(skip, skip + limit);
  if (isUngrouped) return firstTurns.map(({ row }) => row);
  const chosenRows = new Set(firstTurns.map(({ row }) => row));
  // Tenths, so that only a clear difference changes the order of the kinds.
  const rank = ([best]: readonly RankedRow[]) => Math.floor((best?.score ?? 0) * 10);
  return groups
    .sort((left, right) => rank(right) - rank(left))
    .flat()
    .filter((row) => chosenRows.has(row));
}

function readMatch(index: IndexFile, { n, kind, id, parent, at, score }: RankedRow): Match {
  const selection = index.prepare('select title, place, key, content from record where n = ?');
  const { title, place, key, content } = selection.get(n) as {
    title: string | null;
    place: string | null;
    key: string | null;
    content: string | Uint8Array | null;
  }; // the row was selected in the same read
  const text = content === null ? undefined : expandText(content);
  const texts = { title: title ?? undefined, place: place ?? undefined, key: key ?? undefined, text };
  return { kind, id, parent, at, score, ...texts };
}

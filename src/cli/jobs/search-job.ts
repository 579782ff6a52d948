import { Failure, isRecordFailure } from '../../contract/errors.ts';
import { singularNouns } from '../../contract/singular-nouns.ts';
import type { SearchResult } from '../../render/search-results.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import { createMarker } from '../../search-index/excerpt.ts';
import { type FindOptions, findRecords, type Match } from '../../search-index/find.ts';
import { removeIndex, UnusableIndexError } from '../../search-index/index-file.ts';
import type { Kind } from '../../search-index/kinds.ts';
import { parseQuery, type QueryWord } from '../../search-index/query.ts';
import type { Session } from '../context.ts';
import { findIndexTarget, type IndexTarget, openFreshIndex } from './search-index.ts';

/** A search as it was typed. */
export interface SearchRequest {
  readonly words: readonly string[];
  readonly kinds: readonly Kind[];
  readonly since: number | undefined;
  /** Seconds; undefined: the default. */
  readonly maxAge: number | undefined;
  readonly limit: number | undefined;
}

/** The length of an excerpt: in a pipe, and the minimum in a terminal. */
const excerptWidth = { max: 200, min: 40 };

/** Searches the index of the workspace in use, which is updated first if necessary. */
export async function runSearch(
  session: Session,
  { words: typedWords, kinds, since, maxAge, limit = Number.MAX_SAFE_INTEGER }: SearchRequest,
): Promise<{ readonly records: readonly SearchResult[]; readonly total: number }> {
  const words = parseQuery(typedWords);
  if (words.length === 0) throw new Failure('usage', `"${typedWords.join(' ')}" has no letters or digits.`);
  const target = await findIndexTarget(session);
  const options = { words, kinds, since, limit, now: session.now() };
  const { matches, total, words: searchedWords } = await findInFreshIndex(session, target, options, maxAge);
  const texts = await readTexts(session, matches);
  const format = createResultFormatter(session, searchedWords);
  return { records: texts.map(({ match, title, text }) => format(match, title, text)), total };
}

/** Finds records. Rebuilds the index if it is damaged. */
async function findInFreshIndex(
  session: Session,
  target: IndexTarget,
  options: FindOptions,
  maxAge: number | undefined,
) {
  const find = async () => {
    const index = await openFreshIndex(session, target, maxAge);
    try {
      return findRecords(index, options);
    } finally {
      index.close();
    }
  };
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof UnusableIndexError)) throw error;
    removeIndex(target.path);
    return find();
  }
}

interface MatchTexts {
  readonly match: Match;
  readonly title: string;
  readonly text: string;
}

/** Returns the texts of matches. Reads those of an embedded workspace, and omits records that were deleted meanwhile. */
async function readTexts(session: Session, matches: readonly Match[]): Promise<MatchTexts[]> {
  if (matches.every(({ text }) => text !== undefined))
    return matches.map((match) => ({ match, title: match.title ?? '', text: match.text ?? '' }));
  const { createDocumentReader } = await import('../../search-index/sources.ts');
  const { joinTexts } = await import('../../search-index/index-writer.ts');
  const readDocument = createDocumentReader(await session.client());
  const texts: MatchTexts[] = [];
  for (const match of matches) {
    try {
      const document = await readDocument(match);
      texts.push({ match, title: document.title, text: joinTexts(document) });
    } catch (error) {
      if (!isRecordFailure(error)) throw error;
    }
  }
  return texts;
}

function createResultFormatter({ stdout }: Session, words: readonly QueryWord[]) {
  const marker = createMarker(words);
  const columns = stdout.isTerminal ? (stdout.columns ?? 80) - 4 : excerptWidth.max;
  const width = Math.min(excerptWidth.max, Math.max(excerptWidth.min, columns));
  return ({ kind, id, parent, at, score }: Match, title: string, text: string): SearchResult => {
    const markedTitle = marker.mark(collapseWhitespace(title));
    const excerpt = marker.excerpt(text, width);
    return {
      kind: singularNouns[kind === 'meetings' ? 'events' : kind],
      id,
      ...(parent !== null && { list_id: parent }),
      title: markedTitle.text,
      excerpt: excerpt.text,
      at: at === 0 ? null : new Date(at * 1000).toISOString(),
      score,
      title_matches: markedTitle.matches,
      matches: excerpt.matches,
    };
  };
}

import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import { singularNouns } from '../contract/singular-nouns.ts';
import type { SearchResult } from '../render/search-results.ts';
import { collapseWhitespace } from '../render/text/sanitize.ts';
import { createMarker } from './excerpt.ts';
import { type FindOptions, findRecords, type Match } from './find.ts';
import type { IndexDocument } from './index/documents.ts';
import { UnusableIndexError } from './index/index-file.ts';
import { parseQuery, type Term } from './query.ts';
import type { SearchIndex } from './refresh.ts';

/** A typed search. */
export interface SearchRequest extends Omit<FindOptions, 'terms'> {
  readonly text: string;
  /** Seconds; undefined: the default. */
  readonly maxAge: number | undefined;
  /** The columns of the terminal; undefined in a pipe. */
  readonly columns: number | undefined;
  /** Returns the client that reads the texts of the workspace, if the index contains no texts. */
  readonly client: () => Promise<Client>;
}

interface SearchPage {
  readonly records: readonly SearchResult[];
  readonly total: number;
  /** The number of matches to skip for the next page. A match that has been deleted counts too. */
  readonly end: number;
}

/** The length of an excerpt: in a pipe, and the minimum in a terminal. */
const excerptWidth = { max: 200, min: 40 };

/** Searches an index, after updating it if necessary. @throws {Failure} usage if the query has nothing to search for */
export async function search(
  index: SearchIndex,
  { text, maxAge, columns, client, ...options }: SearchRequest,
): Promise<SearchPage> {
  const terms = parseSearch(text);
  const result = await findInFreshIndex(index, { ...options, terms }, maxAge);
  const texts = await readTexts(result.matches, client);
  const format = createResultFormatter(result.terms, columns);
  const end = (options.skip ?? 0) + result.matches.length;
  return { records: texts.map(format), total: result.total, end };
}

/** Quotes a search in a message, unless the search contains quotation marks. */
export const quoteSearch = (text: string): string => (text.includes('"') ? text : `"${text}"`);

function parseSearch(text: string): Term[] {
  const terms = parseQuery(text);
  if (terms.length === 0) throw new Failure('usage', `${quoteSearch(text)} has no letters or digits.`);
  if (terms.some(({ isExcluded }) => !isExcluded)) return terms;
  throw new Failure('usage', `${quoteSearch(text)} only excludes words.`, {
    hint: "Add a word to search for, such as: kith search 'room -alarm'",
  });
}

/** Finds records. Rebuilds the index if it is damaged. */
async function findInFreshIndex(index: SearchIndex, options: FindOptions, maxAge: number | undefined) {
  const find = async () => {
    const file = await index.openFresh(maxAge);
    try {
      return findRecords(file, options);
    } finally {
      file.close();
    }
  };
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof UnusableIndexError)) throw error;
    index.remove();
    return find();
  }
}

interface MatchTexts extends Pick<IndexDocument, 'title' | 'place' | 'key'> {
  readonly match: Match;
  readonly text: string;
}

/** Returns the texts of matches. Reads those of an embedded workspace, and omits records that were deleted meanwhile. */
async function readTexts(matches: readonly Match[], client: () => Promise<Client>): Promise<MatchTexts[]> {
  if (matches.every(({ text }) => text !== undefined))
    return matches.map((match) => {
      const { title = '', place = '', key, text = '' } = match;
      return { match, title, place, key, text };
    });
  const { createDocumentReader } = await import('./index/sources.ts');
  const { joinTexts } = await import('./index/documents.ts');
  const readDocument = createDocumentReader(await client());
  const texts: MatchTexts[] = [];
  for (const match of matches) {
    try {
      const document = await readDocument(match);
      const { title, place, key } = document;
      texts.push({ match, title, ...(place !== undefined && { place }), key, text: joinTexts(document) });
    } catch (error) {
      if (!isRecordFailure(error)) throw error;
    }
  }
  return texts;
}

function createResultFormatter(terms: readonly Term[], columns: number | undefined) {
  const marker = createMarker(terms);
  const room = columns === undefined ? excerptWidth.max : columns - 4;
  const width = Math.min(excerptWidth.max, Math.max(excerptWidth.min, room));
  return ({ match, title, place, key, text }: MatchTexts): SearchResult => {
    const { kind, id, parent, at, score } = match;
    const markedTitle = marker.mark(collapseWhitespace(title));
    const excerpt = marker.excerpt(text, width);
    return {
      kind: singularNouns[kind === 'meetings' ? 'events' : kind],
      id,
      ...(parent !== null && { list_id: parent }),
      ...(key && { key }),
      title: markedTitle.text,
      ...(place && { place }),
      excerpt: excerpt.text,
      at: at === 0 ? null : new Date(at * 1000).toISOString(),
      score,
      title_matches: markedTitle.matches,
      matches: excerpt.matches,
    };
  };
}

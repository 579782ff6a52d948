import type { Sqlite } from '../sqlite/engine.ts';
import { foldText } from '../values/fold.ts';
import { checkIndex, getKeyRange, guard, type IndexFile } from './index/index-file.ts';
import { expandText } from './index/text-compression.ts';
import type { Kind } from './kinds.ts';
import { formatPhrase, splitFolded } from './words.ts';

type NamedKind = Extract<Kind, 'contacts' | 'organizations'>;
type NamedId = readonly [id: string, name: string];

/** Returns the names of records by id. An index without texts has none. */
export function readTitles(index: IndexFile, kind: NamedKind, ids: Iterable<string>): NamedId[] {
  const { first, last } = getKeyRange(kind);
  const selection = index.prepare(
    'select title from record where id = ? and n between ? and ? and title > ?',
  );
  return guard(() =>
    Array.from(ids).flatMap((id): NamedId[] => {
      const row = selection.get(id, first, last, '') as { title: string } | undefined; // the column of the statement
      return row ? [[id, row.title]] : [];
    }),
  );
}

/** Returns the names of contacts by email address, in lower case. An index without texts has none. */
export function readNamesByEmail(index: IndexFile, emails: Iterable<string>): NamedId[] {
  return guard(() =>
    Array.from(emails).flatMap((email): NamedId[] => {
      const rows = selectNamed(index, 'contacts', email).filter(({ content }) => content !== null);
      const match = rows.find(({ content }) =>
        listLines(content).some((line) => line.toLowerCase() === email),
      );
      return match?.title ? [[email, match.title]] : [];
    }),
  );
}

/** A record as the index describes it. */
export interface IndexedRecord {
  readonly id: string;
  readonly name: string;
  /** Its email addresses or domains, then its other texts. */
  readonly texts: readonly string[];
}

/** Returns at most `limit` records, the most recently updated first. An index without texts has none. */
export function listNamed(index: IndexFile, kind: NamedKind, limit: number): IndexedRecord[] {
  const { first, last } = getKeyRange(kind);
  const selection = index.prepare(
    'select id, title, content from record where n between ? and ? and title > ? order by at desc limit ?',
  );
  return guard(() => {
    const rows = selection.all(first, last, '', limit) as NamedRow[]; // the columns of the statement
    return rows.map(({ id, title, content }) => ({ id, name: title ?? '', texts: listLines(content) }));
  });
}

/** Maximum number of records that may have a name. If there are more, the list is read instead. */
const maxNamed = 8;

/**
 * Returns the ids of the records that may have a name or, for an organization, a domain: those with its words.
 * Undefined if there are none or too many.
 */
export function findIdsByName(index: IndexFile, kind: NamedKind, text: string): string[] | undefined {
  const rows = guard(() => selectNamed(index, kind, text));
  return rows.length > 0 && rows.length <= maxNamed ? rows.map(({ id }) => id) : undefined;
}

interface NamedRow {
  readonly id: string;
  readonly title: string | null;
  readonly content: string | Uint8Array | null;
}

const listLines = (content: NamedRow['content']): string[] => expandText(content ?? '').split('\n');

/** Selects the records that have the words of a text in their title or what they are about. */
function selectNamed(index: IndexFile, kind: NamedKind, text: string): NamedRow[] {
  const parts = splitFolded(foldText(text));
  if (parts.length === 0) return [];
  const { first, last } = getKeyRange(kind);
  const selection = index.prepare(`select id, record.title, content from words join record on n = words.rowid
    where words match ? and words.rowid between ? and ? limit ?`);
  const match = `{title about} : ${formatPhrase(parts)}`;
  return selection.all(match, first, last, maxNamed + 1) as NamedRow[]; // the columns of the statement
}

/** A record whose name or first address begins with a text. */
export interface StartingRow {
  readonly title: string;
  /** Its email addresses or domains, one per line, and other texts below them; null if they are compressed. */
  readonly lines: string | null;
}

/**
 * Finds records whose name or first address matches a pattern of LIKE with a backslash as its escape character, the
 * newest first. An index without texts has none. @throws {UnusableIndexError} if it cannot be used
 */
export function findByPattern(
  sqlite: Sqlite,
  identity: string,
  kind: NamedKind,
  pattern: string,
  limit: number,
): readonly StartingRow[] {
  checkIndex(sqlite, identity);
  const { first, last } = getKeyRange(kind);
  // An address contains no space.
  const byAddress = pattern.includes(' ') ? '' : "or content like ?3 escape '\\'";
  return sqlite
    .prepare(
      `select title, iif(typeof(content) = 'text', content, null) as lines from record
      where n between ?1 and ?2 and (title like ?3 escape '\\' ${byAddress})
      order by n desc limit ?4`,
    )
    .all(first, last, pattern, limit) as StartingRow[]; // the columns of the statement
}

import { ContentStore } from './content.ts';
import { getKeyRange, guard, type IndexFile } from './index-file.ts';
import type { Kind } from './kinds.ts';
import { formatExactMatch } from './query.ts';

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
  const store = new ContentStore(index);
  return guard(() =>
    Array.from(emails).flatMap((email): NamedId[] => {
      const rows = selectNamed(index, 'contacts', email).filter(({ content }) => content !== null);
      const match = rows.find(({ content }) =>
        store
          .expand('contacts', content ?? '')
          .toLowerCase()
          .split('\n')
          .includes(email),
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
  const store = new ContentStore(index);
  const selection = index.prepare(
    'select id, title, content from record where n between ? and ? and title > ? order by at desc limit ?',
  );
  return guard(() => {
    const rows = selection.all(first, last, '', limit) as NamedRow[]; // the columns of the statement
    return rows.map(({ id, title, content }) => ({
      id,
      name: title ?? '',
      texts: store.expand(kind, content ?? '').split('\n'),
    }));
  });
}

/** Maximum number of records that may have a name. If there are more, the list is read instead. */
const maxNamed = 8;

/**
 * Returns the ids of the records that may have a name or, for an organization, a domain: those with all its words.
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

/** Selects the records that have all words of a text in their title or what they are about. */
function selectNamed(index: IndexFile, kind: NamedKind, text: string): NamedRow[] {
  const match = formatExactMatch(text);
  if (match === '') return [];
  const { first, last } = getKeyRange(kind);
  const selection = index.prepare(`select id, title, content from posting join record on n = posting.rowid
    where posting match ? and posting.rowid between ? and ? limit ?`);
  return selection.all(match, first, last, maxNamed + 1) as NamedRow[]; // the columns of the statement
}

import type { Kind } from './documents.ts';
import { getKeyRange, guard, type IndexFile } from './index-file.ts';
import { formatExactMatch } from './query.ts';

type NamedKind = Extract<Kind, 'contacts' | 'organizations'>;

/** Returns the names of records by id. An index without texts has none. */
export function readTitles(
  index: IndexFile,
  kind: NamedKind,
  ids: Iterable<string>,
): [id: string, name: string][] {
  const { first, last } = getKeyRange(kind);
  const selection = index.prepare(
    'select title from record where id = ? and n between ? and ? and title > ?',
  );
  return guard(() =>
    [...ids].flatMap((id): [string, string][] => {
      const row = selection.get(id, first, last, '') as { title: string } | undefined; // the column of the statement
      return row ? [[id, row.title]] : [];
    }),
  );
}

/** The most records that may have a name: instead of more records, the list is read. */
const maxNamed = 8;

/**
 * Returns the ids of the records that may have a name or, for an organization, a domain: those with all its words.
 * Undefined if there are none or too many.
 */
export function findIdsByName(index: IndexFile, kind: NamedKind, text: string): string[] | undefined {
  const match = formatExactMatch(text);
  if (match === '') return undefined;
  const { first, last } = getKeyRange(kind);
  const selection = index.prepare(`select id from posting join record on n = posting.rowid
    where posting match ? and posting.rowid between ? and ? limit ?`);
  const rows = guard(() => selection.all(match, first, last, maxNamed + 1)) as { id: string }[]; // the column
  return rows.length > 0 && rows.length <= maxNamed ? rows.map(({ id }) => id) : undefined;
}

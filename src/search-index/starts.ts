import type { Sqlite } from '../sqlite/engine.ts';
import { checkIndex, getKeyRange } from './index-file.ts';

/** A record whose name or first address begins with a text. */
export interface NamedRow {
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
  kind: 'contacts' | 'organizations',
  pattern: string,
  limit: number,
): readonly NamedRow[] {
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
    .all(first, last, pattern, limit) as NamedRow[]; // the columns of the statement
}

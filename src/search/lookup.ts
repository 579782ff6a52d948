import { foldText } from '../values/fold.ts';
import { getKeyRange, guard, type IndexFile } from './index/index-file.ts';
import { expandText } from './index/text-compression.ts';
import type { Kind } from './kinds.ts';
import { formatPhrase, splitFolded } from './words.ts';

type NamedKind = Extract<Kind, 'contacts' | 'organizations'>;
type NamedId = readonly [id: string, name: string];
type Statements = Pick<IndexFile, 'prepare'>;

/** A record as the index describes it. */
interface IndexedRecord {
  readonly id: string;
  /** Empty if the index contains no texts. */
  readonly name: string;
  /** Its email addresses or domains, then its other texts. */
  readonly texts: readonly string[];
}

/** Returns the names of records by id; empty for an index without texts. */
export const readTitles = (index: Statements, kind: NamedKind, ids: Iterable<string>): NamedId[] =>
  Array.from(ids).flatMap((id) =>
    select(index, kind, "id = ? and title > ''", id).map(({ name }): NamedId => [id, name]),
  );

/** Returns the names of contacts by lower-case email address; empty for an index without texts. */
export function readNamesByEmail(index: Statements, emails: Iterable<string>): NamedId[] {
  return Array.from(emails).flatMap((email): NamedId[] => {
    const hasEmail = ({ texts }: IndexedRecord) => texts.some((text) => text.toLowerCase() === email);
    const match = selectNamed(index, 'contacts', email).find(hasEmail);
    return match && match.name !== '' ? [[email, match.name]] : [];
  });
}

/** Maximum number of records that may have a name. If there are more, the list is read instead. */
const maxNamed = 8;

/**
 * Returns the ids of the records that contain the words of a name or, for an organization, of a domain. Undefined if
 * there are no matches or too many.
 */
export function findIdsByName(index: Statements, kind: NamedKind, text: string): string[] | undefined {
  const records = selectNamed(index, kind, text);
  return records.length > 0 && records.length <= maxNamed ? records.map(({ id }) => id) : undefined;
}

/** Selects the records that have the words of a text in `title` or `about`. */
function selectNamed(index: Statements, kind: NamedKind, text: string): IndexedRecord[] {
  const parts = splitFolded(foldText(text));
  if (parts.length === 0) return [];
  const { first, last } = getKeyRange(kind);
  const matching = `select rowid from words where words match ? and rowid between ${first} and ${last} limit ?`;
  return select(index, kind, `n in (${matching})`, `{title about} : ${formatPhrase(parts)}`, maxNamed + 1);
}

function select(
  index: Statements,
  kind: NamedKind,
  condition: string,
  ...values: readonly unknown[]
): IndexedRecord[] {
  const { first, last } = getKeyRange(kind);
  const sql = `select id, title, content from record where n between ${first} and ${last} and ${condition}`;
  return guard(() => {
    const rows = index.prepare(sql).all(...values) as {
      id: string;
      title: string | null;
      content: string | Uint8Array | null;
    }[]; // the columns of the statement
    return rows.map(({ id, title, content }) => ({
      id,
      name: title ?? '',
      texts: expandText(content ?? '').split('\n'),
    }));
  });
}

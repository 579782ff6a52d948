import { normalizeEmail } from '../values/domain.ts';
import { foldText } from '../values/fold.ts';
import { formatFullName } from '../values/record-names.ts';
import { getKeyRange, guard, type IndexFile } from './index/index-file.ts';
import { expandText } from './index/text-compression.ts';
import type { Kind } from './kinds.ts';
import { formatMatch, parseNamePart } from './query.ts';
import { formatPhrase, splitFolded } from './words.ts';

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

interface AddressRow {
  readonly title: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly organization_id: string | null;
}

/** Returns the names of records by id; empty for an index without texts. */
export const readTitles = (index: Statements, kind: Kind, ids: Iterable<string>): NamedId[] =>
  Array.from(ids).flatMap((id) =>
    select(index, kind, "id = ? and title > ''", id).map(({ name }): NamedId => [id, name]),
  );

/** Returns the contacts who have email addresses; without those whose name an index without texts does not have. */
export function readContactsByEmail(index: Statements, emails: Iterable<string>) {
  const selection = index.prepare(
    'select title, first_name, last_name, organization_id from contact_address join record using (n) ' +
      'where email = ? order by n limit 1',
  );
  return Array.from(emails).flatMap((email) => {
    const contact = guard(() => selection.get(normalizeEmail(email))) as AddressRow | undefined; // the columns of the statement
    const name = contact && (contact.title || formatFullName(contact.first_name, contact.last_name));
    return name ? [[email, { name, organizationId: contact.organization_id ?? undefined }] as const] : [];
  });
}

/** Maximum number of records that may have a name. If there are more, the list is read instead. */
const maxNamesakes = 8;

/** How a text is compared with names: all of its words in order, or each as the beginning of a word. */
export type NameComparison = 'whole' | 'part';

/**
 * Returns the ids of the records whose name, email address or domain has the words of a text; undefined if there are too
 * many.
 */
export function findIdsByName(
  index: Statements,
  kind: Kind,
  text: string,
  comparison: NameComparison,
): string[] | undefined {
  const match = comparison === 'whole' ? formatName(text) : formatNamePart(text);
  const records = selectNamed(index, kind, match);
  return records.length <= maxNamesakes ? records.map(({ id }) => id) : undefined;
}

/** Returns the entries whose list, key or status has the words of a key; empty if there are too many. */
export function findEntriesByKey(
  index: Statements,
  key: string,
): readonly { readonly id: string; readonly list_id: string }[] {
  const { first, last } = getKeyRange('entries');
  const match = formatName(key);
  if (match === '') return [];
  const sql =
    'select id, parent as list_id from record where parent is not null and n in (select rowid from words ' +
    `where words match ? and rowid between ${first} and ${last} limit ${maxNamesakes + 1})`;
  const rows = guard(() => index.prepare(sql).all(`{about} : (${match})`)) as {
    id: string;
    list_id: string;
  }[];
  return rows.length <= maxNamesakes ? rows : [];
}

/** Formats the words of a name as an FTS5 phrase; empty if it has none. */
function formatName(text: string): string {
  const parts = splitFolded(foldText(text));
  return parts.length === 0 ? '' : formatPhrase(parts);
}

function formatNamePart(text: string): string {
  const terms = parseNamePart(text);
  return terms.length === 0 ? '' : formatMatch(terms);
}

/** Selects the records whose names match an FTS5 expression. The `about` of a meeting is its summary. */
function selectNamed(index: Statements, kind: Kind, match: string): IndexedRecord[] {
  if (match === '') return [];
  const { first, last } = getKeyRange(kind);
  const columns = kind === 'meetings' ? 'title' : 'title about';
  const matching = `select rowid from words where words match ? and rowid between ${first} and ${last} limit ?`;
  return select(index, kind, `n in (${matching})`, `{${columns}} : (${match})`, maxNamesakes + 1);
}

function select(
  index: Statements,
  kind: Kind,
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

import { ids } from '../service/db/ids.ts';
import type { Sqlite } from '../sqlite/engine.ts';
import { formatFullName } from '../values/record-names.ts';
import {
  type Candidate,
  createStartPattern,
  maxRecords,
  startsWith,
  type WorkspaceNames,
} from './workspace.ts';

/** Returns the names in an open workspace file. */
export function createFileNames(sqlite: Sqlite): WorkspaceNames {
  return {
    find: (kind, start) =>
      kind === 'contacts'
        ? [...findContacts(sqlite, start), ...findEmails(sqlite, start)]
        : [...findOrganizations(sqlite, start), ...findDomains(sqlite, start)],
    lists() {
      const fields = sqlite
        .prepare('select list_id, name, options from list_field order by id')
        .all() as FieldRow[];
      const lists = sqlite.prepare('select id, name, statuses from list order by id').all() as ListRow[];
      return lists.map(({ id, name, statuses }) => ({
        id: ids.list.encode(id),
        name,
        statuses: parseArray<{ name: string }>(statuses).map((status) => status.name),
        fields: fields.filter(({ list_id }) => list_id === id).map(toField),
      }));
    },
    customFields() {
      const rows = sqlite.prepare('select model, name, options from custom_field order by id').all();
      return (rows as FieldRow[]).map(toField);
    },
    close: () => sqlite.close(),
  };
}

// The columns of the statements.
interface FieldRow {
  readonly list_id: number;
  readonly model?: string;
  readonly name: string;
  readonly options: string;
}

interface ListRow {
  readonly id: number;
  readonly name: string;
  readonly statuses: string | null;
}

interface ContactRow {
  readonly first: string;
  readonly last: string;
  readonly detail: string | null;
}

const toField = ({ model, name, options }: FieldRow) => ({
  model,
  name,
  options: parseArray<string>(options),
});

const parseArray = <T>(json: string | null): readonly T[] => JSON.parse(json ?? '[]');

/**
 * Finds contacts by their name with either part first, as references accept it. The newest come first. The first letter
 * alone excludes most contacts in a third of the time.
 */
function findContacts(sqlite: Sqlite, start: string): Candidate[] {
  const [firstLetter = ''] = start;
  const rows = sqlite
    .prepare(
      `select first, last, (select email from contact_email where contact_id = id order by position) as detail from (
        select id, coalesce(first_name, '') as first, coalesce(last_name, '') as last from contact
        where first_name like ?2 escape '\\' or last_name like ?2 escape '\\'
      ) where (first || ' ' || last like ?1 escape '\\' or last || ' ' || first like ?1 escape '\\'
        or last || first like ?1 escape '\\')
      order by id desc limit ?3`,
    )
    .all(createStartPattern(start), createStartPattern(firstLetter), maxRecords) as ContactRow[];
  return rows.flatMap(({ first, last, detail }) => {
    const names = [formatFullName(first, last), `${first} ${last}`, `${last} ${first}`];
    const text = names.map((name) => name.trim()).find((name) => name !== '' && startsWith(name, start));
    return text === undefined ? [] : [{ text, description: detail ?? '' }];
  });
}

function findEmails(sqlite: Sqlite, start: string): Candidate[] {
  if (start === '') return [];
  const rows = sqlite
    .prepare(
      `select email, first_name as first, last_name as last from contact_email join contact on id = contact_id
      where folded >= ? and folded < ? order by folded limit ?`,
    )
    .all(...createRange(start), maxRecords) as (ContactRow & { readonly email: string })[];
  return rows.map(({ email, first, last }) => ({ text: email, description: formatFullName(first, last) }));
}

function findOrganizations(sqlite: Sqlite, start: string): Candidate[] {
  return sqlite
    .prepare(
      `select name as text, coalesce((
        select domain from organization_domain where organization_id = id order by position
      ), '') as description from organization where name like ? escape '\\' order by id desc limit ?`,
    )
    .all(createStartPattern(start), maxRecords) as Candidate[];
}

function findDomains(sqlite: Sqlite, start: string): Candidate[] {
  if (start === '') return [];
  return sqlite
    .prepare(
      `select domain as text, coalesce(name, '') as description from organization_domain
      join organization on id = organization_id where domain >= ? and domain < ? order by domain limit ?`,
    )
    .all(...createRange(start), maxRecords) as Candidate[];
}

/** Returns the bounds of the folded texts that begin with a text. */
const createRange = (start: string) => [start.toLowerCase(), `${start.toLowerCase()}\u{10ffff}`];

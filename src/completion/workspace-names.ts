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

/** Finds contacts by their name with either part first, as references accept it. The newest come first. */
function findContacts(sqlite: Sqlite, start: string): Candidate[] {
  const like = String.raw`like ? escape '\'`;
  const conditions = [`first_name ${like} or last_name ${like}`];
  const values = [createStartPattern(start), createStartPattern(start)];
  for (const { whole, rest, isSpaced } of splitName(start)) {
    conditions.push(`last_name = ? collate nocase and first_name ${like}`);
    values.push(whole, createStartPattern(rest));
    if (!isSpaced) continue;
    conditions.push(`first_name = ? collate nocase and last_name ${like}`);
    values.push(whole, createStartPattern(rest));
  }
  const rows = sqlite
    .prepare(
      `select coalesce(first_name, '') as first, coalesce(last_name, '') as last,
        (select email from contact_email where contact_id = id order by position) as detail
      from contact where ${conditions.join(' or ')}
      order by id desc limit ?`,
    )
    .all(...values, maxRecords) as ContactRow[];
  return rows.flatMap(({ first, last, detail }) => {
    const names = [formatFullName(first, last), `${first} ${last}`, `${last} ${first}`];
    const text = names.map((name) => name.trim()).find((name) => name !== '' && startsWith(name, start));
    return text === undefined ? [] : [{ text, description: detail ?? '' }];
  });
}

/** A name that is split where one part may end and the other begin. */
interface SplitName {
  readonly whole: string;
  readonly rest: string;
  readonly isSpaced: boolean;
}

/** Maximum number of places at which a typed name is split. */
const maxSplits = 4;

/** Splits the beginning of a name at each space; a Korean, Chinese or Japanese one, which needs none, after each letter. */
function splitName(start: string): SplitName[] {
  const isUnspaced = /^[\p{Script=Hangul}\p{Script=Han}]+$/u.test(start);
  const splits = Array.from(start.matchAll(isUnspaced ? /(?<=.)(?=.)/gu : / /g), ({ index }) => ({
    whole: start.slice(0, index),
    rest: start.slice(isUnspaced ? index : index + 1),
    isSpaced: !isUnspaced,
  }));
  return splits.slice(0, maxSplits);
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

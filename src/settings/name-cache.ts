import { closeSync, existsSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ListedNoun } from '../contract/singular-nouns.ts';
import { isTrustedFile, isTrustedFolder } from '../files/trusted-folder.ts';
import { type ResolvedIdentity, toWorkspaceName } from '../files/workspace-identity.ts';
import { loadSqlite, type Sqlite } from '../sqlite/engine.ts';
import { readResultCode } from '../sqlite/result-codes.ts';
import { type Environment, resolveCacheFolder, resolveSettingsFolder } from './paths.ts';

/** A custom field or a field of a list. */
export interface FieldName {
  readonly name: string;
  /** The kind of records that have a custom field, such as `contact`. */
  readonly model?: string | undefined;
  /** The values of a select field. */
  readonly options?: readonly string[];
}

export interface NamedRecord {
  readonly id: string;
  /** The usual name, then its other forms; the key of an entry, the id of a note. */
  readonly names: readonly string[];
  /** A text that distinguishes an entry, a meeting or a note from others. */
  readonly description?: string;
  /** The id of an entry's list. */
  readonly list?: string;
  /** The email addresses of a contact, or the domains of an organization. */
  readonly addresses?: readonly string[];
  /** The prefix of the keys of a process's entries. */
  readonly identifier?: string;
  /** The names of the statuses of a process. */
  readonly statuses?: readonly string[];
  /** The fields of a list, or the custom field itself. */
  readonly fields?: readonly FieldName[];
}

/** The records of a response, and the ids of deleted records. */
export interface NameChange {
  readonly noun: ListedNoun;
  readonly records: readonly NamedRecord[];
  readonly deletedIds?: readonly string[];
  /** Whether the workspace has no other records of the noun. */
  readonly isAll?: boolean;
}

export interface NameCache {
  readonly env: Environment;
  readonly workspace: ResolvedIdentity;
}

/** Milliseconds to wait for another process. Short, because a person is waiting. */
const lockTimeout = { read: 10, write: 100 };

/** Maximum number of bytes to map into memory instead of copying. */
const mappedSize = 2 ** 28;

/** The version of the schema. The next write replaces a cache of another version. */
const formatVersion = 1;

/** `keys` are the names and addresses in lower case, each after a line break. */
const schema = `
  drop table if exists name;
  create table name (
    n integer primary key, noun text not null, id text not null, keys text not null, record text not null,
    unique (noun, id)
  );
  pragma user_version = ${formatVersion};`;

export const resolveNameFile = ({ env, workspace }: NameCache) =>
  join(resolveCacheFolder(env), `names-${toWorkspaceName(workspace)}.db`);

/** Returns all records of a noun, in the order in which they were first seen. */
export function listNamedRecords(cache: NameCache, noun: ListedNoun): readonly NamedRecord[] {
  return select(cache, 'name where noun = ? order by n', noun);
}

/** Returns the records with a name or address that begins with a text, in any case. The newest come first. */
export function findNames(cache: NameCache, noun: ListedNoun, start: string, limit: number, list?: string) {
  return select(
    cache,
    // In table order, because looking up each row by an index takes twice as long.
    `name not indexed where noun = ? and instr(keys, ?) ${list === undefined ? '' : "and record ->> 'list' = ?"}
      order by n desc limit ?`,
    ...[noun, formatKeys([start]), ...(list === undefined ? [] : [list]), limit],
  );
}

const formatKeys = (texts: readonly string[]) => texts.map((text) => `\n${text.toLowerCase()}`).join('');

function isCurrent(sqlite: Sqlite): boolean {
  const row = sqlite.prepare('pragma user_version').get() as { user_version: number };
  return row.user_version === formatVersion;
}

/** Returns no records if the cache cannot be read, because nothing depends on it. */
function select(cache: NameCache, selection: string, ...values: unknown[]): NamedRecord[] {
  try {
    const path = resolveNameFile(cache);
    if (!isUsable(path) || !existsSync(path)) return [];
    const sqlite = new (loadSqlite())(path, { readOnly: true });
    try {
      sqlite.exec(
        `pragma busy_timeout = ${lockTimeout.read}; pragma trusted_schema = off; pragma mmap_size = ${mappedSize}`,
      );
      if (!isCurrent(sqlite)) return [];
      const rows = sqlite.prepare(`select record from ${selection}`).all(...values);
      return (rows as { record: string }[]).map(({ record }) => JSON.parse(record)); // the format of `applyChange`
    } finally {
      sqlite.close();
    }
  } catch {
    return [];
  }
}

/** Writes changes. Errors are ignored, because nothing depends on the cache. */
export function writeNames(cache: NameCache, changes: readonly NameChange[]) {
  // If no settings exist, as in a cron job with a key in its environment, nobody uses completion.
  if (!existsSync(resolveSettingsFolder(cache.env))) return;
  const path = resolveNameFile(cache);
  try {
    if (!isUsable(path)) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
    const sqlite = new (loadSqlite())(path);
    try {
      sqlite.exec(`pragma busy_timeout = ${lockTimeout.write}; pragma synchronous = off; begin immediate`);
      if (!isCurrent(sqlite)) sqlite.exec(schema);
      for (const change of changes) applyChange(sqlite, change);
      sqlite.exec('commit');
    } finally {
      sqlite.close();
    }
  } catch (error) {
    const [damaged, foreign] = [11, 26];
    if ([damaged, foreign].includes(readResultCode(error) ?? 0)) rmSync(path, { force: true });
  }
}

function applyChange(sqlite: Sqlite, { noun, records, deletedIds = [], isAll }: NameChange): void {
  const rows = records.map((record) => ({
    id: record.id,
    keys: formatKeys([...record.names, ...(record.addresses ?? [])]),
    record: JSON.stringify(record),
  }));
  const json = JSON.stringify(rows);
  // One statement for all records, because one call per record takes longer.
  sqlite
    .prepare(
      `insert into name (noun, id, keys, record)
      select ?, value ->> 'id', value ->> 'keys', value ->> 'record' from json_each(?) where true
      on conflict (noun, id) do update set keys = excluded.keys, record = excluded.record
      where record is not excluded.record`,
    )
    .run(noun, json);
  if (isAll)
    sqlite
      .prepare(`delete from name where noun = ? and id not in (select value ->> 'id' from json_each(?))`)
      .run(noun, json);
  for (const id of deletedIds) sqlite.prepare('delete from name where noun = ? and id = ?').run(noun, id);
}

/** Whether no other user can have written the file. */
function isUsable(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return isTrustedFolder(dirname(path)) && (!stats || isTrustedFile(stats));
}

import { lstatSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { createFile } from '../../files/atomic-write.ts';
import { findUntrusted, isTrustedFile, isTrustedFolder } from '../../files/trusted-folder.ts';
import { type ResolvedIdentity, toWorkspaceName } from '../../files/workspace-identity.ts';
import { loadSqlite, type Sqlite, type Statement } from '../../sqlite/engine.ts';
import { readResultCode } from '../../sqlite/result-codes.ts';
import { quoteShellWord } from '../../values/text.ts';
import { type Kind, kinds } from '../kinds.ts';

/** The version of the schema and of the folding. An index of another version is rebuilt. */
const formatVersion = 6;

/** Milliseconds to wait for a transaction of another process. */
const lockTimeout = 5000;

/**
 * `n` identifies a record in every table; its upper bits are the kind. `stamp` is a hash of the source, so that unchanged
 * records are not written again. `title`, `place`, `key` and `content` are null if kith reads the texts from the
 * workspace. `words` has the folded texts, whose tokens are ready: `ascii` only splits at spaces and punctuation.
 * `meeting_items` has each meeting that has, or had, action items, or has an unfinished recording. `action_item` has the
 * texts for every workspace, because a list of action items would otherwise read all recordings. `relation` finds the
 * records of an organization, a contact or an address of an attendee, and the recordings of a meeting, without reading
 * lists.
 */
const schema = `
  create table meta (key text primary key, value) without rowid;
  create table record (
    n integer primary key, id text not null, parent text, at integer not null, stamp integer not null,
    title text, place text, key text, content blob
  );
  create index record_id on record (id);
  create virtual table words using fts5 (
    title, about, body, content = '', contentless_delete = 1, prefix = '3', tokenize = 'ascii'
  );
  create table contact_address (
    n integer not null, email text not null, first_name text not null, last_name text not null,
    organization_id text, primary key (n, email)
  ) without rowid;
  create index contact_address_email on contact_address (email);
  create table meeting_items (
    n integer primary key, id text not null, at integer not null, title text not null, start_at text not null,
    attendees text not null, is_complete integer not null
  );
  create index meeting_items_at on meeting_items (at, n);
  create index meeting_items_id on meeting_items (id);
  create table action_item (
    n integer not null, position integer not null, id text not null, text text not null,
    primary key (n, position)
  ) without rowid;
  create index action_item_id on action_item (id);
  create table relation (
    kind text not null, id text not null, at integer not null, n integer not null, primary key (kind, id, at, n)
  ) without rowid;
  create index relation_n on relation (n);
  create index relation_at on relation (at, n) where kind = 'attendee';
  insert into words (words, rank) values ('hashsize', 8388608);
  pragma user_version = ${formatVersion};`;

export const resolveIndexFile = (cacheFolder: string, workspace: ResolvedIdentity) =>
  join(cacheFolder, `search-${toWorkspaceName(workspace)}.sqlite`);

/** An open index. */
export class IndexFile {
  readonly path: string;
  readonly sqlite: Sqlite;
  readonly #statements = new Map<string, Statement>();

  constructor(path: string) {
    this.path = path;
    this.sqlite = guard(() => new (loadSqlite())(path));
    guard(() =>
      this.sqlite.exec(
        `pragma busy_timeout = ${lockTimeout}; pragma synchronous = normal; pragma trusted_schema = off`,
      ),
    );
  }

  /** Prepares a statement once. @throws {UnusableIndexError} if the index has another schema */
  prepare(sql: string): Pick<Statement, 'all' | 'get'> {
    const statement = this.#statements.get(sql) ?? guard(() => this.sqlite.prepare(sql));
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs a statement. `Statement.run` would fail on the row ids that FTS5 creates: they exceed the safe integers. */
  run(sql: string, ...values: unknown[]): void {
    this.prepare(sql).all(...values);
  }

  transaction(work: () => void): void {
    this.sqlite.exec('begin immediate');
    try {
      work();
      this.sqlite.exec('commit');
    } catch (error) {
      try {
        this.sqlite.exec('rollback');
      } catch {
        // SQLite has done so itself, for example on a full disk.
      }
      throw error;
    }
  }

  close(): void {
    this.sqlite.close();
  }
}

/** The file is not an index in this format, or is damaged. It can be rebuilt. */
export class UnusableIndexError extends Error {
  override readonly name = 'UnusableIndexError';
}

/** @throws {Failure} failed if other users can write to the folder of an index: they could read and change it */
export function checkIndexFolder(folder: string): void {
  const untrusted = findUntrusted(folder);
  if (untrusted === undefined) return;
  const isOurs = lstatSync(untrusted).uid === process.getuid?.();
  const reason = isOurs ? `other users can write to ${untrusted}` : `${untrusted} belongs to another user`;
  throw new Failure('failed', `Cannot use the search index in ${folder}: ${reason}.`, {
    hint: isOurs
      ? `chmod go-w ${quoteShellWord(untrusted)}`
      : 'Set XDG_CACHE_HOME to a folder that only you can write to; KITH_CONFIG_DIR overrides it.',
  });
}

/** Opens an index if it exists. @throws {UnusableIndexError} if it cannot be used */
export function openIndex(path: string): IndexFile | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // A link is never followed: the texts would be written to another file.
  if (!isTrustedFolder(dirname(path)) || (stats && !isTrustedFile(stats)))
    throw new UnusableIndexError('Other users can change the index, or it is not a file.');
  if (!stats?.size) return undefined;
  const index = new IndexFile(path);
  try {
    const row = guard(() => index.prepare('pragma user_version').get()) as { user_version: number };
    if (row.user_version !== formatVersion) throw new UnusableIndexError('It has another format.');
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}

/** Creates an empty index in a folder that exists, readable by its owner only. The caller must have the lock for writers. */
export function createIndex(path: string): IndexFile {
  removeIndex(path);
  createFile(path, 0o600);
  const index = new IndexFile(path);
  index.sqlite.exec('pragma auto_vacuum = incremental; pragma journal_mode = wal');
  index.transaction(() => index.sqlite.exec(schema));
  return index;
}

/** Removes the file of an index and SQLite's files next to it. Returns whether the index existed. */
export function removeIndex(path: string): boolean {
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
  return exists;
}

/** Runs work on an index. @throws {UnusableIndexError} for any error of SQLite except a full disk or a lock */
export function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toIndexError(error);
  }
}

/** Result codes of SQLite for an index that may be intact, with the reason why it cannot be used now. */
const temporaryReasons: Readonly<Record<number, string>> = {
  8: 'it or its folder is read-only',
  10: 'the disk reports an I/O error',
  13: 'no space left on its disk',
  14: 'it cannot be opened',
};

/** Converts an error of SQLite to an `UnusableIndexError`, or to a failure if rebuilding the index would not help. */
export function toIndexError(error: unknown): unknown {
  const code = readResultCode(error);
  if (code === undefined) return error;
  if (code === 5)
    return new Failure('busy', 'Another process is writing the search index.', { cause: error });
  const reason = temporaryReasons[code];
  if (reason === undefined) return new UnusableIndexError(getErrorMessage(error), { cause: error });
  return new Failure('failed', `Cannot use the search index: ${reason}.`, { cause: error });
}

interface Meta {
  /** The time at which the last update completed, in milliseconds since 1970. */
  readonly completed_at: number;
  /** The duration of that update, in milliseconds. */
  readonly duration: number;
  /** The state of the workspace file at that time. */
  readonly fingerprint: string;
  /** The time up to which updated meetings are indexed, in seconds by the clock of the service. */
  readonly meetings_until: number;
  /** The time of the last list of all meetings, in milliseconds since 1970. */
  readonly meetings_listed_at: number;
}

/** Reads a value about an index. */
export function readMeta<Name extends keyof Meta>(
  index: Pick<IndexFile, 'prepare'>,
  name: Name,
): Meta[Name] | undefined {
  const row = guard(() => index.prepare('select value from meta where key = ?').get(name));
  return (row as { value: Meta[Name] } | undefined)?.value; // only writeMeta writes them
}

/** Writes a value about an index. */
export function writeMeta<Name extends keyof Meta>(index: IndexFile, name: Name, value: Meta[Name]): void {
  index.run('insert or replace into meta values (?, ?)', name, value);
}

/** The number of keys of a kind. */
const kindSize = 2 ** 32;

/** Returns the first and the last key of a kind. */
export function getKeyRange(kind: Kind): { readonly first: number; readonly last: number } {
  const first = kinds.indexOf(kind) * kindSize + 1;
  return { first, last: first + kindSize - 2 };
}

export const getKind = (n: number): Kind => kinds[Math.floor(n / kindSize)] ?? 'contacts';

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import sql, { join, raw } from 'sql-template-tag';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { CopiedRows } from '../../contract/workspace.ts';
import { formatDatabase, isDatabaseUrl } from '../../values/database-url.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Database, OpenDatabase } from '../db/database.ts';
import { insertRows } from '../db/statements.ts';
import {
  formatRow,
  listNumberedTables,
  listTablesToCopy,
  listWrittenColumns,
  type TableToCopy,
} from './copy-tables.ts';

/** The steps of a copy that differ between the engines. They run in the transactions of the copy. */
export interface CopyEngine {
  /** Returns the highest id that each table has ever used. */
  readLastIds(db: Database, tables: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Locks the tables of a target, and suspends the triggers that refuse some rows. */
  prepare(db: Database, tables: readonly string[]): Promise<void>;
  /** Makes the engine plan its statements again, because plans for tables with few rows scan them. */
  updatePlans(db: Database, tables: readonly string[]): Promise<void>;
  /** Completes the columns of the suspended triggers, and sets the next ids after the highest ones. */
  finish(db: Database, lastIds: ReadonlyMap<string, number>): Promise<void>;
}

/** An open workspace and its location. */
export interface Place {
  readonly db: OpenDatabase;
  readonly location: string;
}

type Cells = Readonly<Record<string, unknown>>;

interface Digest {
  readonly rows: number;
  readonly hash: string;
}

const loadEngine = async (location: string): Promise<CopyEngine> =>
  isDatabaseUrl(location)
    ? (await import('./copy-postgres.ts')).postgresCopy
    : (await import('./copy-sqlite.ts')).sqliteCopy;

/** Receives the number of copied or compared rows, and the number of all rows. */
export type CopyReport = (phase: 'copy' | 'compare', rows: number, total: number) => void;

/**
 * Copies a workspace into an empty one, in one transaction, and compares all rows before it is committed. Returns the number of rows of each table.
 * @throws {Failure} `failed` if the target has records or API keys, or a row cannot be stored or differs afterwards
 */
export async function copyWorkspace(
  from: Place,
  to: Place,
  report: CopyReport = () => {},
): Promise<CopiedRows[]> {
  const tables = listTablesToCopy();
  const numbered = listNumberedTables();
  const source = await loadEngine(from.location);
  return fillEmpty(to, async (writer) => {
    await writer.run(sql`delete from workspace`);
    const digests = new Map<string, Digest>();
    let total = 0;
    const createCounter = (phase: Parameters<CopyReport>[0]) => {
      let rows = 0;
      return (more: number) => {
        rows += more;
        report(phase, rows, total);
      };
    };
    const copyTables = async (reader: Database) => {
      for (const { name } of tables) total += await countRows(reader, name);
      const count = createCounter('copy');
      for (const table of tables)
        digests.set(table.name, await copyTable(reader, table, writeRows(writer, to, table, count)));
      return source.readLastIds(reader, numbered);
    };
    const lastIds = await from.db.longSnapshot(copyTables).catch((error) => {
      throw from.db.toFailure(error, from.location) ?? error;
    });
    const check = async () => {
      const count = createCounter('compare');
      for (const table of tables) {
        const rowCount = await copyTable(writer, table, async ({ length }) => count(length));
        const read = digests.get(table.name);
        if (rowCount.rows === read?.rows && rowCount.hash === read.hash) continue;
        throw new Failure('failed', `The rows of ${table.name} differ after the copy; nothing was copied.`);
      }
      return tables.map(({ name }) => ({ table: name, rows: digests.get(name)?.rows ?? 0 }));
    };
    return { lastIds, check };
  });
}

/** A filled workspace that is not committed yet. */
interface Filled<T> {
  /** The highest id that each table has ever used. */
  readonly lastIds: ReadonlyMap<string, number>;
  /** Checks the rows before they are committed. */
  readonly check: () => Promise<T>;
}

/**
 * Fills an empty workspace in one transaction. `mayHaveKeys`: whether it may have API keys, which stay.
 * @throws {Failure} `failed` if it has records
 */
export async function fillEmpty<T>(
  { db, location }: Place,
  fill: (writer: Database, updatePlans: () => Promise<void>) => Promise<Filled<T>>,
  mayHaveKeys = false,
): Promise<T> {
  const engine = await loadEngine(location);
  const names = listTablesToCopy().map(({ name }) => name);
  return db.transaction(async (writer) => {
    await engine.prepare(writer, names);
    // Ids of deleted records may remain.
    await writer.run(sql`delete from foreign_id`);
    const emptyNames = names.filter((name) => name !== 'workspace' && !(mayHaveKeys && name === 'api_key'));
    await checkEmpty(writer, emptyNames, location);
    const { lastIds, check } = await fill(writer, () => engine.updatePlans(writer, names));
    await engine.finish(writer, lastIds);
    return check();
  });
}

/** @throws {Failure} `usage` if two locations are the same file or URL */
export async function checkDifferent(from: string, to: string): Promise<void> {
  const [source, target] = await Promise.all([findPlace(from), findPlace(to)]);
  if (source === undefined || source !== target) return;
  throw new Failure('usage', `FROM and TO are the same workspace: ${formatDatabase(to)}`);
}

/** Returns the identity of a file under any name; undefined if the file does not exist. */
async function findPlace(location: string): Promise<string | undefined> {
  if (isDatabaseUrl(location)) return formatDatabase(location).replace(/^postgresql:/, 'postgres:');
  const file = await stat(location, { bigint: true }).catch(() => undefined);
  return file && `${file.dev} ${file.ino}`;
}

/** @throws {Failure} `failed` unless the tables are empty */
async function checkEmpty(db: Database, names: readonly string[], location: string): Promise<void> {
  for (const name of names) {
    if ((await db.first(sql`select 1 as found from ${raw(name)} limit 1`)) === undefined) continue;
    const rows = name === 'api_key' ? 'API keys' : 'records';
    throw new Failure(
      'failed',
      `${formatDatabase(location)} has ${rows}; the target of a copy must be empty.`,
      {
        hint: isDatabaseUrl(location)
          ? 'Use an empty database: createdb NAME'
          : `Use another file, or move this one away: mv ${quoteShellWord(location)} ${quoteShellWord(`${location}.old`)}`,
      },
    );
  }
}

/** Passes the rows of a table to `write` in batches. Returns their number and the hash of their values. */
async function copyTable(
  db: Database,
  table: TableToCopy,
  write: (rows: readonly Cells[]) => Promise<void>,
): Promise<Digest> {
  const hash = createHash('sha256');
  const key = table.key.join(', ');
  const order = sql`order by ${raw(key)} limit ${table.batch}`;
  let last: Cells | undefined;
  let count = 0;
  for (;;) {
    const end = last;
    const bound = end ? sql`where (${raw(key)}) > (${join(table.key.map((column) => end[column]))})` : sql``;
    const rows = await db.all<Cells>(sql`select * from ${raw(table.name)} ${bound} ${order}`);
    for (const row of rows) hash.update(`${formatRow(row)}\n`);
    if (rows.length > 0) await write(rows);
    count += rows.length;
    last = rows.at(-1);
    if (rows.length < table.batch) break;
  }
  if ((await countRows(db, table.name)) !== count)
    throw new Failure('failed', `Rows of ${table.name} have the same ${key}.`);
  return { rows: count, hash: hash.digest('hex') };
}

async function countRows(db: Database, table: string): Promise<number> {
  return (await db.first<{ rows: number }>(sql`select count(*) as rows from ${raw(table)}`))?.rows ?? 0;
}

/** Returns the function that writes rows of a table. @throws {Failure} `failed` for a row that the engine refuses */
const writeRows =
  (writer: Database, { db, location }: Place, { name }: TableToCopy, count: (rows: number) => void) =>
  async (rows: readonly Cells[]): Promise<void> => {
    try {
      await insertRows(writer, name, rows, listWrittenColumns(rows[0] ?? {}));
    } catch (error) {
      const message = `${formatDatabase(location)} cannot store the rows of ${name}: ${getErrorMessage(error)}.`;
      throw db.toFailure(error, location) ?? new Failure('failed', message, { cause: error });
    }
    count(rows.length);
  };

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import sql, { join, raw } from 'sql-template-tag';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { CopiedRows } from '../../contract/workspace.ts';
import { formatDatabase, isDatabaseUrl } from '../../values/database-url.ts';
import type { Database } from '../db/database.ts';
import { insertRows } from '../db/statements.ts';
import {
  formatRow,
  listNumberedTables,
  listTablesToCopy,
  listWrittenColumns,
  type TableToCopy,
} from './copy-tables.ts';
import { fillEmpty, getEngine, type Place } from './fill-empty.ts';

type Cells = Readonly<Record<string, unknown>>;

interface Digest {
  readonly rows: number;
  readonly hash: string;
}

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
      return getEngine(from.location).readLastIds(reader, listNumberedTables());
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

import sql, { raw } from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import { formatDatabase, isDatabaseUrl } from '../../values/database-url.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Database, OpenDatabase } from '../db/database.ts';
import { listTablesToCopy } from './copy-tables.ts';

/** The steps of a copy that differ between the engines. They run in the transactions of the copy. */
interface CopyEngine {
  /** Returns the highest id that each table has ever used. */
  readLastIds(db: Database, tables: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Locks the tables of a target, and suspends the triggers that refuse some rows. */
  prepare(db: Database, tables: readonly string[]): Promise<void>;
  /** Makes the engine plan its statements again, because plans for tables with few rows scan them. */
  updatePlans(db: Database, tables: readonly string[]): Promise<void>;
  /** Completes the columns of the suspended triggers, and sets the next ids after the highest ones. */
  finish(db: Database, lastIds: ReadonlyMap<string, number>): Promise<void>;
}

const sqliteCopy: CopyEngine = {
  async readLastIds(db) {
    const rows = await db.all<{ name: string; id: number }>(sql`select name, seq as id from sqlite_sequence`);
    return new Map(rows.map(({ name, id }) => [name, id]));
  },
  async prepare() {
    // The transaction locks the file, and no trigger refuses rows.
  },
  async updatePlans() {
    // Without statistics, SQLite always uses an index.
  },
  async finish(db, lastIds) {
    for (const [name, id] of lastIds) {
      await db.run(sql`insert into sqlite_sequence (name, seq)
        select ${name}, 0 where not exists (select 1 from sqlite_sequence where name = ${name})`);
      await db.run(sql`update sqlite_sequence set seq = max(seq, ${id}) where name = ${name}`);
    }
  },
};

const postgresCopy: CopyEngine = {
  async readLastIds(db, tables) {
    const lastIds = new Map<string, number>();
    for (const name of tables) {
      const row = await db.first<{ id: number | null }>(
        sql`select pg_sequence_last_value(pg_get_serial_sequence(${name}, 'id')::regclass) as id`,
      );
      if (row?.id) lastIds.set(name, row.id);
    }
    return lastIds;
  },
  async prepare(db, tables) {
    // Other processes can read, but their writes wait.
    await db.run(sql`lock table ${raw(tables.join(', '))} in share row exclusive mode`);
    // This trigger would refuse the duplicates of a list that no longer allows them.
    await db.run(sql`alter table entry disable trigger entry_sole`);
  },
  async updatePlans(db, tables) {
    await db.run(sql`analyze ${raw(tables.join(', '))}`);
  },
  async finish(db, lastIds) {
    // The trigger `list_sole` does the same.
    await db.run(sql`update entry set sole_list_id = list_id where id in (
      select min(entry.id) from entry join list on list.id = list_id
      where duplicates_allowed is not true group by list_id, entryable_contact_id, entryable_organization_id)`);
    await db.run(sql`alter table entry enable trigger entry_sole`);
    for (const [name, id] of lastIds) {
      // Never decrease a sequence: it may be ahead because a copy was rolled back, or `id` may be behind the table.
      await db.first(sql`select setval(sequence, greatest(
          ${id}::bigint, pg_sequence_last_value(sequence), (select max(id) from ${raw(name)})))
        from (select pg_get_serial_sequence(${name}, 'id')::regclass as sequence) as numbers`);
    }
  },
};

export const getEngine = (location: string) => (isDatabaseUrl(location) ? postgresCopy : sqliteCopy);

/** An open workspace and its location. */
export interface Place {
  readonly db: OpenDatabase;
  readonly location: string;
}

/** A filled workspace that is not committed yet. */
interface Filled<T> {
  /** The highest id that each table has ever used. */
  readonly lastIds: ReadonlyMap<string, number>;
  /** Checks the rows before they are committed. */
  readonly check: () => Promise<T>;
}

/**
 * Fills an empty workspace in one transaction. `mayHaveKeys`: whether it may have API keys, which are kept.
 * @throws {Failure} `failed` if it has records
 */
export async function fillEmpty<T>(
  { db, location }: Place,
  fill: (writer: Database, updatePlans: () => Promise<void>) => Promise<Filled<T>>,
  mayHaveKeys = false,
): Promise<T> {
  const engine = getEngine(location);
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

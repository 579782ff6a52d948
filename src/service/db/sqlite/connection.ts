import { nextTick } from 'node:process';
import sql from 'sql-template-tag';
import type { Sqlite } from '../../../sqlite/engine.ts';
import { createSemaphore } from '../../../values/concurrency.ts';
import type { Database, OpenDatabase } from '../database.ts';
import { checkSchemaVersion } from '../migrations.ts';
import { createQueries, type Execute as Run } from '../render-sql.ts';
import { createLockedError, createLockedFailure, isLocked, toStorageFailure } from './errors.ts';
import { defaultLockTimeout } from './open-file.ts';
import { createStatementCache, type PreparedStatement, sqliteDialect } from './prepared-statements.ts';

/** Milliseconds between two attempts on a locked file. */
const retryInterval = 10;

/** Prepares a text and passes the statement to `run`. */
type Execute = <T>(text: string, run: (prepared: PreparedStatement) => T) => Promise<T>;

/** The database on a file that SQLite has opened, for one query or transaction at a time. */
export function createDatabase(
  sqlite: Sqlite,
  wasMigrated = false,
  lockTimeout = defaultLockTimeout,
): OpenDatabase {
  const prepare = createStatementCache(sqlite);
  const snapshot = createSnapshot(sqlite);
  const { isPauseDue, pause } = createPauses();
  const statements = createSemaphore(1);
  const requests = createSemaphore(1);
  let isTaken = false;
  let isClosed = false;
  let hasWritten = wasMigrated;
  /** Whether the latest attempt found the file locked. */
  let wasLocked = false;
  /** The end of the current write request's wait for a locked file, by the clock of `performance`. */
  let deadline: number | undefined;

  /**
   * Runs a statement that has the connection to itself, and repeats it while another process has locked the file. A
   * statement that finds the file locked has done nothing.
   */
  const executeAlone: Execute = async (text, run) => {
    snapshot.end();
    if (isPauseDue()) await pause();
    // Each version of Node.js has another message for this.
    if (isClosed) throw new Error('The workspace was closed while a query waited.');
    let end = deadline;
    for (;;) {
      try {
        const prepared = prepare(text);
        const result = run(prepared);
        hasWritten ||= !prepared.isRead;
        wasLocked = false;
        return result;
      } catch (error) {
        wasLocked = isLocked(error);
        end ??= performance.now() + lockTimeout;
        if (!wasLocked || performance.now() >= end) throw error;
        await new Promise((resolve) => void setTimeout(resolve, retryInterval));
        if (isClosed) throw error;
      }
    }
  };
  const takeTurn = <T>(work: () => Promise<T>): Promise<T> =>
    statements(async () => {
      isTaken = true;
      try {
        return await work();
      } finally {
        isTaken = false;
      }
    });
  /** Runs a statement outside of a transaction: a read at once if nothing else is running, and all others in turn. */
  const execute: Execute = async (text, run) => {
    if (!isTaken && !isClosed) {
      try {
        const prepared = prepare(text);
        if (prepared.isRead) {
          snapshot.begin();
          return run(prepared);
        }
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
    }
    return takeTurn(() => executeAlone(text, run));
  };
  const control = (text: string) => executeAlone(text, ({ statement }) => void statement.run());

  const inTransaction: Database = {
    ...createStatements(executeAlone),
    snapshot: (work) => work(inTransaction),
    transaction: (work) => work(inTransaction),
  };
  const runAfter = <T>(begin: string, work: (db: Database) => Promise<T>) =>
    takeTurn(async () => {
      await control(begin);
      try {
        const result = await work(inTransaction);
        await control('commit');
        return result;
      } catch (error) {
        rollBack(sqlite);
        throw error;
      }
    });
  const database: OpenDatabase = {
    ...createStatements(execute),
    snapshot: (work) => work(database), // `execute` begins a read transaction around reads without a wait
    longSnapshot: (work) => runAfter('begin', work),
    // IMMEDIATE, because no other process may write between the first read and the first write.
    transaction: (work) => runAfter('begin immediate', work),
    async readRequest(work) {
      if (isPauseDue()) await pause();
      try {
        return await work();
      } finally {
        snapshot.end();
      }
    },
    writeRequest(work) {
      const end = performance.now() + lockTimeout;
      return requests(async () => {
        // Each further attempt would delay later requests.
        if (wasLocked && performance.now() >= end) throw createLockedError();
        deadline = end;
        try {
          return await work();
        } finally {
          deadline = undefined;
          snapshot.end();
        }
      });
    },
    async checkSchema() {
      const row = await database.first<{ version: number }>(
        sql`select user_version as version from pragma_user_version`,
      );
      checkSchemaVersion('sqlite', row?.version);
    },
    toFailure: (error, file) => (isLocked(error) ? createLockedFailure() : toStorageFailure(error, file)),
    async close() {
      if (isClosed) return;
      isClosed = true;
      snapshot.end();
      if (isTaken) rollBack(sqlite);
      // So that a copy of the file without its -wal file has all changes. On a full disk they stay in the -wal file.
      if (hasWritten) ignoreErrors(() => sqlite.exec('pragma wal_checkpoint(passive)'));
      sqlite.close();
    },
  };
  return database;
}

const runs: Readonly<
  Record<Parameters<Run>[0], (prepared: PreparedStatement, parameters: readonly unknown[]) => unknown>
> = {
  all: ({ statement }, parameters) => statement.all(...parameters),
  first: ({ statement }, parameters) => statement.get(...parameters),
  run: ({ statement }, parameters) => Number(statement.run(...parameters).changes),
};

const createStatements = (execute: Execute) =>
  createQueries(sqliteDialect, (result, text, parameters) =>
    execute(text, (prepared) => runs[result](prepared, parameters)),
  );

/** Rolls back, unless SQLite has done so itself, for example on a full disk. */
export function rollBack(sqlite: Sqlite): void {
  ignoreErrors(() => sqlite.exec('rollback'));
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // The callers say why.
  }
}

/** A read transaction around queries that follow one another without a wait, so that they see one state of the file. */
function createSnapshot(sqlite: Sqlite) {
  const begin = sqlite.prepare('begin');
  const commit = sqlite.prepare('commit');
  let isOpen = false;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    ignoreErrors(() => void commit.run()); // SQLite ends it after a disk error; there was nothing to write
  };
  return {
    begin() {
      if (isOpen) return;
      begin.run();
      isOpen = true;
      // After all pending promise callbacks. A tick that the callback of an event schedules would run before them.
      void Promise.resolve().then(() => nextTick(end));
    },
    end,
  };
}

/** The number of queries before the first pause: short commands need not load Node's clock. */
const queriesWithoutPause = 8;

/** Milliseconds of queries after which the event loop has a turn. */
const pauseInterval = 50;

/** Pauses for signals and other requests. SQLite never waits, so a long transaction would block the event loop. */
function createPauses() {
  let last = 0;
  let queries = 0;
  return {
    /** Counts a query, and tells whether a pause is due before it. */
    isPauseDue() {
      queries += 1;
      return queries > queriesWithoutPause && performance.now() - last > pauseInterval;
    },
    async pause() {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      last = performance.now();
    },
  };
}

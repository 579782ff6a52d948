import { nextTick } from 'node:process';
import type { Sql } from 'sql-template-tag';
import type { Database, OpenDatabase, RowLists, RowTypes, Selects } from './database.ts';
import type { Sqlite } from './engine.ts';
import { defaultLockTimeout } from './open-file.ts';
import {
  type Combine,
  createCombine,
  createStatementCache,
  type PreparedStatement,
} from './prepared-statements.ts';
import { createLockedError, isLocked } from './sqlite-errors.ts';

/** Milliseconds between two attempts on a locked file. */
const retryInterval = 10;

/** The text of a statement with its values. */
interface Query {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Runs a prepared statement with its values. */
type Execute<T> = (prepared: PreparedStatement, values: readonly unknown[]) => T;

/** The database on a file that SQLite has opened, for one query or transaction at a time. */
export function createDatabase(
  sqlite: Sqlite,
  wasMigrated = false,
  lockTimeout = defaultLockTimeout,
): OpenDatabase {
  const prepare = createStatementCache(sqlite);
  const combine = createCombine(sqlite);
  const snapshot = createSnapshot(sqlite);
  const pauses = createPauses();
  const statements = createQueue();
  const requests = createQueue();
  let isTaken = false;
  let isClosed = false;
  let hasWritten = wasMigrated;
  /** Whether the latest attempt found the file locked. */
  let wasLocked = false;
  /** The end of the current write request's wait for a locked file, by the clock of `performance`. */
  let deadline: number | undefined;

  /** Repeats an attempt while another process has locked the file. A statement that finds it locked has done nothing. */
  const retryWhileLocked = async <T>(attempt: () => T): Promise<T> => {
    let end = deadline;
    for (;;) {
      try {
        const result = attempt();
        wasLocked = false;
        return result;
      } catch (error) {
        if (!isLocked(error)) throw error;
        wasLocked = true;
        end ??= performance.now() + lockTimeout;
        if (performance.now() >= end) throw error;
        await wait(retryInterval);
        if (isClosed) throw error;
      }
    }
  };
  /** Runs a statement that has the connection to itself. */
  const executeAlone = async <T>(
    text: string,
    values: readonly unknown[],
    execute: Execute<T>,
  ): Promise<T> => {
    snapshot.end();
    await pauses.takeIfDue();
    // Each version of Node.js has another message for this.
    if (isClosed) throw new Error('The workspace was closed while a query waited.');
    return retryWhileLocked(() => {
      const prepared = prepare(text);
      const result = execute(prepared, values);
      hasWritten ||= !prepared.isRead;
      return result;
    });
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
  const execute = async <T>({ sql: text, values }: Query, run: Execute<T>): Promise<T> => {
    if (!isTaken && !isClosed) {
      try {
        const prepared = prepare(text);
        if (prepared.isRead) {
          snapshot.begin();
          return run(prepared, values);
        }
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
    }
    return takeTurn(() => executeAlone(text, values, run));
  };
  const control = (text: string) => executeAlone(text, [], ({ statement }) => void statement.run());
  /** Rolls back, unless SQLite has done so itself, for example on a full disk. */
  const rollback = () => {
    try {
      sqlite.exec('rollback');
    } catch {
      // SQLite has already rolled it back.
    }
  };

  const inTransaction: Database = {
    ...createQueries(combine, (statement, run) => executeAlone(statement.sql, statement.values, run)),
    transaction: (work) => work(inTransaction),
  };
  return {
    ...createQueries(combine, execute),
    transaction: (work) =>
      takeTurn(async () => {
        // IMMEDIATE, because no other process may write between the first read and the first write.
        await control('begin immediate');
        try {
          const result = await work(inTransaction);
          await control('commit');
          return result;
        } catch (error) {
          rollback();
          throw error;
        }
      }),
    async readRequest(work) {
      await pauses.takeIfDue();
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
    close() {
      if (isClosed) return;
      isClosed = true;
      snapshot.end();
      if (isTaken) rollback();
      if (hasWritten) checkpoint(sqlite);
      sqlite.close();
    },
  };
}

function createQueries(combine: Combine, execute: <T>(statement: Query, run: Execute<T>) => Promise<T>) {
  return {
    // The caller names the type of the rows.
    all: <Row>(query: Sql) => execute(query, ({ readRows }, values) => readRows(values) as Row[]),
    allOf: <Rows extends RowTypes>(selects: Selects<Rows>, values: readonly unknown[]) =>
      execute({ sql: combine(selects), values }, ({ statement }, values) => {
        const { rows } = statement.get(...values) as { rows: string }; // one row, always
        return JSON.parse(rows) as RowLists<Rows>;
      }),
    first: <Row>(query: Sql) =>
      execute(query, ({ statement }, values) => statement.get(...values) as Row | undefined),
    run: (query: Sql) => execute(query, ({ statement }, values) => Number(statement.run(...values).changes)),
  };
}

/** Returns a function that runs one piece of work after the other. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

/** A read transaction around queries that follow one another without a wait, so that they see one state of the file. */
function createSnapshot(sqlite: Sqlite) {
  const begin = sqlite.prepare('begin');
  const commit = sqlite.prepare('commit');
  let isOpen = false;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    try {
      commit.run();
    } catch {
      // SQLite has ended it after a disk error; there was nothing to write.
    }
  };
  return {
    begin() {
      if (isOpen) return;
      begin.run();
      isOpen = true;
      nextTick(end); // after all pending promise callbacks
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
    async takeIfDue() {
      queries += 1;
      if (queries <= queriesWithoutPause || performance.now() - last <= pauseInterval) return;
      await new Promise<void>((resolve) => void setImmediate(resolve));
      last = performance.now();
    },
  };
}

const wait = (milliseconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds));

/** Moves all changes from the -wal file into the database, so that a copy of the database alone has them. */
function checkpoint(sqlite: Sqlite): void {
  try {
    sqlite.exec('pragma wal_checkpoint(passive)');
  } catch {
    // The disk is full. The changes stay in the -wal file.
  }
}

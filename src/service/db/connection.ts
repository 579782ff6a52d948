import { nextTick } from 'node:process';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { Sqlite, Statement } from './engine.ts';
import { createLockedError, isLocked } from './sqlite-errors.ts';

/** Milliseconds that a request waits for another process to unlock the file: its response is due within 5 s. */
export const lockTimeout = 4000;

// Not of node:timers/promises, which a look-up would load for nothing.
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const wait = (milliseconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds));

/** Milliseconds of queries after which the event loop has a turn. */
const longest = 50;

/** Queries before that is looked at: a command of a few need not wait a millisecond until Node has loaded its clock. */
const few = 8;

/**
 * What a statement gives. One that finds the file locked has done nothing, and is run again for some seconds, or until
 * the connection is closed.
 */
async function onceFree<T>(connection: Waiting, work: () => T): Promise<T> {
  let end = connection.deadline;
  for (;;) {
    try {
      const result = work();
      connection.isLocked = false;
      return result;
    } catch (error) {
      if (!isLocked(error)) throw error;
      connection.isLocked = true;
      end ??= performance.now() + lockTimeout;
      if (performance.now() >= end) throw error;
      await wait(10);
      if (connection.isClosed) throw error;
    }
  }
}

/** How a connection waits for a file that another process has locked. */
interface Waiting {
  isClosed: boolean;
  /** Whether the last attempt found the file locked. */
  isLocked: boolean;
  /** Until when the request that has its turn may wait, by the clock of `performance`. */
  deadline: number | undefined;
}

/** The connection to a file, used by one query or transaction at a time. */
export interface Connection extends DatabaseConnection, Waiting {
  isTaken: boolean;
  /** Resolves when the earlier requests have had their turn. */
  lastTurn: Promise<void>;
  /** Statements that may have changed something, and are done. */
  writes: number;
  /** Gives the event loop its turn, where that is due. */
  pause(): Promise<void>;
  /** What a query gives that can be done at once; undefined: it has to wait. */
  rowsNow<R>(sql: string, values: readonly unknown[]): R[] | undefined;
  endSnapshot(): void;
  executeQuery<R>(query: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<R>>;
  /** Takes back what a transaction has written. SQLite may have done so itself, as where the disk is full. */
  rollback(): void;
  /** Does nothing where it is closed already. */
  close(): void;
}

/**
 * Queries that follow one another without a wait read one state of the file: its lock is taken once for all
 * of them, which costs as much as a query.
 */
function snapshotOf(sqlite: Sqlite) {
  const begin = sqlite.prepare('begin');
  const commit = sqlite.prepare('commit');
  let isOpen = false;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    try {
      commit.run();
    } catch {
      // After a fault of the disk SQLite has ended it; there was nothing to write.
    }
  };
  return {
    begin() {
      if (isOpen) return;
      begin.run();
      isOpen = true;
      nextTick(end); // when all promises have been gone through
    },
    end,
  };
}

/** Gives the statement of a text, which is prepared once. */
function preparedOn(sqlite: Sqlite): (sql: string) => Statement {
  const statements = new Map<string, Statement>();
  return (sql) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = sqlite.prepare(sql);
      if (statements.size > 500) statements.clear();
      statements.set(sql, statement);
    }
    return statement;
  };
}

/** SQLite never waits: a transaction of many queries would leave no turn to a signal. */
function pauses() {
  let last = 0;
  let queries = 0;
  return {
    /** To be asked once for each query. */
    isDue() {
      queries += 1;
      return queries > few && performance.now() - last > longest;
    },
    async take() {
      await nextTurn();
      last = performance.now();
    },
  };
}

/** Closing leaves this to the garbage collector of the statements; a copy of the file must hold all that was written. */
function bringIn(sqlite: Sqlite): void {
  try {
    sqlite.exec('pragma wal_checkpoint(passive)');
  } catch {
    // The disk is full, perhaps of what another process has written: all is in the -wal file beside it.
  }
}

/** The connection to an open file. */
export function connectionTo(sqlite: Sqlite): Connection {
  const prepared = preparedOn(sqlite);
  const pause = pauses();
  const snapshot = snapshotOf(sqlite);
  return {
    isTaken: false,
    isClosed: false,
    isLocked: false,
    deadline: undefined,
    lastTurn: Promise.resolve(),
    writes: 0,
    endSnapshot: snapshot.end,
    async pause() {
      if (pause.isDue()) await pause.take();
    },
    rowsNow<R>(sql: string, values: readonly unknown[]) {
      if (this.isTaken) return undefined;
      try {
        snapshot.begin();
        return prepared(sql).all(...values) as R[]; // the query says what it gives
      } catch (error) {
        if (isLocked(error)) return undefined;
        throw error;
      }
    },
    async executeQuery<R>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>) {
      snapshot.end();
      await this.pause();
      // Each Node says this with another message of its own.
      if (this.isClosed) throw new Error('The workspace was closed while a query waited.');
      const isRead = /^\s*(select|with)\b/i.test(sql);
      if (isRead || /\breturning\b/.test(sql)) {
        const rows = await onceFree(this, () => prepared(sql).all(...parameters));
        if (!isRead) this.writes += 1;
        return { rows: rows as R[] }; // Kysely knows what it asked for
      }
      const { changes, lastInsertRowid } = await onceFree(this, () => prepared(sql).run(...parameters));
      this.writes += 1;
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    rollback() {
      try {
        sqlite.exec('rollback');
      } catch {
        // There is none any more.
      }
    },
    close() {
      if (this.isClosed) return;
      this.isClosed = true;
      snapshot.end();
      if (this.isTaken) this.rollback();
      if (this.writes > 0) bringIn(sqlite);
      sqlite.close();
    },
    streamQuery() {
      throw new Error('Not used: a page is read whole.');
    },
  };
}

/** Kysely's way to that one connection: who wants it waits until it is released. */
export function driver(connection: Connection): Driver {
  let last: Promise<void> = Promise.resolve();
  let release: () => void = () => {};
  const execute = (sql: string) => async () => {
    await connection.executeQuery({ sql, parameters: [] });
  };
  return {
    async init() {},
    async acquireConnection() {
      const before = last;
      let done: () => void = () => {};
      last = new Promise((resolve) => {
        done = resolve;
      });
      await before;
      connection.isTaken = true;
      release = done;
      return connection;
    },
    // IMMEDIATE: a transaction that reads first and writes then must not find another writer in between.
    beginTransaction: execute('begin immediate'),
    commitTransaction: execute('commit'),
    async rollbackTransaction() {
      connection.rollback();
    },
    async releaseConnection() {
      connection.isTaken = false;
      release();
    },
    async destroy() {
      connection.close();
    },
  };
}

/**
 * Runs a write request after the earlier ones, so that one at a time waits for a locked file. Its wait ends `patience`
 * after it arrived, however long the others waited. Throws the SQLite error if the file is still locked.
 */
export async function inTurn<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + lockTimeout;
  const before = connection.lastTurn;
  let done: () => void = () => {};
  connection.lastTurn = new Promise((resolve) => {
    done = resolve;
  });
  await before;
  try {
    // Each further attempt would delay later requests.
    if (connection.isLocked && performance.now() >= deadline) throw createLockedError();
    connection.deadline = deadline;
    return await work();
  } finally {
    connection.deadline = undefined;
    done();
  }
}

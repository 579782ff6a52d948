import { nextTick } from 'node:process';
import sql from 'sql-template-tag';
import type { Sqlite, Statement } from '../../../sqlite/engine.ts';
import { readMonotonicClock } from '../../../values/clock.ts';
import { createSemaphore } from '../../../values/concurrency.ts';
import type { Database, OpenDatabase } from '../database.ts';
import { checkSchemaVersion } from '../migrations.ts';
import { createQueries, type Dialect, isRead, type Result } from '../render-sql.ts';
import { createLockedError, createLockedFailure, isLocked, toStorageFailure } from './errors.ts';
import { defaultLockTimeout } from './open-file.ts';

/** Milliseconds between two attempts on a locked file. */
const retryInterval = 10;

/** The SQL of SQLite. A transaction locks the whole file, so that rows need no locks. */
const sqliteDialect: Dialect = {
  parameter: () => '?',
  isInList: (parameter) => `in (select value from json_each(${parameter}))`,
  toListParameter: (values) => JSON.stringify(values),
  lockForUpdate: '',
  lockForShare: '',
  quote: (column) => `json_quote(${column})`,
};

/** A statement, prepared, and whether it only reads. */
interface PreparedStatement {
  readonly statement: Statement;
  readonly isRead: boolean;
}

/** Prepares a text and passes the statement to `run`. */
type Execute = <T>(text: string, run: (prepared: PreparedStatement) => T) => Promise<T>;

/** A connection to a file, for one query or transaction at a time. */
class Connection {
  readonly #sqlite: Sqlite;
  readonly #lockTimeout: number;
  readonly #prepared = new Map<string, PreparedStatement>();
  readonly #statements = createSemaphore(1);
  readonly #requests = createSemaphore(1);
  readonly snapshot: ReturnType<typeof createSnapshot>;
  readonly pauses = createPauses();
  #hasWritten: boolean;
  #isTaken = false;
  #isClosed = false;
  /** Whether the file was locked at the latest attempt. */
  #wasLocked = false;
  /** The end of the current write request's wait for a locked file, by the monotonic clock. */
  #deadline: number | undefined;

  constructor(sqlite: Sqlite, hasWritten: boolean, lockTimeout: number) {
    this.#sqlite = sqlite;
    this.#hasWritten = hasWritten;
    this.#lockTimeout = lockTimeout;
    this.snapshot = createSnapshot(sqlite);
  }

  /** Prepares each text once. */
  #prepare(text: string): PreparedStatement {
    let prepared = this.#prepared.get(text);
    if (!prepared) {
      prepared = { statement: this.#sqlite.prepare(text), isRead: isRead(text) };
      if (this.#prepared.size > 500) this.#prepared.clear();
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }

  /**
   * Runs a statement alone on the connection, and repeats it while another process has locked the file. A statement has
   * no effect if the file is locked.
   */
  readonly executeAlone: Execute = async (text, run) => {
    this.snapshot.end();
    if (this.pauses.isPauseDue()) await this.pauses.pause();
    // Each version of Node.js has another message for this.
    if (this.#isClosed) throw new Error('The workspace was closed while a query waited.');
    let end = this.#deadline;
    for (;;) {
      try {
        const prepared = this.#prepare(text);
        const result = run(prepared);
        this.#hasWritten ||= !prepared.isRead;
        this.#wasLocked = false;
        return result;
      } catch (error) {
        this.#wasLocked = isLocked(error);
        end ??= readMonotonicClock() + this.#lockTimeout;
        if (!this.#wasLocked || readMonotonicClock() >= end) throw error;
        await new Promise((resolve) => void setTimeout(resolve, retryInterval));
        if (this.#isClosed) throw error;
      }
    }
  };

  /** Runs a statement outside of a transaction: a read at once if nothing else is running, and all others in turn. */
  readonly execute: Execute = async (text, run) => {
    if (!this.#isTaken && !this.#isClosed) {
      try {
        const prepared = this.#prepare(text);
        if (prepared.isRead) {
          this.snapshot.begin();
          return run(prepared);
        }
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
    }
    return this.#takeTurn(() => this.executeAlone(text, run));
  };

  #takeTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#statements(async () => {
      this.#isTaken = true;
      try {
        return await work();
      } finally {
        this.#isTaken = false;
      }
    });
  }

  /** Runs `work` between the statement `begin` and a commit. */
  runTransaction<T>(begin: string, work: () => Promise<T>): Promise<T> {
    const runControl = (text: string) => this.executeAlone(text, ({ statement }) => void statement.run());
    return this.#takeTurn(async () => {
      await runControl(begin);
      try {
        const result = await work();
        await runControl('commit');
        return result;
      } catch (error) {
        rollBack(this.#sqlite);
        throw error;
      }
    });
  }

  /** Runs a request that writes after earlier ones. All its statements together wait at most `lockTimeout`. */
  runWriteRequest<T>(work: () => Promise<T>): Promise<T> {
    const end = readMonotonicClock() + this.#lockTimeout;
    return this.#requests(async () => {
      // Each further attempt would delay later requests.
      if (this.#wasLocked && readMonotonicClock() >= end) throw createLockedError();
      this.#deadline = end;
      try {
        return await work();
      } finally {
        this.#deadline = undefined;
        this.snapshot.end();
      }
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.snapshot.end();
    if (this.#isTaken) rollBack(this.#sqlite);
    // A copy of the file without its -wal file then has all changes. On a full disk, the changes stay in the -wal file.
    if (this.#hasWritten) ignoreErrors(() => this.#sqlite.exec('pragma wal_checkpoint(passive)'));
    this.#sqlite.close();
  }
}

/** The database on a file that SQLite has opened. */
export function createDatabase(
  sqlite: Sqlite,
  wasMigrated = false,
  lockTimeout = defaultLockTimeout,
): OpenDatabase {
  const connection = new Connection(sqlite, wasMigrated, lockTimeout);
  const { snapshot, pauses } = connection;
  const inTransaction: Database = {
    ...createStatements(connection.executeAlone),
    snapshot: (work) => work(inTransaction),
    transaction: (work) => work(inTransaction),
  };
  const database: OpenDatabase = {
    ...createStatements(connection.execute),
    snapshot: (work) => work(database), // `execute` begins a read transaction around reads without a wait
    longSnapshot: (work) => connection.runTransaction('begin', () => work(inTransaction)),
    // IMMEDIATE, because no other process may write between the first read and the first write.
    transaction: (work) => connection.runTransaction('begin immediate', () => work(inTransaction)),
    async readRequest(work) {
      if (pauses.isPauseDue()) await pauses.pause();
      try {
        return await work();
      } finally {
        snapshot.end();
      }
    },
    writeRequest: (work) => connection.runWriteRequest(work),
    async checkSchema() {
      const row = await database.first<{ version: number }>(
        sql`select user_version as version from pragma_user_version`,
      );
      checkSchemaVersion('sqlite', row?.version);
    },
    toFailure: (error, file) => (isLocked(error) ? createLockedFailure() : toStorageFailure(error, file)),
    close: async () => connection.close(),
  };
  return database;
}

const runs: Readonly<
  Record<Result, (prepared: PreparedStatement, parameters: readonly unknown[]) => unknown>
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
    // The callers give the reason.
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
    /** Counts a query. Returns whether a pause is due before it. */
    isPauseDue() {
      queries += 1;
      return queries > queriesWithoutPause && readMonotonicClock() - last > pauseInterval;
    },
    async pause() {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      last = readMonotonicClock();
    },
  };
}

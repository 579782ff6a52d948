import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { Failure } from '../../../contract/errors.ts';
import { settleAll } from '../../../values/concurrency.ts';
import type { Database, OpenDatabase, Queries, RequestCount } from '../database.ts';
import { checkSchemaVersion } from '../migrations.ts';
import { isRead } from '../render-sql.ts';
import { getOnly } from '../statements.ts';
import {
  createOutcomeUnknown,
  isConflict,
  isConnectionError,
  isTemporary,
  mayHaveCommitted,
  toRequestFailure,
} from './errors.ts';
import { createSender, createStatements, type SendStatement } from './queries.ts';

/** The maximum number of attempts if a transaction conflicts with others. */
const maxAttempts = 8;

/** The maximum number of attempts if the connection is lost, or the schema has changed, before COMMIT. */
const maxConnections = 3;

/** The longest pause before the second attempt, in milliseconds; it doubles for each further attempt. */
const firstBackoff = 10;

export interface ServerTraits {
  /**
   * Whether the server is behind a pooler, which may give each transaction another connection. Settings and prepared
   * statements of a connection are then not used after the transaction.
   */
  readonly isPooled: boolean;
  /** Milliseconds that a statement may take. */
  readonly statementTimeout: number;
}

/** Creates the database on a pool of connections. Requests run concurrently. */
export function createPostgresDatabase(pool: Pool, traits: ServerTraits): OpenDatabase {
  const { isPooled } = traits;
  const settings = buildSettings(traits);
  const begin = `begin isolation level read committed${settings}; ${makeDurable}`;
  const beginSnapshot = `begin isolation level repeatable read read only${settings}`;
  const send = createSender(pool, isPooled);
  const statements = createStatements(send);
  const reads = createStatements((text, parameters) => retryRead(() => send(text, parameters)));
  const run = <T>(work: (db: Database) => Promise<T>, ...ends: TransactionEnds) =>
    runOnClient(pool, isPooled, (queries) => work(nest(queries)), ...ends);
  const transaction = <T>(work: (db: Database) => Promise<T>) =>
    retryTransaction(() => run(work, begin, commit));
  /** Runs a request. @throws {Failure} `unavailable` if it failed because a newer version of kith has changed the schema */
  const runRequest = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!toRequestFailure(error)) await database.checkSchema();
      throw error;
    }
  };
  const database: OpenDatabase = {
    all: (statement) =>
      isRead(statement.strings[0]) ? reads.all(statement) : transaction((db) => db.all(statement)),
    first: (statement, values) =>
      isRead(statement.strings[0])
        ? reads.first(statement, values)
        : transaction((db) => db.first(statement, values)),
    run: (statement) => transaction((db) => db.run(statement)),
    snapshot: (work) => retryRead(() => run(work, beginSnapshot, endSnapshot)),
    longSnapshot: (work) => run(work, beginSnapshot, endSnapshot),
    transaction,
    readRequest: runRequest,
    writeRequest: runRequest,
    async checkSchema() {
      const selection = sql`select max(version) as version from kith_migration`;
      checkSchemaVersion('postgres', (await reads.first<{ version: number }>(selection))?.version);
    },
    countRequest: (key) =>
      retryTransaction(async () => getOnly(await statements.all<RequestCount>(countRequest(key)))),
    readPool: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    toFailure: toRequestFailure,
    async close() {
      if (!pool.ending) await Promise.race([pool.end(), sleep(closeTimeout, undefined, { ref: false })]);
    },
  };
  return database;
}

/** Makes COMMIT wait for the disk. The default may have changed since the last transaction. */
const makeDurable = `select set_config('synchronous_commit', 'on', true)
  where current_setting('synchronous_commit') = 'off'`;

/** Returns the statements that follow a `begin`. Behind a pooler, the settings of the connection have no effect. */
function buildSettings({ isPooled, statementTimeout }: ServerTraits): string {
  if (!isPooled) return '';
  const settings = {
    statement_timeout: statementTimeout,
    lock_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
    extra_float_digits: 1,
  };
  return Object.entries(settings)
    .map(([name, value]) => `; set local ${name} = ${value}`)
    .join('');
}

/** The statement that begins a transaction, and the function that ends it. */
type TransactionEnds = [begin: string, end: (client: PoolClient) => Promise<void>];

/** Runs `work` on its own connection, between the statement `begin` and `end`. */
async function runOnClient<T>(
  pool: Pool,
  isPooled: boolean,
  work: (queries: Queries) => Promise<T>,
  ...[begin, end]: TransactionEnds
): Promise<T> {
  const client = await pool.connect();
  try {
    const begun = client.query(begin);
    const result = await work(createStatements(followBegin(createSender(client, isPooled), begun)));
    await begun;
    await end(client);
    client.release();
    return result;
  } catch (error) {
    await endFailed(client, error);
    throw error;
  }
}

/**
 * Sends the statements of a transaction. Reads do not wait for the response to `begin`. Writes wait, because a write would
 * be committed on its own if `begin` failed. All statements after a failed one throw its error: the server would only
 * report that the transaction is aborted.
 */
function followBegin(send: SendStatement, begun: Promise<unknown>): SendStatement {
  let hasBegun = false;
  begun.then(
    () => {
      hasBegun = true;
    },
    () => {}, // each statement reports it
  );
  let firstError: unknown;
  return async (text, parameters) => {
    try {
      if (hasBegun) return await send(text, parameters);
      if (!isRead(text)) await begun;
      const [, result] = await settleAll([begun, send(text, parameters)]);
      return result;
    } catch (error) {
      firstError ??= error;
      throw firstError;
    }
  };
}

const endSnapshot = async (client: PoolClient) => void (await client.query('commit'));

/** Adds transactions that join the one in progress. */
function nest(queries: Queries): Database {
  const database: Database = {
    ...queries,
    snapshot: (work) => work(database),
    transaction: (work) => work(database),
  };
  return database;
}

/**
 * Returns the statement that counts a key's request. It reads the clock after it has locked the row. A statement that
 * waits for the lock until the next minute therefore counts in that minute.
 */
const countRequest = (key: number) => sql`
  insert into rate_limit as counted (key_id, minute, requests)
    select ${key}::bigint, floor(extract(epoch from clock_timestamp()) / 60), 1
  on conflict (key_id) do update set (minute, requests) = (
    select clock.minute, case when counted.minute = clock.minute then counted.requests else 0 end + 1
    from (select floor(extract(epoch from clock_timestamp()) / 60) as minute) as clock)
  returning requests, 60000 * (minute + 1) - extract(epoch from clock_timestamp()) * 1000 as milliseconds`;

/** Retries a read once if its idle connection had ended, or a newer version of kith has changed the schema. */
async function retryRead<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isTemporary(error)) throw error;
    return read();
  }
}

/** Retries a transaction that conflicted with another one, or failed for a temporary reason. */
async function retryTransaction<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const limit = isConflict(error) ? maxAttempts : isTemporary(error) ? maxConnections : 1;
      if (attempt >= limit) throw error;
      await sleep(randomInt(firstBackoff * 2 ** (attempt - 1)));
    }
  }
}

/** Milliseconds to wait for statements in progress when closing. */
const closeTimeout = 1000;

/** Commits. @throws {Failure} `unknown` if the connection ends, or the server crashes, before it responds */
async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('commit').catch((error) => {
    throw mayHaveCommitted(error) ? createOutcomeUnknown(error) : error;
  });
  // The server rolls back a transaction with a failed statement, and reports no error.
  if (command !== 'COMMIT') throw new Error(`The transaction was not committed: ${command}.`);
}

/** Rolls back a failed transaction. Closes a connection that was lost or cannot roll back. */
async function endFailed(client: PoolClient, error: unknown): Promise<void> {
  if (isConnectionError(error instanceof Failure ? error.cause : error)) {
    client.release(true);
    return;
  }
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}

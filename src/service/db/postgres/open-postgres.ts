import { Socket } from 'node:net';
import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { Failure, getErrorMessage } from '../../../contract/errors.ts';
import { formatDatabase } from '../../../values/database-url.ts';
import type { OpenDatabase } from '../database.ts';
import type { Migration } from '../migrations.ts';
import type { OpenOptions } from '../open.ts';
import { getOnly } from '../statements.ts';
import { createPostgresDatabase } from './connection.ts';
import { readConnectionOptions } from './connection-options.ts';
import { noTls, toOpenFailure } from './errors.ts';
import { createHungConnectionMonitor, type HungConnectionMonitor } from './hung-connections.ts';
import { findMissingMigrations, migrate } from './migrations.ts';
import { cellTypes } from './queries.ts';

/** The oldest supported major version of PostgreSQL. */
const minimumVersion = 15;

const defaults = {
  poolSize: 10,
  /** Seconds that one statement may take. */
  statementTimeout: 30,
};

/**
 * Opens the workspace in a PostgreSQL database, and creates or updates its schema.
 * @throws {Failure} `usage` for an invalid URL, `unavailable` if the server cannot be reached, `failed` if it is too
 * old or denies access, or if the database has another encoding or tables of another program
 */
export function openPostgres(url: string, options: OpenOptions): Promise<OpenDatabase> {
  return withServer(url, options, async (pool, name, isCommitUnsafe) => {
    await migrate(pool, name);
    return createPostgresDatabase(pool, isCommitUnsafe);
  });
}

/** Updates the schema of a database unless `isDryRun`, and returns the migrations that it lacked. @throws as `openPostgres` */
export function migrateDatabase(
  url: string,
  options: OpenOptions,
  isDryRun: boolean,
): Promise<readonly Migration[]> {
  return withServer(url, options, async (pool, name) => {
    const missing = await (isDryRun ? findMissingMigrations : migrate)(pool, name);
    await pool.end();
    return missing;
  });
}

/** Connects to a supported server and runs `work`. Closes the connections if it fails. */
async function withServer<T>(
  url: string,
  options: OpenOptions,
  work: (pool: Pool, name: string, isCommitUnsafe: boolean) => Promise<T>,
): Promise<T> {
  const name = formatDatabase(url);
  let pool: Pool | undefined;
  try {
    pool = await createPool(url, options);
    return await work(pool, name, await checkServer(pool, name));
  } catch (error) {
    await pool?.end();
    throw toOpenFailure(error, name, pool?.options);
  }
}

type ConnectCallback = Parameters<Client['connect']>[0];

/** A client that closes its socket if it cannot connect. Otherwise, a server that leaves it open keeps kith running. */
class ClosingClient extends Client {
  /** Missing in the types of `pg`. */
  declare readonly processID: number | null;
  readonly socket: Socket;
  /** The bytes that were sent before the latest response. */
  #answeredBytes = -1;
  readonly #monitor: HungConnectionMonitor | undefined;

  constructor(config?: ClientConfig & { readonly monitor?: HungConnectionMonitor }) {
    const socket = new Socket();
    // In the configuration from a pool, the password is not enumerable.
    super({ ...config, password: config?.password, stream: () => socket });
    this.socket = socket;
    this.#monitor = config?.monitor;
    // The statement in progress reports a lost connection; the pool replaces an idle one.
    this.on('error', () => {});
    this.on('drain', () => this.#countAnswered());
  }

  get isWaiting(): boolean {
    return this.socket.bytesWritten > this.#answeredBytes;
  }

  #countAnswered(): void {
    this.#answeredBytes = this.socket.bytesWritten;
  }

  override connect(callback?: ConnectCallback): Promise<Client> {
    this.#monitor?.add(this);
    const connected = super.connect();
    // Only the types of `pg` distinguish two callbacks.
    const done = callback as ((error: Error | null, client?: Client) => void) | undefined;
    connected.then(
      (client) => {
        this.#countAnswered();
        done?.(null, client);
      },
      (error) => {
        this.#monitor?.remove(this);
        this.socket.destroy();
        done?.(error);
      },
    );
    return connected;
  }
}

/**
 * Creates a pool. If TLS is optional, connects to the server to find out whether it supports TLS.
 * @throws {Failure} `usage` for an invalid URL, or the error of the connection
 */
export async function createPool(url: string, options: OpenOptions): Promise<Pool> {
  const { env = {}, poolSize = defaults.poolSize, statementTimeout = defaults.statementTimeout } = options;
  const milliseconds = statementTimeout * 1000;
  const { isTlsOptional, ...connection } = readConnectionOptions(url, env);
  const config: PoolConfig = {
    ...connection,
    Client: ClosingClient,
    types: cellTypes,
    max: poolSize,
    statement_timeout: milliseconds,
    lock_timeout: milliseconds,
    idle_in_transaction_session_timeout: milliseconds,
    // The limit for a server that does not respond at all.
    query_timeout: milliseconds + Math.min(milliseconds, 5000),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    allowExitOnIdle: true,
  };
  const pool = startPool(config);
  return isTlsOptional && !(await supportsTls(pool)) ? startPool({ ...config, ssl: false }) : pool;
}

function startPool(config: PoolConfig): Pool {
  const monitor = createHungConnectionMonitor(config);
  const options = { ...config, monitor }; // a pool passes its options to each client
  const pool = new Pool(options);
  pool.on('acquire', (client) => client instanceof ClosingClient && monitor.add(client));
  pool.on('release', (_, client) => client instanceof ClosingClient && monitor.release(client));
  pool.on('remove', (client) => client instanceof ClosingClient && monitor.remove(client));
  return pool.on('error', () => {});
}

/** Opens the first connection of a pool, which the next query uses. Returns false if the server does not support TLS. */
async function supportsTls(pool: Pool): Promise<boolean> {
  try {
    (await pool.connect()).release();
    return true;
  } catch (error) {
    if (getErrorMessage(error) === noTls) return false;
    throw error;
  }
}

/**
 * Returns whether COMMIT would not wait for the disk.
 * @throws {Failure} `failed` for a server that is too old, or a database that cannot store every character
 */
async function checkServer(pool: Pool, name: string): Promise<boolean> {
  const { rows } = await pool.query<{ version: string; number: string; encoding: string; commit: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num') as number,
      current_setting('server_encoding') as encoding, current_setting('synchronous_commit') as commit`,
  );
  const { version, number, encoding, commit } = getOnly(rows);
  if (Number(number) < minimumVersion * 10_000) {
    const message = `${name} is on PostgreSQL ${version}. kith requires PostgreSQL ${minimumVersion} or later.`;
    throw new Failure('failed', message);
  }
  if (encoding !== 'UTF8')
    throw new Failure('failed', `${name} has the encoding ${encoding}. kith requires UTF8.`, {
      hint: 'Create another database: createdb --encoding UTF8 --template template0 NAME',
    });
  return commit === 'off';
}

import { Socket } from 'node:net';
import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { Failure, getErrorMessage } from '../../../contract/errors.ts';
import { formatDatabase } from '../../../values/database-url.ts';
import type { OpenDatabase } from '../database.ts';
import type { Migration } from '../migrations.ts';
import type { OpenOptions } from '../open.ts';
import { getOnly } from '../statements.ts';
import { createPostgresDatabase, type ServerTraits } from './connection.ts';
import { exactNumbers, readConnectionOptions } from './connection-options.ts';
import { isSettingRefused, noTls, toOpenFailure } from './errors.ts';
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
  return withServer(url, options, async (pool, name, traits) => {
    await migrate(pool, name);
    return createPostgresDatabase(pool, traits);
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
  work: (pool: Pool, name: string, traits: ServerTraits) => Promise<T>,
): Promise<T> {
  const name = formatDatabase(url);
  const config = createConfig(url, options);
  let pool: Pool | undefined;
  try {
    pool = await connectPool(config);
    return await work(pool, name, await checkServer(pool, name, config));
  } catch (error) {
    await pool?.end();
    throw toOpenFailure(error, name, config);
  }
}

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

  override connect(callback?: Parameters<Client['connect']>[0]): Promise<Client> {
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

/** Options of a pool. `isTlsOptional`: whether to connect without TLS if the server does not support it. */
interface Config extends PoolConfig {
  readonly isTlsOptional: boolean;
  readonly statement_timeout: number;
}

/** @throws {Failure} `usage` for an invalid URL */
function createConfig(url: string, options: OpenOptions): Config {
  const { env = {}, poolSize = defaults.poolSize, statementTimeout = defaults.statementTimeout } = options;
  const milliseconds = statementTimeout * 1000;
  return {
    ...readConnectionOptions(url, env),
    Client: ClosingClient,
    types: cellTypes,
    max: poolSize,
    statement_timeout: milliseconds,
    lock_timeout: milliseconds,
    idle_in_transaction_session_timeout: milliseconds,
    // The limit for a server that does not respond at all.
    query_timeout: milliseconds + Math.min(milliseconds, 5000),
    // Statements that are sent together take one round trip.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    allowExitOnIdle: true,
  };
}

/**
 * Creates a pool, and opens its first connection, which the next query uses.
 * @throws {Failure} `usage` for an invalid URL, or the error of the connection
 */
export const createPool = (url: string, options: OpenOptions): Promise<Pool> =>
  connectPool(createConfig(url, options));

/** Connects without TLS if the server does not support it, and without settings if a pooler does not accept them. */
async function connectPool(config: PoolConfig & Pick<Config, 'isTlsOptional'>): Promise<Pool> {
  const pool = startPool(config);
  try {
    (await pool.connect()).release();
    return pool;
  } catch (error) {
    await pool.end();
    if (config.isTlsOptional && getErrorMessage(error) === noTls)
      return connectPool({ ...config, ssl: false, isTlsOptional: false });
    if (config.options !== exactNumbers || !isSettingRefused(error)) throw error;
    const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options, ...others } =
      config;
    return connectPool(others);
  }
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

/**
 * Returns the properties of the server of a pool.
 * @throws {Failure} `failed` for a server that is too old, or a database that cannot store every character
 */
async function checkServer(
  pool: Pool,
  name: string,
  { statement_timeout: statementTimeout }: Config,
): Promise<ServerTraits> {
  const client = await pool.connect();
  const { rows } = await client
    .query<{ version: string; number: string; encoding: string; pid: number }>(
      `select current_setting('server_version') as version, current_setting('server_version_num') as number,
        current_setting('server_encoding') as encoding, pg_backend_pid() as pid`,
    )
    .finally(() => client.release());
  const { version, number, encoding, pid } = getOnly(rows);
  if (Number(number) < minimumVersion * 10_000) {
    const message = `${name} is on PostgreSQL ${version}. kith requires PostgreSQL ${minimumVersion} or later.`;
    throw new Failure('failed', message);
  }
  if (encoding !== 'UTF8')
    throw new Failure('failed', `${name} has the encoding ${encoding}. kith requires UTF8.`, {
      hint: 'Create another database: createdb --encoding UTF8 --template template0 NAME',
    });
  return {
    isPooled: client instanceof ClosingClient && client.processID !== pid,
    statementTimeout,
  };
}

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

/** A server that its tests may stop, kill and restart. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

export interface PostgresOptions {
  /** Settings of postgresql.conf, such as `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether it also listens on a free port of 127.0.0.1. */
  readonly hasPort?: boolean;
  /** The lines of pg_hba.conf; by default, all users may connect without a password. */
  readonly hba?: string;
  /** The folder of the server, such as a small file system; by default a new one. The server removes it at the end. */
  readonly folder?: string;
}

/** The signals that stop a server: after its clients have left, after a rollback, or without a clean shutdown. */
const stopSignals = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/**
 * Runs a server until it stops, or until the process that started it is gone, even after `kill -9`: then its end of the
 * pipe to stdin is closed.
 */
const supervisor = `exec 3<&0
"$@" 3<&- & server=$!
{ cat <&3 >/dev/null; trap '' TERM; while kill -QUIT $server; do sleep 0.1; done; rm -rf "$0"; } 2>/dev/null & watcher=$!
wait $server
kill $watcher`;

/** The environment of PostgreSQL's programs: without the PG* variables of the person who runs the tests. */
const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

const programs = ['initdb', 'postgres'];

/** Returns the folder of PostgreSQL's programs: the one in KITH_TEST_POSTGRES_BIN, or undefined if it is not installed. */
export function findPostgres(): string | undefined {
  if (process.env.KITH_TEST_POSTGRES_BIN) return process.env.KITH_TEST_POSTGRES_BIN;
  const { stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((one, other) => Number(other) - Number(one))
    : [];
  return [
    ...(process.env.PATH ?? '').split(delimiter),
    (stdout ?? '').trim(),
    ...versions.map((version) => join(debian, version, 'bin')),
  ].find((folder) => programs.every((name) => existsSync(join(folder, name))));
}

/** Returns the path of one of PostgreSQL's programs. */
function findProgram(name: string): string {
  const folder = findPostgres();
  if (folder === undefined) throw new Error('PostgreSQL is not installed.');
  return join(folder, name);
}

/** Returns the user of the server: another one if the tests run as root, which PostgreSQL refuses. */
export function findServerUser(): { uid?: number | undefined; gid?: number | undefined } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const user = ['postgres', 'nobody'].flatMap(
    (name) => users.find((line) => line.startsWith(`${name}:`)) ?? [],
  )[0];
  const [, , uid, gid] = (user ?? '').split(':').map(Number);
  return { uid, gid };
}

/** Runs one of PostgreSQL's programs as the user of the server. */
const runProgram = (name: string, args: readonly string[], cwd: string) =>
  execFileSync(findProgram(name), args, {
    ...findServerUser(),
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });

/** Creates a folder for a server. */
function createServerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kith-postgres-'));
  giveToServer(folder);
  return folder;
}

export function giveToServer(path: string): void {
  const { uid, gid } = findServerUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** Creates a cluster: as a copy of the test run's first one, which takes 30 ms; `initdb` takes 400. */
function createCluster(folder: string, data: string): void {
  const first = process.env.KITH_TEST_CLUSTER ?? '';
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);
  if (existsSync(first)) return void copy(first, data);
  const settings = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  runProgram('initdb', ['-D', data, ...settings], folder);
  if (first === '') return;
  const partial = `${first}.${process.pid}`;
  copy(data, partial);
  // Another worker may have been faster.
  if (!existsSync(first)) renameSync(partial, first);
}

/** Copies the cluster of a running server for a standby. Not with `pg_basebackup`, which not every package contains. */
async function copyCluster(url: string, data: string, target: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    // The server may remove a file during the copy.
    spawnSync('cp', ['-a', data, target]);
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(false)',
    );
    rmSync(join(target, 'postmaster.pid'));
    for (const [name, text] of [
      ['backup_label', rows[0]?.label ?? ''],
      ['standby.signal', ''],
    ] as const) {
      writeFileSync(join(target, name), text);
      giveToServer(join(target, name));
    }
    const { host, port, user } = client;
    appendFileSync(
      join(target, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=${host} port=${port} user=${user}'\n`,
    );
  } finally {
    await client.end();
  }
}

/** Returns a free port of 127.0.0.1. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Starts a PostgreSQL server with a new cluster. The caller stops it with `close`; it also stops when the tests end, even
 * if they are killed.
 */
export async function startPostgres(options: PostgresOptions = {}) {
  const { settings = {}, hasPort = false, hba, folder = createServerFolder() } = options;
  const data = join(folder, 'data');
  createCluster(folder, data);
  if (hba !== undefined) writeFileSync(join(data, 'pg_hba.conf'), hba);
  const port = hasPort ? await findFreePort() : undefined;
  return runServer(folder, settings, port);
}

/** Starts the server of a cluster, and returns what tests do with it. */
async function runServer(
  folder: string,
  settings: Readonly<Record<string, string>>,
  port: number | undefined,
) {
  const data = join(folder, 'data');
  const pairs = Object.entries({
    listen_addresses: port === undefined ? '' : '127.0.0.1',
    port: String(port ?? 5432),
    unix_socket_directories: folder,
    ...settings,
  });
  const args = ['-D', data, ...pairs.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const log = { text: '' };
  let ended: Promise<void> = Promise.resolve();

  const startOnce = async () => {
    await ended;
    const seen = log.text.length;
    const child = spawn('sh', ['-c', supervisor, folder, findProgram('postgres'), ...args], {
      ...findServerUser(),
      cwd: folder,
      env,
      detached: true, // a Ctrl-C in the terminal ends the tests first
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    ended = new Promise((resolve) => child.once('exit', () => resolve(void child.stdin.destroy())));
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text) => {
        log.text += text;
        if (/ready to accept (read-only )?connections/.test(log.text.slice(seen))) resolve();
      });
      child.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log.text.slice(seen)}`)));
    });
  };
  const start = async () => {
    // After `kill -9` the backends live on until they notice, and the server does not start before that.
    const isStillUsed = () => log.text.trimEnd().split('\n').slice(-2).join().includes('still in use');
    for (let attempt = 1; ; attempt++) {
      try {
        return await startOnce();
      } catch (error) {
        if (attempt === 100 || !isStillUsed()) throw error;
        await wait(50);
      }
    }
  };
  /** Stops the server, by default without waiting for its clients. `kill` is `kill -9` of the main process. */
  const stop = async (how: keyof typeof stopSignals = 'fast') => {
    const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n').map(Number);
    if (pid !== undefined) process.kill(pid, stopSignals[how]);
    await ended;
  };
  /** Returns the URL of a database, over the Unix socket, or over TCP if `host` is `127.0.0.1`. */
  const url = (database = 'postgres', host = encodeURIComponent(folder)) =>
    `postgres://postgres@${host}:${port ?? 5432}/${database}`;
  await start();
  return {
    folder,
    data,
    port,
    log,
    url,
    start,
    stop,
    restart: async () => {
      await stop();
      await start();
    },
    /** Runs a statement on its own connection and returns the rows. */
    query: (text: string, database?: string) => runQuery(url(database), text),
    /** Starts a read-only copy that follows this server until `query('select pg_promote()')`. */
    startStandby: async () => {
      const copy = createServerFolder();
      await copyCluster(url(), data, join(copy, 'data'));
      return runServer(copy, settings, port === undefined ? undefined : await findFreePort());
    },
    /** Stops the server if it runs, and removes its folder. */
    close: async () => {
      if (existsSync(join(data, 'postmaster.pid'))) await stop('immediate').catch(() => {});
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Runs a statement on its own connection and returns the rows. */
export async function runQuery(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  client.on('error', () => {}); // the server may stop before the connection ends
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Settings of a server whose data need not survive a crash. */
const cheapSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  max_connections: '300',
};

/**
 * Listens on a local port, and starts the PostgreSQL server when the first test requests its URL. A run without such a
 * test does not wait for the server.
 */
export async function offerSharedServer(): Promise<{ port: number; stop: () => Promise<void> }> {
  let start: Promise<PostgresServer> | undefined;
  const listener = createServer(async (socket) => {
    start ??= startPostgres({ settings: cheapSettings });
    socket.end(await start.then(({ url }) => url()).catch(String));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo; // a port of TCP
  const stop = async () => {
    listener.close();
    await (await start)?.close();
  };
  return { port, stop };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import {
  findFreePort,
  findServerUser,
  giveToServer,
  type PostgresServer,
} from '../../../support/postgres.ts';

export type PoolMode = 'transaction' | 'session';

/** Settings of pgbouncer.ini. */
export type Settings = Readonly<Record<string, string | number>>;

/** Debian's folder for daemons, which is not on the PATH of every user. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];

/** Returns the path of PgBouncer, if it is installed. */
export const findPgBouncer = () =>
  folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path));

/** Starts PgBouncer in front of a server, with two connections in transaction mode, and returns the port and a function that stops it. */
export async function startPgBouncer(server: PostgresServer, mode: PoolMode, others: Settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'kith-pgbouncer-'));
  const port = await findFreePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: mode === 'session' ? 20 : 2,
    ...others,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  const target = `* = host=${server.folder} port=${server.port ?? 5432} user=postgres`;
  writeFileSync(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'));
  for (const path of [folder, file]) giveToServer(path);
  const child = spawn(findPgBouncer() ?? '', [file], {
    ...findServerUser(),
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await waitUntilUp(child);
  return {
    port,
    stop: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const waitUntilUp = (child: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    let log = '';
    child.once('error', reject).once('exit', () => reject(new Error(`PgBouncer did not start:\n${log}`)));
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      log += text;
      if (log.includes('process up')) resolve();
    });
  });

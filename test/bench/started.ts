import { type ChildProcess, spawn } from 'node:child_process';
import { openDatabase } from '../../src/service/db/database.ts';
import { createKey } from '../../src/service/http/keys.ts';

/** A service that runs. */
export interface Service {
  readonly url: string;
  readonly key: string;
  readonly child: ChildProcess;
}

/** Starts a service in a process of its own, which says its address on stderr. */
export function started(args: readonly string[], key: string): Promise<Service> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const [url] = /http:\S+/.exec(text) ?? [];
      if (url) resolve({ url, key, child });
    });
  });
}

/** Starts `kith serve` on a workspace file, with a key of its own. */
export async function servedFile(database: string): Promise<Service> {
  const db = openDatabase(database);
  const { key } = await createKey(db, { name: 'bench', readOnly: false }, new Date(0));
  db.close();
  return started(['bin/kith.js', 'serve', '--database', database, '--port', '0'], key);
}

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Pool } from 'undici';
import { lines, type Measured, ratios } from './ratio.ts';
import { type Service, started } from './started.ts';
import { workspaceOf } from './workspace.ts';

const people = 10_000;
const rounds = 7;
const sideBySide = 8;
const jsonServer = 'json-server@0.17.4';

/** What is asked of a service so many times, and how. */
interface Load {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly times: number;
}

const json = { 'content-type': 'application/json' };

/** A service under load: so many requests, some of them at once, and each of them answered well. */
function underLoad(name: string, { url, key }: Service, { method, path, times }: Load): Measured {
  const pool = new Pool(url, { connections: sideBySide });
  const headers = { authorization: `Bearer ${key}`, ...(method === 'POST' && json) };
  let count = 0;
  const ask = async () => {
    for (let left = times / sideBySide; left > 0; left -= 1) {
      count += 1;
      const body = method === 'POST' ? JSON.stringify({ first_name: `New ${count}` }) : null;
      const answer = await pool.request({ method, path, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode > 299) throw new Error(`${name}: ${answer.statusCode} ${text}`);
    }
  };
  return { name, run: async () => void (await Promise.all(Array.from({ length: sideBySide }, ask))) };
}

/** The service that is compared with, in a folder of its own; undefined where it cannot be had. */
async function peer(folder: string, contacts: readonly unknown[]): Promise<Service | undefined> {
  const script = join(folder, 'node_modules/json-server/lib/cli/bin.js');
  try {
    const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', jsonServer];
    if (!existsSync(script)) execFileSync('npm', install, { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const file = join(folder, 'db.json');
  writeFileSync(file, JSON.stringify({ contacts }));
  const port = await freePort();
  const child = spawn(process.execPath, [script, '--quiet', '--port', String(port), file], {
    stdio: 'ignore',
  });
  const service = { url: `http://127.0.0.1:${port}`, key: '', child };
  for (let tries = 100; tries > 0; tries -= 1) {
    const isThere = await fetch(`${service.url}/contacts/1`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return service;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  return undefined;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Requests a second of `kith serve`, against bytes from memory, and against json-server with the same data. */
export async function serving(folder: string, env: NodeJS.ProcessEnv, write: (text: string) => void) {
  const database = join(folder, 'served.sqlite');
  const workspace = await workspaceOf(database, people);
  await workspace.close();
  const made = execFileSync(
    process.execPath,
    ['bin/kith.js', 'keys', 'create', 'bench', '--database', database, '--json'],
    { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const { key }: { key: string } = JSON.parse(made);
  const kith = await started(['bin/kith.js', 'serve', '--port', '0', '--database', database], key);
  const get = async (path: string) => {
    const answer = await fetch(kith.url + path, { headers: { authorization: `Bearer ${key}` } });
    return answer.text();
  };
  const pagePath = '/v1/contacts?first=100&after=5000';
  const page = await get(pagePath);
  const { data }: { data: { id: string }[] } = JSON.parse(page);
  const onePath = `/v1/contacts/${data[0]?.id}`;
  const bytes = join(folder, 'bytes.json');
  writeFileSync(bytes, JSON.stringify({ [pagePath]: page, [onePath]: await get(onePath) }));
  const bare = await started(['--import', 'tsx', 'test/bench/bytes-server.ts', bytes], '');
  const contacts = Array.from({ length: people }, (_, index) => ({ ...data[0], id: index + 1 }));
  const other = await peer(join(folder, 'peer'), contacts);
  try {
    const one = { method: 'GET', path: onePath, times: 2000 } as const;
    const many = { method: 'GET', path: pagePath, times: 800 } as const;
    const create = { method: 'POST', path: '/v1/contacts', times: 80 } as const;
    write(
      `Service, ${people} contacts, ${sideBySide} connections: requests a second of kith serve, as a multiple\n`,
    );
    const compare = async (name: string, load: Load, against: Service, path = load.path) => {
      const floor = underLoad('kith serve', kith, load);
      write(lines(await ratios(floor, [underLoad(name, against, { ...load, path })], rounds)));
    };
    await compare('one contact, of bytes from memory', one, bare);
    await compare('a page of 100, of bytes from memory', many, bare);
    if (!other) return write(`  json-server is left out: ${jsonServer} cannot be installed\n`);
    await compare('one contact, of json-server', one, other, '/contacts/5001');
    await compare(
      'a page of 100, of json-server',
      { ...many, times: 200 },
      other,
      '/contacts?_page=51&_limit=100',
    );
    await compare('a durable create, of json-server', create, other, '/contacts');
  } finally {
    for (const service of [kith, bare, other]) service?.child.kill();
  }
}

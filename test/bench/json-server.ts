import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Service } from './started.ts';

/** The service that is compared with. */
export const jsonServer = 'json-server@0.17.4';

/** Starts json-server with records in a folder of its own; undefined where it cannot be had. */
export async function startedPeer(
  folder: string,
  contacts: readonly { readonly id: string }[],
): Promise<Service | undefined> {
  mkdirSync(folder);
  try {
    const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', jsonServer];
    execFileSync('npm', install, { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const file = join(folder, 'db.json');
  writeFileSync(file, JSON.stringify({ contacts }));
  const port = await freePort();
  const script = join(folder, 'node_modules/json-server/lib/cli/bin.js');
  const child = spawn(process.execPath, [script, '--quiet', '--port', String(port), file], {
    stdio: 'ignore',
  });
  const service = { url: `http://127.0.0.1:${port}`, key: '', child };
  for (let tries = 100; tries > 0; tries -= 1) {
    const isThere = await fetch(`${service.url}/contacts/${contacts[0]?.id}`).then(
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

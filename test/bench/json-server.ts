import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Service } from './processes.ts';

/**
 * Installs json-server in a folder and serves records with it, as another service for trying out clients. Returns
 * undefined if it cannot be installed.
 */
export async function startJsonServer(
  folder: string,
  contacts: readonly { readonly id: string }[],
): Promise<Service | undefined> {
  mkdirSync(folder);
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent'];
  try {
    execFileSync('npm', [...install, 'json-server@0.17.4'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const file = join(folder, 'db.json');
  writeFileSync(file, JSON.stringify({ contacts }));
  const port = await findFreePort();
  const script = join(folder, 'node_modules/json-server/lib/cli/bin.js');
  const args = [script, '--quiet', '--port', String(port), file];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const service = { url: `http://127.0.0.1:${port}`, key: '', child };
  for (let tries = 100; tries > 0; tries -= 1) {
    const response = await fetch(`${service.url}/contacts/${contacts[0]?.id}`).catch(() => undefined);
    if (response?.ok) return service;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  return undefined;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

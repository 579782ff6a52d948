/**
 * `npm run lint:conformance` runs the official conformance suite of MCP against the built server over HTTP, once for each
 * revision of the protocol that the suite scores.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const revisions = ['2025-11-25', '2026-07-28'];
const key = 'a-key-of-at-least-20-characters';

const folder = mkdtempSync(join(tmpdir(), 'kith-conformance-'));
const env = { PATH: process.env.PATH, HOME: folder, KITH_MCP_KEY: key };
const kith = resolve('bin/kith.js');
spawnSync(process.execPath, [kith, 'auth', 'login', '--local', '--demo'], { env });
const args = [kith, 'mcp', '--allow-write', '--http', '--port', '0'];
const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
const [note] = await once(server.stderr.setEncoding('utf8'), 'data');
const { port } = new URL(/http:\S+/.exec(note)?.[0] ?? '');

// The suite cannot send a key.
const proxy = createServer((incoming, response) => {
  const { url, method, headers } = incoming;
  const options = { port, path: url, method, headers: { ...headers, authorization: `Bearer ${key}` } };
  const outgoing = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing.on('error', () => response.destroy()));
});
await once(proxy.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;

try {
  for (const revision of revisions) {
    // The suite needs Node.js 22 or later.
    const packages = [
      `node-${process.platform}-${process.arch}@22.23.5`,
      '@modelcontextprotocol/conformance@0.2.0-alpha.12',
    ].flatMap((name) => ['--package', name]);
    const failures = resolve('.ci/conformance.yaml');
    const run = spawn(
      'npx',
      [
        ...['--yes', ...packages, 'conformance', 'server', '--url', url],
        ...['--requirements', revision, '--expected-failures', failures],
      ],
      { cwd: folder, stdio: 'inherit' },
    );
    const [code] = await once(run, 'close');
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  proxy.close();
  server.kill();
  await once(server, 'close');
  rmSync(folder, { recursive: true, force: true });
}

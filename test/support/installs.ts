/**
 * `npm run test:installs` installs the packages of a release from a local registry, with each supported Node and two
 * versions of npm. Runs the demo of each installation, and prints its size.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installNode, nodeVersions } from './node-versions.ts';

/** The packages in dist/release by name, with the bytes that npm downloads. */
const released = ['package', 'sqlite'].map((folder) => {
  const manifest = JSON.parse(readFileSync(`dist/release/${folder}/package.json`, 'utf8'));
  const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
  const bytes = readFileSync(join('dist/release', file));
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  return { manifest, bytes, integrity, path: `/${file}` };
});

/** Serves the released packages, and redirects to the public registry for any other. */
const registry = createServer(({ url = '/' }, response) => {
  const file = released.find(({ path }) => path === url);
  if (file) return void response.end(file.bytes);
  const found = released.find(({ manifest }) => `/${manifest.name}` === decodeURIComponent(url));
  if (!found) return void response.writeHead(302, { location: `https://registry.npmjs.org${url}` }).end();
  const { manifest, integrity, path } = found;
  const dist = { tarball: `${address}${path}`, integrity };
  const versions = { [manifest.version]: { ...manifest, dist } };
  response.end(JSON.stringify({ name: manifest.name, 'dist-tags': { latest: manifest.version }, versions }));
}).listen(0, '127.0.0.1');
await once(registry, 'listening');
const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

const folder = mkdtempSync(join(tmpdir(), 'kith-installs-'));
const run = promisify(execFile);
try {
  for (const npmVersion of ['10', '11']) {
    execFileSync('npm', [
      'install',
      '--silent',
      '--prefix',
      join(folder, `npm${npmVersion}`),
      `npm@${npmVersion}`,
    ]);
    for (const version of nodeVersions) await checkInstallation(npmVersion, version);
  }
} finally {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
}

async function checkInstallation(npmVersion: string, version: string): Promise<void> {
  const node = installNode(folder, version);
  const prefix = join(folder, 'installed');
  const npmEnv = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const env = { PATH: npmEnv.PATH, HOME: join(folder, 'home') };
  const npm = join(folder, `npm${npmVersion}`, 'node_modules/npm/bin/npm-cli.js');
  const flags = ['--global', '--prefix', prefix, '--registry', address, '--no-audit', '--no-fund'];
  await run(node, [npm, 'install', ...flags, released[0]?.manifest.name], { env: npmEnv });
  const kith = join(prefix, 'bin/kith');
  await run(kith, ['auth', 'login', '--local', '--demo'], { env });
  const { stdout } = await run(kith, ['contacts', 'list', '--limit', '1', '--json'], { env });
  if (!stdout.includes('"id"')) throw new Error(`The demo printed ${stdout}`);
  const size = measure(prefix) / 1e6;
  process.stdout.write(`npm ${npmVersion}, Node ${version}: ${size.toFixed(1)} MB\n`);
  rmSync(prefix, { recursive: true });
  rmSync(env.HOME, { recursive: true });
}

/** Returns the bytes of the files in a folder. */
function measure(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

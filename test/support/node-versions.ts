import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The supported versions of Node, the oldest first. */
export const nodeVersions = ['20.19.0', '22', '24', '26'];

/** Installs a Node from the npm package for this machine, and returns its path. */
export function installNode(folder: string, version: string): string {
  const [name, prefix] = [`node-${process.platform}-${process.arch}`, join(folder, version)];
  execFileSync('npm', ['install', '--silent', '--prefix', prefix, `${name}@${version}`]);
  return join(prefix, 'node_modules', name, 'bin/node');
}

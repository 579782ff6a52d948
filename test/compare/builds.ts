import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A copy of a built checkout, so that a later build of the checkout does not change a running comparison. */
export interface Build {
  readonly name: string;
  readonly folder: string;
  readonly launcher: string;
  readonly commit: string;
}

/** Copies a build to a folder. @throws {Error} if the checkout is not built */
export function copyBuild(checkout: string, folder: string): Build {
  if (!existsSync(join(checkout, 'dist/man/kith.1')))
    throw new Error(`${checkout} is not built. Run npm run build there.`);
  for (const name of ['bin', 'dist', 'completions', 'docs', 'package.json', 'CHANGELOG.md'])
    cpSync(join(checkout, name), join(folder, name), { recursive: true });
  symlinkSync(resolve(checkout, 'node_modules'), join(folder, 'node_modules'));
  const launcher = join(folder, 'bin/kith.js');
  const version = execFileSync(process.execPath, [launcher, 'version', '--json'], { encoding: 'utf8' });
  return { name: checkout, folder, launcher, commit: String(JSON.parse(version).commit) };
}

/** A service of a build. */
export interface Service {
  readonly url: string;
  stop(): void;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts `kith serve` for a workspace file. `preload`: the script that makes it deterministic. */
export function startService(
  { launcher }: Build,
  { preload, database, flags }: { preload: string; database: string; flags: readonly string[] },
): Promise<Service> {
  const args = ['serve', '--port', '0', '--drain', '0', '--database', database, ...flags];
  const child = spawn(process.execPath, ['--require', preload, launcher, ...args], {
    env: { PATH: process.env.PATH, HOME: dirname(database), TZ: 'UTC', COMPARE_SERVICE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return new Promise((done, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`kith serve of ${launcher} exited with ${code}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const [url] = /https?:\S+/.exec(text) ?? [];
      if (url) done({ url, stop: () => void child.kill('SIGKILL') });
    });
  });
}

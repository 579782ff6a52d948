import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Build } from './report.ts';

/** Runs a program to its end. Its output is discarded, or goes through a pipe, as in `kith ... | wc`. */
export function runProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: 'ignore' | 'pipe' = 'ignore',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', output, 'inherit'] });
    child.stdout?.resume();
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} exited with ${code}`)),
    );
  });
}

/** Runs a Node.js script to its end. */
export const runNode = (args: readonly string[], env: NodeJS.ProcessEnv, output?: 'pipe'): Promise<void> =>
  runProgram(process.execPath, args, env, output);

/** Runs a Node.js script to its end and returns its output, which goes to a file, as in `kith ... > FILE`. */
export function readOutput(
  { folder }: Bench,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
): string {
  const file = join(folder, 'stdout');
  const output = openSync(file, 'w+');
  try {
    const { status, stderr } = spawnSync(process.execPath, args, {
      env,
      input,
      stdio: ['pipe', output, 'pipe'],
    });
    if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}: ${stderr}`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(output);
    rmSync(file);
  }
}

/**
 * Returns a script that writes the peak memory of its process in kB when it exits. On Linux `maxRSS` includes the
 * memory of the parent at the time of the fork; VmHWM in /proc does not.
 */
const buildMemoryScript = (
  file: string,
) => `const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const status = '/proc/self/status';
process.on('exit', () => {
  const peak = existsSync(status) && /VmHWM:\\s*(\\d+)/.exec(readFileSync(status, 'utf8'))?.[1];
  writeFileSync(${JSON.stringify(file)}, String(peak || process.resourceUsage().maxRSS));
});`;

/** The measurements of one run of a program. */
interface RunCost {
  readonly milliseconds: number;
  /** Peak memory in MB. */
  readonly memory: number;
}

/** Runs a Node.js script once and returns its time and its peak memory. Its output goes through a pipe. */
export async function measureRun(
  { folder }: Bench,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<RunCost> {
  const result = join(folder, 'memory');
  const script = join(folder, 'memory.cjs');
  writeFileSync(script, buildMemoryScript(result));
  const start = performance.now();
  await runNode(['--require', script, ...args], env, 'pipe');
  const milliseconds = performance.now() - start;
  return { milliseconds, memory: Number(readFileSync(result, 'utf8')) / 1024 };
}

/** A running HTTP service. */
export interface Service {
  readonly url: string;
  readonly key: string;
  readonly child: ChildProcess;
}

/** Starts a service that prints its address on stderr. */
function startService(args: readonly string[], key: string): Promise<Service> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`node ${args.join(' ')} exited with ${code}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const [url] = /http:\S+/.exec(text) ?? [];
      if (url) resolve({ url, key, child });
      else process.stderr.write(text);
    });
  });
}

/** Starts a service that is a script of the benchmark. Clients send it this key. */
export const startScript = (path: string, args: readonly string[], key = 'key-for-bench'): Promise<Service> =>
  startService(['--import', 'tsx', path, ...args], key);

/** Starts one of the services in servers.ts. */
export const startServer = (kind: string, ...args: readonly (string | number)[]): Promise<Service> =>
  startScript('test/bench/servers.ts', [kind, ...args.map(String)]);

/** Creates an API key in the workspace at a location. */
export function createKey(bench: Bench, build: Build, location: string): string {
  const args = ['keys', 'create', 'bench', '--json', '--database', location];
  return JSON.parse(readOutput(bench, [build.entry, ...args], bench.env)).key;
}

/** Starts `kith serve` for a workspace that has this key. */
export const serveLocation = (build: Build, location: string, key: string): Promise<Service> =>
  startService([build.entry, 'serve', '--port', '0', '--database', location], key);

/** Starts `kith serve` on a workspace file, created if missing, with a key of its own. */
export async function serveWorkspace(bench: Bench, build: Build, file: string): Promise<Service> {
  const env = { ...bench.env, KITH_CONFIG_DIR: `${file}-config` };
  if (!existsSync(file))
    readOutput(bench, [build.entry, 'auth', 'login', '--local', '--database', file], env);
  return serveLocation(build, file, createKey(bench, build, file));
}

/** Returns the environment of commands that use a service. */
export const connectTo = ({ url, key }: Service, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  KITH_BASE_URL: url,
  KITH_API_KEY: key,
});

/** Runs work that uses services, and stops them. */
export async function withServices<T>(
  starting: readonly Promise<Service>[],
  work: (services: readonly Service[]) => Promise<T>,
): Promise<T> {
  const services = await Promise.all(starting);
  try {
    return await work(services);
  } finally {
    for (const { child } of services) child.kill();
  }
}

/** Runs work that uses one service, and stops it. */
export async function withService<T>(
  starting: Promise<Service>,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const service = await starting;
  return withServices([starting], () => work(service));
}

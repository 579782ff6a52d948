import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { createWorkspaces } from '../../src/service/workspace.ts';
import {
  type CommandResult,
  createSampleWorkspace,
  createTemporaryFolder,
  writeStoredSettings,
} from './kith.ts';

/** The launcher of the built program. */
export const launcher = resolve('bin/kith.js');

/** The compile cache of all tests: many compare the content of the home folder. */
const compileCache = join(tmpdir(), 'kith-test-compiled');

/** Returns the environment of a fresh machine: a home folder and no settings. */
export function createEnv(home: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const cache =
    'KITH_CONFIG_DIR' in more ? { NODE_DISABLE_COMPILE_CACHE: '1' } : { XDG_CACHE_HOME: compileCache };
  return { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', KITH_UNDO: 'off', ...cache, ...more };
}

/** The options of a process. */
export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly stdin?: string;
  /** The user to run as; only root can set it. */
  readonly uid?: number | undefined;
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs a program to its end. */
export function runProgram(
  program: string,
  args: readonly string[],
  { env, cwd, stdin, uid, onStart }: RunOptions,
): Promise<CommandResult> {
  return new Promise((done, reject) => {
    const child = spawn(program, args, { env, cwd, ...(uid !== undefined && { uid }) });
    const output = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.err += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => done({ code: code ?? (signal === null ? -1 : -2), ...output }));
    // A program may end without reading stdin.
    child.stdin.on('error', () => {});
    onStart?.(child);
    if (stdin !== undefined || !onStart) child.stdin.end(stdin);
  });
}

/** Runs the built program. */
export function runKith(args: readonly string[], options: RunOptions): Promise<CommandResult> {
  return runProgram(process.execPath, [launcher, ...args], options);
}

/** Runs a shell script in which `kith` is the built program. */
export function runShell(line: string, options: RunOptions): Promise<CommandResult> {
  const kith = `kith() { "${process.execPath}" "${launcher}" "$@"; }`;
  return runProgram('bash', ['-c', `set -o pipefail; ${kith}; ${line}`], options);
}

/** Runs the source of a module in another process until the test ends. */
export function startModule(source: string, ...args: readonly string[]) {
  const words = ['--import', 'tsx', '--input-type=module', '--eval', source, ...args];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Creates a home folder with a profile for a copy of the sample. `settings`: the settings folder in it. */
export function createSignedInHome(more: Readonly<Record<string, string>> = {}, settings = '.config/kith') {
  const home = createTemporaryFolder();
  const database = createSampleWorkspace(home);
  writeStoredSettings(join(home, settings), { active: 'demo', profiles: { demo: { database } } });
  return { env: createEnv(home, more), home, database };
}

/** Creates a key for a workspace. */
export async function createKey(database: string): Promise<string> {
  const now = () => new Date();
  const workspace = createWorkspaces({ env: {}, now, newId: randomUUID, version: '0.0.0', log: () => {} });
  return String((await workspace.createKey(database, 'trial', false)).key);
}

/** A service in another process. */
interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  stop(signal?: NodeJS.Signals): Promise<number>;
}

/** Serves a workspace in another process until the test ends. */
export async function startKithServe(
  database: string,
  env: NodeJS.ProcessEnv,
  flags: readonly string[] = ['--drain', '0'],
) {
  return new Promise<ServerProcess>((ready) => {
    const result = runKith(['serve', '--database', database, '--port', '0', ...flags], {
      env,
      onStart: (child) => {
        const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
          child.kill(signal);
          return (await result).code;
        };
        onTestFinished(async () => void (await stop()));
        child.stderr?.on('data', (text: string) => {
          const [url] = /https?:\S+/.exec(text) ?? [];
          if (url) ready({ url, pid: child.pid ?? 0, stop });
        });
      },
    });
  });
}

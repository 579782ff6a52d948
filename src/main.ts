import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Runtime, type Services, wrapOutput } from './cli/command/context.ts';
import { commandTree } from './commands/tree.ts';
import { getErrorCode } from './contract/errors.ts';
import type { TerminalPrograms } from './process/child-processes.ts';
import { createPrompts } from './process/prompts.ts';
import { handleSignals, type Shutdown } from './process/signals.ts';
import { createInput, createOutput } from './process/streams.ts';
import type { Tasks } from './process/worker/tasks.ts';
import { once, sleep } from './values/concurrency.ts';

/** The commit that the program was built from. The build replaces it; it does not exist if run from source. */
declare const buildCommit: string | undefined;

/** Runs the program on this process: the one place where the two meet. */
export async function main(version: string): Promise<void> {
  const argv = process.argv.slice(2);
  const atTerminal: TerminalPrograms = new Set();
  const runtime = createRuntime(version, handleSignals(atTerminal));
  const stdin = createInput(() => process.stdin);
  const stdout = createOutput(1, () => process.stdout);
  const directStderr = createOutput(2, () => process.stderr);
  // Messages are lost if nobody reads stderr.
  const stderr = wrapOutput(directStderr, (...args) => directStderr.write(...args).catch(() => {}));
  const services = createServices(runtime, (text) => void stderr.write(`kith: ${text}\n`));
  // The worker thread starts while the rest is loaded.
  if (argv.some((word) => /^--jq(=|$)/.test(word)))
    services
      .worker(runtime.signal)
      .then(({ checkJq }) => checkJq('.'))
      .catch(() => {});
  const terminal = {
    prompts: createPrompts(process, runtime.signal),
    programs: async () =>
      (await import('./process/child-processes.ts')).createPrograms(runtime.env, atTerminal),
  };
  // If the event loop runs empty while something is awaited, the run has failed.
  process.exitCode = 1;
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run(argv, { streams: { stdin, stdout, stderr }, runtime, terminal, services });
  // A pending read of stdin would keep the process alive.
  if (runtime.signal.aborted || stdin.isReading()) process.stdin.destroy();
}

function createRuntime(version: string, signals: Shutdown): Runtime {
  const { env, versions, platform } = process;
  const now = () => new Date();
  return {
    ...signals,
    env,
    now,
    sleep,
    lockHolder: {
      pid: process.pid,
      host: () => process.getBuiltinModule('node:os').hostname(),
      isRunning,
      now,
      loadLockFile: async () => (await import('./service/db/sqlite/lock-file.ts')).findLockFile(),
    },
    version,
    userAgent: `kith/${version} (node/${versions.node}; ${platform})`,
    getInvocation: () => ({
      node: process.execPath,
      script: fileURLToPath(new URL('../bin/kith.js', import.meta.url)),
      folder: process.cwd(),
    }),
  };
}

/** Creates the other layers of the program. `log` writes a line to the log of the embedded service. */
export function createServices(
  runtime: Runtime,
  log: (text: string) => void,
  random = Math.random,
): Services {
  const { env, now, lockHolder, version, userAgent, signal, lockTimeout } = runtime;
  const worker = createWorkerLoader();
  return {
    tree: commandTree,
    worker,
    machine: {
      commit: typeof buildCommit === 'string' ? buildCommit : undefined,
      nodeVersion: process.versions.node,
      platform: process.platform,
      architecture: process.arch,
      readSqliteVersion: async () => (await import('./sqlite/engine.ts')).readSqliteVersion(),
      checkProxy: async (url) => void (await import('./client/proxy.ts')).findProxy(new URL(url), env),
    },
    readPackageFile: async (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'),
    settings: async () => {
      const { openSettings } = await import('./settings/settings.ts');
      return openSettings(env, { ...lockHolder, signal }, lockTimeout);
    },
    createTransport: async (target) => {
      const { createHttpTransport } = await import('./client/transport.ts');
      const withoutWasmTiering = process.versions.node.startsWith('20.');
      return createHttpTransport({ ...target, withoutWasmTiering, proxies: env, userAgent });
    },
    createClient: async (options) => {
      const { Client } = await import('./client/client.ts');
      const sleep = (milliseconds: number) => runtime.sleep(milliseconds, options.getEndSignal());
      return new Client({ ...options, sleep, now, random });
    },
    workspace: async () => {
      const { createWorkspaces } = await import('./service/workspace.ts');
      return createWorkspaces({
        env,
        now,
        newId: () => crypto.randomUUID(),
        version,
        readCalendar: async (file, here) => (await worker(signal)).readCalendar(file, here),
        log,
        lockTimeout,
      });
    },
  };
}

/** Returns a loader of the tasks, which starts the worker thread on first use. */
function createWorkerLoader(): Services['worker'] {
  const load = once(async (): Promise<(signal: AbortSignal) => Tasks> => {
    if (import.meta.filename.endsWith('.ts')) {
      // A worker thread cannot load TypeScript sources.
      const { tasks } = await import('./process/worker/tasks.ts');
      return () => tasks;
    }
    const { createThreadTasks } = await import('./process/worker/thread.ts');
    return createThreadTasks(new URL('./worker.cjs', import.meta.url)); // in the same folder of the bundle
  });
  return async (signal) => (await load())(signal);
}

/** Returns whether a process is running; on Linux a zombie is not. */
function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/stat`;
  try {
    process.kill(pid, 0);
    return !existsSync(status) || !/^\d+ \(.*\) Z/s.test(readFileSync(status, 'utf8'));
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
}

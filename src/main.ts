import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Context, type OutputStream, type Programs, wrapOutput } from './cli/context.ts';
import { getErrorCode } from './contract/errors.ts';
import type { TerminalPrograms } from './process/child-processes.ts';
import { createPrompts } from './process/prompts.ts';
import { handleSignals } from './process/signals.ts';
import { createInput, createOutput } from './process/streams.ts';
import type { Tasks } from './worker/tasks.ts';

/** Runs the program on this process: the one place where the two meet. */
export async function main(version: string): Promise<void> {
  const argv = process.argv.slice(2);
  hideSqliteWarning();
  const atTerminal: TerminalPrograms = new Set();
  const stopping = handleSignals(atTerminal);
  const worker = createWorkerLoader();
  // The thread gets ready while the rest is loaded.
  if (argv.some((word) => /^--jq(=|$)/.test(word)))
    worker(stopping.signal)
      .then(({ checkJq }) => checkJq('.'))
      .catch(() => {});
  const stdin = createInput(() => process.stdin);
  const facts = factsOf(version);
  const stderr = quietWhenClosed(createOutput(2, () => process.stderr));
  const context: Context = {
    ...facts,
    ...layersOn(facts, stopping.signal, stderr, worker),
    ...stopping,
    stdin,
    stdout: createOutput(1, () => process.stdout),
    stderr,
    worker,
    prompts: createPrompts(process, stopping.signal),
    programs: programsOf(facts.env, atTerminal),
  };
  // Should the event loop run dry while something is awaited, it was no success.
  process.exitCode = 1;
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run(argv, context);
  // What waits for input would keep the process.
  if (stopping.signal.aborted || stdin.isReading()) process.stdin.destroy();
}

/** What this process says of itself and its machine. */
type Facts = Pick<
  Context,
  | 'env'
  | 'now'
  | 'lockHolder'
  | 'version'
  | 'userAgent'
  | 'machine'
  | 'getInvocation'
  | 'readCompletionScript'
>;

function factsOf(version: string): Facts {
  const { env, versions, platform } = process;
  const now = () => new Date();
  return {
    env,
    now,
    // Few runs take a lock.
    lockHolder: {
      pid: process.pid,
      host: () => process.getBuiltinModule('node:os').hostname(),
      isRunning,
      now,
      loadLockFile: async () => (await import('./service/db/lock-file.ts')).findLockFile(),
    },
    version,
    userAgent: `kith/${version} (node/${versions.node}; ${platform})`,
    machine: {
      nodeVersion: versions.node,
      readSqliteVersion: async () => (await import('./service/db/engine.ts')).readSqliteVersion(),
      checkProxy: async (url) => void (await import('./client/proxy.ts')).findProxy(new URL(url), env),
    },
    getInvocation: () => ({
      node: process.execPath,
      script: fileURLToPath(new URL('../bin/kith.js', import.meta.url)),
      folder: process.cwd(),
    }),
    readCompletionScript: async (file) =>
      readFileSync(new URL(`../completions/${file}`, import.meta.url), 'utf8'),
  };
}

/** The other layers, each loaded when it is first asked for. */
function layersOn(
  { env, now, lockHolder, version, userAgent }: Facts,
  signal: AbortSignal,
  stderr: OutputStream,
  worker: Context['worker'],
): Pick<Context, 'settings' | 'createTransport' | 'createClient' | 'workspace'> {
  return {
    settings: async () => {
      const { openSettings } = await import('./settings/settings.ts');
      return openSettings(env, { ...lockHolder, signal });
    },
    createTransport: async (target) => {
      const { createHttpTransport } = await import('./client/transport.ts');
      const calmEngine = process.versions.node.startsWith('20.');
      return createHttpTransport({ ...target, withoutWasmTiering: calmEngine, proxies: env, userAgent });
    },
    createClient: async (wiring) => {
      const { createClient } = await import('./client/client.ts');
      const sleep = async (milliseconds: number) => {
        const { setTimeout: wait } = await import('node:timers/promises');
        await wait(milliseconds, undefined, { signal: wiring.getEndSignal() });
      };
      return createClient({ ...wiring, sleep, now, random: Math.random });
    },
    workspace: async () => {
      const { createWorkspaces } = await import('./service/workspace.ts');
      return createWorkspaces({
        now,
        newId: () => crypto.randomUUID(),
        version,
        readCalendar: async (file, here) => (await worker(signal)).readCalendar(file, here),
        log: (text) => void stderr.write(`kith: ${text}\n`),
      });
    },
  };
}

/** Work that may take for ever, in a thread that is made when there is some. */
function createWorkerLoader(): Context['worker'] {
  let thread: Promise<(signal: AbortSignal) => Tasks> | undefined;
  return async (signal) => {
    thread ??= import.meta.filename.endsWith('.ts') ? loadTasks() : startWorkerThread();
    return (await thread)(signal);
  };
}

/** From source nothing can start a thread on TypeScript. */
async function loadTasks(): Promise<() => Tasks> {
  const { tasks } = await import('./worker/tasks.ts');
  return () => tasks;
}

async function startWorkerThread(): Promise<(signal: AbortSignal) => Tasks> {
  const { createThreadTasks } = await import('./worker/thread.ts');
  return createThreadTasks(new URL('./worker.cjs', import.meta.url)); // beside this one in the bundle
}

function programsOf(env: NodeJS.ProcessEnv, atTerminal: TerminalPrograms): Programs {
  const programs = async () => (await import('./process/child-processes.ts')).createPrograms(env, atTerminal);
  return {
    edit: async (command, file) => (await programs()).edit(command, file),
    openPager: async (command) => (await programs()).openPager(command),
    runUnattended: async (program) => (await programs()).runUnattended(program),
  };
}

/** One that has ended, and whose parent has not looked, is there by its number alone. */
function isRunning(pid: number): boolean {
  try {
    const isEnded = /^\d+ \(.*\) Z/s.test(statusOf(pid));
    return !isEnded && process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
}

/** What Linux tells of a process; nothing elsewhere. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

/** What is said for a person is not needed when nobody listens. */
function quietWhenClosed(sink: OutputStream): OutputStream {
  return wrapOutput(sink, (...given) => sink.write(...given).catch(() => {}));
}

/** Node 22 warns that its SQLite is new, on stderr, where cron would mail it. */
function hideSqliteWarning(): void {
  const warn = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: [never]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature'))
      warn.call(process, warning, ...rest);
  }) as typeof process.emitWarning; // it has three signatures, all of them passed on
}

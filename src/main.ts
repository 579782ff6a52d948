import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Tasks } from './aside/tasks.ts';
import { type Context, type Prompts, type Sink, through } from './cli/context.ts';
import { Failure } from './contract/errors.ts';
import type { AtTerminal } from './programs.ts';
import { stopOnSignals } from './signals.ts';
import { sinkOf } from './sink.ts';

/** Runs the program on this process: the one place where the two meet. */
export async function main(version: string): Promise<void> {
  const argv = process.argv.slice(2);
  hideSqliteWarning();
  const atTerminal: AtTerminal = new Set();
  const { signal: stopping, overdue } = stopOnSignals(atTerminal);
  const { env, versions, platform } = process;
  const programs = async () => (await import('./programs.ts')).programsWith(env, atTerminal);
  let thread: Promise<(signal: AbortSignal) => Tasks> | undefined;
  const aside = async (signal: AbortSignal) => {
    // From source nothing can start a thread on TypeScript.
    thread ??= import.meta.filename.endsWith('.ts')
      ? import('./aside/tasks.ts').then(
          ({ tasks }) =>
            () =>
              tasks,
        )
      : import('./aside/thread.ts').then(
          ({ tasksInThread }) => tasksInThread(new URL('./worker.cjs', import.meta.url)), // beside this one in the bundle
        );
    return (await thread)(signal);
  };
  // The thread gets ready while the rest is loaded.
  if (argv.some((word) => /^--jq(=|$)/.test(word)))
    aside(stopping)
      .then(({ checkJq }) => checkJq('.'))
      .catch(() => {});
  let isReading = false;
  const context: Context = {
    stdin: {
      get isTerminal() {
        return Boolean(process.stdin.isTTY);
      },
      text: stdinText,
      bytes: () => {
        isReading = true;
        return process.stdin;
      },
    },
    stdout: sinkOf(1, () => process.stdout),
    stderr: quietWhenClosed(sinkOf(2, () => process.stderr)),
    env,
    signal: stopping,
    overdue,
    now: () => new Date(),
    instance: { pid: process.pid, host: hostname(), isRunning },
    version,
    userAgent: `kith/${version} (node/${versions.node}; ${platform})`,
    settings: async () => {
      const { openSettings } = await import('./settings/settings.ts');
      return openSettings(env, { ...context.instance, now: context.now, signal: stopping });
    },
    http: async (target) => {
      const { httpTransport } = await import('./client/transport.ts');
      const calmEngine = versions.node.startsWith('20.');
      return httpTransport({ ...target, calmEngine, proxies: env, userAgent: context.userAgent });
    },
    clientOver: async (wiring) => {
      const { createClient } = await import('./client/client.ts');
      const sleep = async (milliseconds: number) => {
        const { setTimeout: wait } = await import('node:timers/promises');
        await wait(milliseconds, undefined, { signal: wiring.signal });
      };
      return createClient({ ...wiring, sleep, now: context.now, random: Math.random });
    },
    workspace: async () => {
      const { workspaceOn } = await import('./service/workspace.ts');
      const { engine } = await import('./service/engine.ts');
      engine(); // where there is none, no file is to blame
      return workspaceOn({
        now: context.now,
        newId: () => crypto.randomUUID(),
        version,
        readCalendar: async (file, here) => (await aside(stopping)).readCalendar(file, here),
        log: (text) => void context.stderr.write(`kith: ${text}\n`),
      });
    },
    aside,
    prompts: promptsOn(stopping),
    programs: {
      edit: async (command, file) => (await programs()).edit(command, file),
      pager: async (command) => (await programs()).pager(command),
      unattended: async (program) => (await programs()).unattended(program),
    },
    machine: {
      node: versions.node,
      sqlite: async () => (await import('./service/engine.ts')).sqliteVersion(),
      checkProxy: async (url) => void (await import('./client/proxy.ts')).proxyFor(new URL(url), env),
    },
    started: () => ({
      node: process.execPath,
      script: fileURLToPath(new URL('../bin/kith.js', import.meta.url)),
      folder: process.cwd(),
    }),
    completion: async (file) => readFileSync(new URL(`../completions/${file}`, import.meta.url), 'utf8'),
  };
  // Should the event loop run dry while something is awaited, it was no success.
  process.exitCode = 1;
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run(argv, context);
  // What waits for input would keep the process.
  if (stopping.aborted || isReading) process.stdin.destroy();
}

/** One that has ended, and whose parent has not looked, is there by its number alone. */
function isRunning(pid: number): boolean {
  try {
    const isEnded = /^\d+ \(.*\) Z/s.test(statusOf(pid));
    return !isEnded && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it throws no other
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

/** Questions on stderr: stdout may be kept for the result. */
function promptsOn(signal: AbortSignal): Prompts {
  type Place = { output: NodeJS.WriteStream; signal: AbortSignal };
  type Ask<T> = (prompts: typeof import('@clack/prompts'), place: Place) => Promise<T>;
  const asked = async <T>(ask: Ask<T>) => {
    const prompts = await import('@clack/prompts');
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    if (signal.aborted) leave();
    // Where the input ends, as with Ctrl-D, it is paused, and the question would stand for ever. An answer
    // pauses it too, but is here before the next turn.
    let ending: NodeJS.Immediate | undefined;
    const end = () => {
      ending = setImmediate(leave);
    };
    process.stdin.once('pause', end);
    signal.addEventListener('abort', leave);
    try {
      const answer = await ask(prompts, { output: process.stderr, signal: leaving.signal });
      return typeof answer === 'symbol' ? undefined : (answer as Exclude<T, symbol>); // a symbol is what was left out
    } finally {
      clearImmediate(ending);
      process.stdin.off('pause', end);
      signal.removeEventListener('abort', leave);
    }
  };
  return {
    text: (message) => asked(({ text }, place) => text({ message, ...place })),
    secret: (message) => asked(({ password }, place) => password({ message, ...place })),
    confirm: (message) => asked(({ confirm }, place) => confirm({ message, initialValue: false, ...place })),
  };
}

async function stdinText(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new Failure('usage', 'What came on stdin is not UTF-8.', { cause: error });
  }
}

/** What is said for a person is not needed when nobody listens. */
function quietWhenClosed(sink: Sink): Sink {
  return through(sink, (text) => sink.write(text).catch(() => {}));
}

/** Node 22 warns that its SQLite is new, on stderr, where cron would mail it. */
function hideSqliteWarning(): void {
  const warn = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: [never]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature'))
      warn.call(process, warning, ...rest);
  }) as typeof process.emitWarning; // it has three signatures, all of them passed on
}

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { version } from '../package.json';
import { ClosedPipe, type Context, type Prompts, type Sink } from './cli/context.ts';
import { Failure, failures } from './contract/errors.ts';

/** Runs the program on this process: the one place where the two meet. */
export async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  // The version is asked for by scripts before each run; it needs nothing of what follows.
  if (argv.length === 1 && /^(-V|--version)$/.test(argv[0] ?? '')) {
    process.stdout.on('error', () => {}).write(`${version}\n`);
    return;
  }
  hideSqliteWarning();
  const stopping = stopOnSignals();
  const { env, versions, platform } = process;
  const context: Context = {
    stdin: { isTerminal: Boolean(process.stdin.isTTY), text: stdinText },
    stdout: sinkOf(process.stdout),
    stderr: quietWhenClosed(sinkOf(process.stderr)),
    env,
    signal: stopping,
    now: () => new Date(),
    instance: { pid: process.pid, host: hostname(), isRunning },
    version,
    userAgent: `kith/${version} (node/${versions.node}; ${platform})`,
    settings: async () => (await import('./settings/settings.ts')).openSettings(env),
    http: async (target) => {
      const { httpTransport } = await import('./client/transport.ts');
      const calmEngine = versions.node.startsWith('20.');
      return httpTransport({ ...target, calmEngine, userAgent: context.userAgent });
    },
    clientOver: async (wiring) => {
      const { createClient } = await import('./client/client.ts');
      const sleep = (milliseconds: number) => wait(milliseconds, undefined, { signal: stopping });
      return createClient({ ...wiring, sleep, signal: stopping, now: context.now, random: Math.random });
    },
    workspace: async () => {
      const { workspaceOn } = await import('./service/workspace.ts');
      return workspaceOn({
        now: context.now,
        newId: randomUUID,
        version,
        log: (text) => void context.stderr.write(`kith: ${text}\n`),
      });
    },
    prompts: promptsOn(stopping),
    programs: {
      edit: async (command, file) => (await import('./programs.ts')).programsWith(env).edit(command, file),
      pager: async (command) => (await import('./programs.ts')).programsWith(env).pager(command),
    },
    completion: (file) => readFile(new URL(`../completions/${file}`, import.meta.url), 'utf8'),
  };
  const { run } = await import('./cli/run.ts');
  // Should the event loop run dry while something is awaited, it was no success.
  process.exitCode = 1;
  process.exitCode = await run(argv, context);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it throws no other
  }
}

/** Questions on stderr: stdout may be kept for the result. */
function promptsOn(signal: AbortSignal): Prompts {
  const asked = async <T>(ask: (prompts: typeof import('@clack/prompts')) => Promise<T>) => {
    const answer = await ask(await import('@clack/prompts'));
    return typeof answer === 'symbol' ? undefined : (answer as Exclude<T, symbol>); // a symbol is what was left out
  };
  const place = { output: process.stderr, signal };
  return {
    text: (message) => asked(({ text }) => text({ message, ...place })),
    secret: (message) => asked(({ password }) => password({ message, ...place })),
    confirm: (message) => asked(({ confirm }) => confirm({ message, initialValue: false, ...place })),
  };
}

async function stdinText(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function sinkOf(stream: NodeJS.WriteStream): Sink {
  // Without a listener an error that no write waits for would end the process.
  stream.on('error', () => {});
  return {
    isTerminal: Boolean(stream.isTTY),
    columns: stream.columns,
    rows: stream.rows,
    write: (text) =>
      new Promise((resolve, reject) => {
        if (text === '') return resolve();
        stream.write(text, (error) => {
          if (!error) return resolve();
          const { code } = error as NodeJS.ErrnoException; // a stream of this process throws no other
          const gone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
          reject(gone ? new ClosedPipe() : error);
        });
      }),
  };
}

/** What is said for a person is not needed when nobody listens. */
function quietWhenClosed(sink: Sink): Sink {
  return { ...sink, write: (text) => sink.write(text).catch(() => {}) };
}

/**
 * The first signal stops the work in order, the second one ends the process at once. A library of conf sends
 * the first again, which arrives in the next turn of the event loop: that is no second one.
 */
function stopOnSignals(): AbortSignal {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals, failure: Failure) => {
    let isSecond = false;
    process.on(signal, () => {
      if (isSecond) process.exit(failures[failure.code].exit);
      stopping.abort(failure);
      setImmediate(() =>
        setImmediate(() => {
          isSecond = true;
        }),
      );
    });
  };
  stop('SIGINT', new Failure('interrupted', 'Interrupted.'));
  stop('SIGTERM', new Failure('terminated', 'Terminated.'));
  return stopping.signal;
}

/** Node 22 warns that its SQLite is new, on stderr, where cron would mail it. */
function hideSqliteWarning(): void {
  const warn = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: [never]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature'))
      warn.call(process, warning, ...rest);
  }) as typeof process.emitWarning; // it has three signatures, all of them passed on
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants as fileConstants } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { kill } from 'node:process';
import type { Readable } from 'node:stream';
import { ClosedPipeError, Failure } from '../contract/errors.ts';
import type { Environment } from '../settings/paths.ts';
import type { OutputStream } from './streams.ts';

/** Makes a shell exit only after its program, which first restores the terminal. */
const forwardTermination = "trap 'exit 143' TERM\n";

/** The running programs that use the terminal. */
export type TerminalPrograms = Set<Pick<ChildProcess, 'pid'>>;

/** Creates the functions that run other programs. `env` is the environment of a pager or an editor. */
export function createPrograms(env: Environment, atTerminal: TerminalPrograms) {
  // A plug-in of an editor might leak the keys and passwords.
  const {
    KITH_API_KEY: _,
    KITH_API_KEY_FILE: __,
    KITH_DATABASE_URL: ___,
    PGPASSWORD: ____,
    ...safeEnv
  } = env;
  // A command is a shell command line, as in PAGER and EDITOR: `less -R`, `code --wait`.
  const start = (line: string, args: readonly string[], stdin: 'inherit' | 'pipe') => {
    const child = spawn('sh', ['-c', `${forwardTermination}${line}`, 'sh', ...args], {
      env: { LESS: 'FRX', ...safeEnv },
      stdio: [stdin, 'inherit', 'inherit'],
    });
    atTerminal.add(child);
    return child.on('close', () => atTerminal.delete(child));
  };
  return {
    /** Opens a file in an editor and returns its exit code. */
    edit: async (command: string, file: string): Promise<number> => {
      const [code] = await once(start(`${command} "$@"`, [file], 'inherit'), 'exit');
      return Number(code ?? 1);
    },
    openPager: async (command: string) =>
      createPager(command, start(checkProgramExists(command), [], 'pipe')),
    /** Whether a folder of PATH has an executable file with this name. */
    hasProgram: (name: string): boolean =>
      (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, name))),
    runUnattended,
    /** The environment without secrets, for other programs. */
    safeEnv,
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, fileConstants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A running pager. `close` waits until the person quits it. */
export type Pager = ReturnType<typeof createPager>;

function createPager(command: string, child: ChildProcess) {
  const exited = once(child, 'exit');
  const { stdin } = child;
  stdin?.on('error', () => {}); // each write reports its own error
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      stdin?.write(text, (error) => (error ? reject(new ClosedPipeError()) : resolve()));
    });
  const close = async () => {
    stdin?.end();
    const [code] = await exited;
    if (code !== 126 && code !== 127) return;
    throw new Failure('failed', `Cannot run pager "${command}".`, {
      hint: 'Set KITH_PAGER to another program, or to nothing.',
    });
  };
  const output: OutputStream = { isTerminal: true, columns: undefined, rows: undefined, write };
  return { output, close };
}

/** A program without a terminal. It gets only these values from this process. */
interface UnattendedProgram {
  /** The path of the program and its arguments. */
  readonly command: readonly string[];
  readonly env: Environment;
  readonly folder: string;
  /** Receive its output as it is printed. */
  readonly stdout: (text: string) => Promise<void>;
  readonly stderr: (text: string) => Promise<void>;
  /** Ends it, and the programs that it has started, with SIGTERM; after 5 seconds with SIGKILL. */
  readonly signal: AbortSignal;
  /** The text of stdin, which is otherwise empty. */
  readonly stdin?: string;
  /** How bytes are converted to text and back. `latin1` keeps every byte. Default: `utf8`. */
  readonly encoding?: 'utf8' | 'latin1';
}

/**
 * Runs a program as cron does, and returns its exit code. If a signal ended it, returns the exit code of a shell.
 * @throws if the program cannot be started
 */
async function runUnattended(options: UnattendedProgram): Promise<number> {
  const { command, env, folder, signal, stdin, encoding = 'utf8' } = options;
  signal.throwIfAborted();
  const [program = '', ...args] = command;
  const input = stdin === undefined ? 'ignore' : 'pipe';
  // A new session has no terminal, not even /dev/tty.
  const child = spawn(program, args, { env, cwd: folder, stdio: [input, 'pipe', 'pipe'], detached: true });
  let isClosed = false;
  let killTimer: NodeJS.Timeout | undefined;
  child.on('close', () => {
    isClosed = true;
    clearTimeout(killTimer);
  });
  const terminate = () => {
    if (isClosed) return;
    signalGroup(child, 'SIGTERM');
    killTimer ??= setTimeout(() => signalGroup(child, 'SIGKILL'), killDelay);
  };
  signal.addEventListener('abort', terminate);
  child.stdin?.on('error', () => {}); // a program may end without reading stdin
  child.stdin?.end(stdin, encoding);
  try {
    const [[code, killedBy]] = await Promise.all([
      once(child, 'close'),
      forwardOutput(child.stdout, options.stdout, encoding),
      forwardOutput(child.stderr, options.stderr, encoding),
    ]);
    return code ?? 128 + constants.signals[killedBy as NodeJS.Signals]; // Node sets one of the two
  } finally {
    signal.removeEventListener('abort', terminate);
    terminate();
  }
}

/** Milliseconds after SIGTERM until a program that ignores it is killed. */
const killDelay = 5000;

/** Sends a signal to a program that leads a process group, and to the programs that it has started. */
function signalGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    kill(-child.pid, name);
  } catch {
    child.kill(name); // Windows has no process groups
  }
}

async function forwardOutput(
  stream: Readable | null,
  write: (text: string) => Promise<void>,
  encoding: BufferEncoding,
): Promise<void> {
  if (!stream) return; // the program could not be started
  for await (const text of stream.setEncoding(encoding)) await write(text);
}

/** Makes the shell exit with 127, without a message of its own, if the program does not exist. */
function checkProgramExists(command: string): string {
  const [program] = /^[\w./-]+(?=\s|$)/.exec(command) ?? [];
  return program === undefined ? command : `command -v ${program} >/dev/null 2>&1 || exit 127\n${command}`;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { ClosedPipeError, type Pager, type Programs } from '../cli/context.ts';
import { Failure } from '../contract/errors.ts';

/** A shell that is told to end does so after what it runs, which sets the terminal back before. */
const forwardTermination = "trap 'exit 143' TERM\n";

/** The programs that have the terminal now. */
export type TerminalPrograms = Set<Pick<ChildProcess, 'pid'>>;

/** Other programs; `env` is that of those at the terminal of this process. */
export function createPrograms(env: NodeJS.ProcessEnv, atTerminal: TerminalPrograms): Programs {
  // A command is a line for the shell, as the variables that name it are: `less -R`, `code --wait`.
  const start: Start = (line, args, stdin) => {
    const child = spawn('sh', ['-c', `${forwardTermination}${line}`, 'sh', ...args], {
      env: { LESS: 'FRX', ...removeKeys(env) },
      stdio: [stdin, 'inherit', 'inherit'],
    });
    atTerminal.add(child);
    return child.on('close', () => atTerminal.delete(child));
  };
  return {
    edit: async (command, file) => {
      const [code] = await once(start(`${command} "$@"`, [file], 'inherit'), 'exit');
      return Number(code ?? 1);
    },
    openPager: async (command) => createPager(command, start(checkProgramExists(command), [], 'pipe')),
    runUnattended: runUnattended,
  };
}

/** A pager or an editor needs no API key, and one of its plug-ins might leak it. */
function removeKeys({
  KITH_API_KEY: _,
  KITH_API_KEY_FILE: __,
  ...others
}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return others;
}

/** Starts a program at the terminal. */
type Start = (line: string, args: readonly string[], stdin: 'inherit' | 'pipe') => ChildProcess;

/** A pager that runs as a child. */
function createPager(command: string, child: ChildProcess): Pager {
  const left = once(child, 'exit');
  const { stdin } = child;
  stdin?.on('error', () => {}); // each write tells its own
  const write = (text: string) =>
    new Promise<void>((done, failed) => {
      stdin?.write(text, (error) => (error ? failed(new ClosedPipeError()) : done()));
    });
  const close = async () => {
    stdin?.end();
    const [code] = await left;
    if (code !== 126 && code !== 127) return;
    throw new Failure('failed', `The pager "${command}" cannot be run.`, {
      hint: 'Name another in PAGER, or none: PAGER=',
    });
  };
  return { output: { isTerminal: true, columns: undefined, rows: undefined, write }, close };
}

const runUnattended: Programs['runUnattended'] = async ({ command, env, folder, stdout, stderr, signal }) => {
  signal.throwIfAborted();
  const [program = '', ...args] = command;
  // A session of its own has no terminal, not even by way of /dev/tty.
  const child = spawn(program, args, {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  try {
    const [[code, killedBy]] = await Promise.all([
      once(child, 'close'),
      forwardOutput(child.stdout, stdout),
      forwardOutput(child.stderr, stderr),
    ]);
    return code ?? 128 + constants.signals[killedBy as NodeJS.Signals]; // one of the two is always there
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
};

async function forwardOutput(stream: Readable, take: (text: string) => Promise<void>): Promise<void> {
  for await (const text of stream.setEncoding('utf8')) await take(text);
}

/** A pager that is not there is told of by its exit code alone: what the shell says of it is not for everybody. */
function checkProgramExists(command: string): string {
  const [program] = /^[\w./-]+(?=\s|$)/.exec(command) ?? [];
  return program === undefined ? command : `command -v ${program} >/dev/null 2>&1 || exit 127\n${command}`;
}

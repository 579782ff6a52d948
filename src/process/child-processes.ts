import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { ClosedPipeError, type Pager, type Programs } from '../cli/context.ts';
import { Failure } from '../contract/errors.ts';

/** Makes a shell exit only after its program, which first restores the terminal. */
const forwardTermination = "trap 'exit 143' TERM\n";

/** The running programs that use the terminal. */
export type TerminalPrograms = Set<Pick<ChildProcess, 'pid'>>;

/** Creates the functions that run other programs. `env` is the environment of a pager or an editor. */
export function createPrograms(env: NodeJS.ProcessEnv, atTerminal: TerminalPrograms): Programs {
  // A command is a shell command line, as in PAGER and EDITOR: `less -R`, `code --wait`.
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

/** Removes API keys. A plug-in of an editor might leak them. */
function removeKeys({
  KITH_API_KEY: _,
  KITH_API_KEY_FILE: __,
  ...others
}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return others;
}

/** Starts a program that uses the terminal. */
type Start = (line: string, args: readonly string[], stdin: 'inherit' | 'pipe') => ChildProcess;

/** Creates a pager from a running program. */
function createPager(command: string, child: ChildProcess): Pager {
  const exited = once(child, 'exit');
  const { stdin } = child;
  stdin?.on('error', () => {}); // each write reports its own error
  const write = (text: string) =>
    new Promise<void>((done, failed) => {
      stdin?.write(text, (error) => (error ? failed(new ClosedPipeError()) : done()));
    });
  const close = async () => {
    stdin?.end();
    const [code] = await exited;
    if (code !== 126 && code !== 127) return;
    throw new Failure('failed', `Cannot run pager "${command}".`, {
      hint: 'Set PAGER to another program, or to nothing.',
    });
  };
  return { output: { isTerminal: true, columns: undefined, rows: undefined, write }, close };
}

const runUnattended: Programs['runUnattended'] = async ({ command, env, folder, stdout, stderr, signal }) => {
  signal.throwIfAborted();
  const [program = '', ...args] = command;
  // A new session has no terminal, not even /dev/tty.
  const child = spawn(program, args, {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const terminate = () => child.kill('SIGTERM');
  signal.addEventListener('abort', terminate);
  try {
    const [[code, killedBy]] = await Promise.all([
      once(child, 'close'),
      forwardOutput(child.stdout, stdout),
      forwardOutput(child.stderr, stderr),
    ]);
    return code ?? 128 + constants.signals[killedBy as NodeJS.Signals]; // Node sets one of the two
  } finally {
    signal.removeEventListener('abort', terminate);
    terminate();
  }
};

async function forwardOutput(stream: Readable, write: (text: string) => Promise<void>): Promise<void> {
  for await (const text of stream.setEncoding('utf8')) await write(text);
}

/** Makes the shell exit with 127, without a message of its own, if the program does not exist. */
function checkProgramExists(command: string): string {
  const [program] = /^[\w./-]+(?=\s|$)/.exec(command) ?? [];
  return program === undefined ? command : `command -v ${program} >/dev/null 2>&1 || exit 127\n${command}`;
}

import { onTestFinished } from 'vitest';
import { launcher, type RunOptions, runProgram } from './binary.ts';
import type { CommandResult } from './kith.ts';

/** When a text is shown, another one is typed or a function is called. */
type Reaction = readonly [output: string, input: string | (() => void)];

export interface TerminalOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  /** Whether `out` contains the progress line, which a slow machine shows more often. */
  readonly hasProgress?: boolean;
  /** In order: each waits for text after the previous one. */
  readonly reactions?: readonly Reaction[];
}

const esc = '\u001b';

/** The frames of the progress line, and its removal. */
const progressLines = new RegExp(
  `(?:${esc}\\[\\?2026h[^]*?${esc}\\[\\?2026l)+(?:${esc}\\[1G${esc}\\[0K)?`,
  'g',
);

/** The characters of Ctrl-C and Ctrl-D. */
export const ctrlC = '\u0003';
export const ctrlD = '\u0004';

/**
 * Runs a shell script, in which `kith` is the built program, in its own terminal. `out` has both streams and the echo
 * of typed text. The shell survives Ctrl-C and continues the script.
 */
export async function runInTerminal(
  line: string,
  { env, cwd, columns = 100, rows = 30, hasProgress = false, reactions = [] }: TerminalOptions,
): Promise<CommandResult> {
  const kith = `kith() { "${process.execPath}" "${launcher}" "$@"; }`;
  return runTerminalScript(`trap : INT; ${kith}; ${line}`, {
    ...{ env, columns, rows, hasProgress },
    ...(cwd !== undefined && { cwd }),
    onStart: (script) => {
      const { stdin, stdout } = script;
      onTestFinished(() => void script.kill('SIGKILL')); // a hanging program must not outlive its test
      stdin?.on('error', () => {}); // the program may have ended
      const waiting = [...reactions];
      let output = '';
      stdout?.on('data', (text: string) => {
        output += text;
        for (let [next] = waiting; next && output.includes(next[0]); [next] = waiting) {
          output = output.slice(output.indexOf(next[0]) + next[0].length);
          if (typeof next[1] === 'string') stdin?.write(next[1]);
          else next[1]();
          waiting.shift();
        }
      });
    },
  });
}

/** Runs a shell script in its own terminal. `onStart` types into it, and ends it if it hangs. */
export async function runTerminalScript(
  script: string,
  {
    env,
    cwd,
    columns = 100,
    rows = 30,
    hasProgress = false,
    onStart,
  }: Omit<TerminalOptions, 'reactions'> & Pick<RunOptions, 'onStart'>,
): Promise<CommandResult> {
  const sized = `stty cols ${columns} rows ${rows}; ${script}`;
  const result = await runProgram('script', ['-qec', sized, '/dev/null'], {
    env: { TERM: 'xterm', PAGER: 'cat', ...env },
    ...(cwd !== undefined && { cwd }),
    ...(onStart && { onStart }),
  });
  return hasProgress ? result : { ...result, out: result.out.replace(progressLines, '') };
}

/** Returns a script that shows the exit code of a line, and the terminal settings if they changed. */
export function withExitCode(line: string): string {
  return `before=$(stty -g); ${line}; echo "code $?"; after=$(stty -g); [ "$before" = "$after" ] || stty -a`;
}

import { onTestFinished } from 'vitest';
import { ended, kithJs } from './binary.ts';
import type { Ended } from './kith.ts';

/** When a text is shown, another one is typed or a function is called. */
type Reaction = readonly [shown: string, typed: string | (() => void)];

export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  /** In order: each waits for text after the previous one. */
  readonly person?: readonly Reaction[];
}

/** The characters of Ctrl-C and Ctrl-D. */
export const ctrlC = '\u0003';
export const ctrlD = '\u0004';

/**
 * Runs a shell script, in which `kith` is the built program, in its own terminal. `out` has both streams and the echo
 * of typed text. The shell survives Ctrl-C and continues the script.
 */
export function inTerminal(
  line: string,
  { env, cwd, columns = 100, rows = 30, person = [] }: Terminal,
): Promise<Ended> {
  const kith = `kith() { "${process.execPath}" "${kithJs}" "$@"; }`;
  const whole = `trap : INT; stty cols ${columns} rows ${rows}; ${kith}; ${line}`;
  return ended('script', ['-qec', whole, '/dev/null'], {
    env: { TERM: 'xterm', ...env },
    ...(cwd !== undefined && { cwd }),
    onStart: (script) => {
      const { stdin, stdout } = script;
      onTestFinished(() => void script.kill('SIGKILL')); // a hanging program must not outlive its test
      stdin?.on('error', () => {}); // the program may have ended
      const waiting = [...person];
      let shown = '';
      stdout?.on('data', (text: string) => {
        shown += text;
        for (let [next] = waiting; next && shown.includes(next[0]); [next] = waiting) {
          shown = shown.slice(shown.indexOf(next[0]) + next[0].length);
          if (typeof next[1] === 'string') stdin?.write(next[1]);
          else next[1]();
          waiting.shift();
        }
      });
    },
  });
}

/** Returns a script that shows the exit code of a line, and the terminal settings if they changed. */
export function watched(line: string): string {
  return `before=$(stty -g); ${line}; echo "code $?"; after=$(stty -g); [ "$before" = "$after" ] || stty -a`;
}

import { onTestFinished } from 'vitest';
import { ended, kithJs } from './binary.ts';
import type { Ended } from './kith.ts';

/** What a person does at the terminal: when this is shown, types that, or does it. */
type Reaction = readonly [shown: string, typed: string | (() => void)];

export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  /** In turn: each waits for what is shown after the one before. */
  readonly person?: readonly Reaction[];
}

/** Ctrl-C and Ctrl-D, as a terminal gets them. */
export const ctrlC = '\u0003';
export const ctrlD = '\u0004';

/**
 * Runs a line of a shell, in which `kith` is the built program, in a terminal of its own. `out` is what it
 * shows: both streams, and the echo of what is typed. The shell survives Ctrl-C, so that the line goes on.
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
      onTestFinished(() => void script.kill('SIGKILL')); // what hangs must not outlive its test
      stdin?.on('error', () => {}); // the program may be gone
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

/** A line of a shell that shows its exit code, and the settings of the terminal where they are not as before. */
export function watched(line: string): string {
  return `before=$(stty -g); ${line}; echo "code $?"; after=$(stty -g); [ "$before" = "$after" ] || stty -a`;
}

import type { Session } from '../context.ts';

/** A line that shows the progress of long work. */
export interface Progress {
  update(text: string): void;
  end(): void;
}

/** Time before the spinner appears, in milliseconds. */
const delay = 400;

/** Shows a spinner on stderr if the work takes long. Does nothing if stderr is not a terminal, or with --quiet. */
export function startProgress({ stderr, globals, env }: Session): Progress {
  // ora loops forever if the terminal reports 0 columns.
  const canSpin = stderr.isTerminal && stderr.columns !== undefined && env.TERM !== 'dumb' && !env.CI;
  if (!canSpin || globals.quiet) return { update() {}, end() {} };
  let latest = '';
  let hasEnded = false;
  let spinner: { text: string; stop(): unknown } | undefined;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (!hasEnded) spinner = ora({ text: latest, discardStdin: false }).start();
  }, delay);
  return {
    update(text) {
      latest = text;
      if (spinner) spinner.text = text;
    },
    end() {
      hasEnded = true;
      clearTimeout(timer);
      spinner?.stop();
    },
  };
}

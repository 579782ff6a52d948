import type { Session } from '../context.ts';

/** A line that says how far a long work is. */
export interface Progress {
  update(text: string): void;
  end(): void;
}

/** Milliseconds after which a work is long enough to be worth a spinner. */
const patience = 400;

/** A spinner on stderr, once the work takes long; nothing where stderr is no terminal, or with --quiet. */
export function startProgress({ stderr, globals, env }: Session): Progress {
  // ora divides by the columns that a terminal says it has, and never ends where they are 0.
  const isPossible = stderr.isTerminal && stderr.columns !== undefined && env.TERM !== 'dumb' && !env.CI;
  if (!isPossible || globals.quiet) return { update() {}, end() {} };
  let latest = '';
  let ended = false;
  let spinner: { text: string; stop(): unknown } | undefined;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (!ended) spinner = ora({ text: latest, discardStdin: false }).start();
  }, patience);
  return {
    update(text) {
      latest = text;
      if (spinner) spinner.text = text;
    },
    end() {
      ended = true;
      clearTimeout(timer);
      spinner?.stop();
    },
  };
}

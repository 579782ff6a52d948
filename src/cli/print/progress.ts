import type { Session } from '../context.ts';

/** Time before the spinner appears, in milliseconds. */
const delay = 400;

/** Runs work that may take long, with a spinner on stderr if that is a terminal, unless --quiet is set. */
export async function withProgress<T>(
  { stderr, globals, env }: Session,
  work: (update: (text: string) => void) => Promise<T>,
): Promise<T> {
  // ora loops forever if the terminal reports 0 columns.
  const canSpin = stderr.isTerminal && stderr.columns !== undefined && env.TERM !== 'dumb' && !env.CI;
  if (!canSpin || globals.quiet) return work(() => {});
  let latest = '';
  let hasEnded = false;
  let spinner: { text: string; stop(): unknown } | undefined;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (!hasEnded) spinner = ora({ text: latest, discardStdin: false }).start();
  }, delay);
  try {
    return await work((text) => {
      latest = text;
      if (spinner) spinner.text = text;
    });
  } finally {
    hasEnded = true;
    clearTimeout(timer);
    spinner?.stop();
  }
}

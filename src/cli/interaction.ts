import { Failure } from '../contract/errors.ts';
import { sanitizeLine } from '../render/sanitize.ts';
import type { Prompts, Session } from './context.ts';

type Ends = Pick<Session, 'stdin' | 'stdout' | 'stderr' | 'env'>;

/** Whether a person can be asked: all ends are terminals, and nothing says otherwise. Questions go to stderr. */
export function isInteractive({ stdin, stdout, stderr, env }: Ends): boolean {
  const ends = [stdin, stdout, stderr];
  return ends.every(({ isTerminal }) => isTerminal) && !env.CI && env.TERM !== 'dumb';
}

/** The answer to a question; leaving it with Ctrl-C or Escape ends the run as Ctrl-C does anywhere. */
export async function prompt<T>(
  ask: (prompts: Prompts) => Promise<T | undefined>,
  session: Session,
): Promise<T> {
  const answer = await ask(session.prompts);
  if (answer === undefined) throw new Failure('interrupted', 'Interrupted.');
  return answer;
}

/**
 * Asks before something is deleted, unless --yes says so already. Throws `usage` where nobody can be asked,
 * `cancelled` when the answer is no.
 */
export async function confirmDeletion(session: Session, question: () => Promise<string>): Promise<void> {
  if (session.globals.yes) return;
  if (!isInteractive(session)) {
    throw new Failure('usage', 'Deleting needs --yes where nobody can be asked.');
  }
  // A record may be called anything, and the question goes to a terminal.
  const text = sanitizeLine(await question());
  if (!(await prompt(({ confirm }) => confirm(text), session))) throw new Failure('cancelled', 'Cancelled.');
}

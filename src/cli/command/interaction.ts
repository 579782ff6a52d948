import { Failure } from '../../contract/errors.ts';
import { wrapParagraph } from '../../render/text/paragraph.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import type { Globals } from '../flags/globals.ts';
import type { Session, TypedQuestion } from './context.ts';

/** The properties of a session that decide whether a person can be prompted. */
interface PromptEnvironment extends Pick<Session, 'stdin' | 'stdout' | 'stderr' | 'env'> {
  readonly globals: Pick<Globals, 'noInput'>;
}

/** Whether a person can be prompted: the standard streams are terminals, without --no-input, CI and TERM=dumb. */
export function isInteractive({ stdin, stdout, stderr, env, globals }: PromptEnvironment): boolean {
  if (globals.noInput) return false;
  const streams = [stdout, stderr, stdin]; // the last one is opened only if the others are terminals
  return streams.every(({ isTerminal }) => isTerminal) && !env.CI && env.TERM !== 'dumb';
}

/** Whether a person can be asked for confirmation: at the terminal, or by an MCP client. */
export const canConfirm = (session: Session) =>
  session.requestConsent !== undefined || isInteractive(session);

/**
 * Asks for confirmation, unless --yes is set. The answer is y, or the text of a `TypedQuestion`.
 * @throws {Failure} usage without a terminal, cancelled if declined
 */
export async function confirmDeletion(
  session: Session,
  question: () => Promise<string | TypedQuestion>,
): Promise<void> {
  if (session.globals.yes) return;
  if (!canConfirm(session)) {
    throw new Failure('usage', 'Refusing to delete without confirmation. Pass --yes to skip the prompt.');
  }
  const asked = await question();
  await (typeof asked === 'string' ? requireConsent(session, asked) : requireTyped(session, asked));
}

/** Asks a yes-no question, which may contain names of records. @throws {Failure} cancelled if the answer is no */
export async function requireConsent(session: Session, question: string): Promise<void> {
  const choice = ' [y/N]'; // the prompt adds it
  const start = session.isWrite ? await session.profileNotice.startQuestion() : '';
  if (session.requestConsent) return session.requestConsent(`${start}${question}`);
  const text = wrapQuestion(session, `${start}${question}${choice}`).slice(0, -choice.length);
  if (!(await session.prompts.confirm(text))) throw new Failure('cancelled', 'Cancelled.');
}

/** Wraps a question, which may contain names of records, next to the symbol of the prompt. */
export const wrapQuestion = ({ stderr }: Session, question: string) =>
  wrapParagraph(sanitizeLine(question), stderr.columns, 3);

/** Asks for a text until it is typed. @throws {Failure} cancelled if nothing is typed */
async function requireTyped(session: Session, { text, answer }: TypedQuestion): Promise<void> {
  const normalize = (typed: string) => sanitizeLine(typed.normalize());
  const expected = normalize(answer);
  const validate = (typed: string) =>
    ['', expected].includes(normalize(typed)) ? undefined : 'That does not match. Press Escape to cancel.';
  const start = await session.profileNotice.startQuestion();
  if (session.requestConsent) return session.requestConsent({ text: start + text, answer });
  const typed = await session.prompts.text(wrapQuestion(session, start + text), { validate });
  if (normalize(typed) !== expected) throw new Failure('cancelled', 'Cancelled.');
}

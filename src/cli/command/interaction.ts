import { Failure } from '../../contract/errors.ts';
import { wrapParagraph } from '../../render/text/paragraph.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import type { Question, Runtime, Session, Streams } from './context.ts';
import type { Globals } from './globals.ts';

/** The properties of a session that decide whether a person can be prompted. */
interface PromptEnvironment {
  readonly streams: Streams;
  readonly runtime: Pick<Runtime, 'env'>;
  readonly globals: Pick<Globals, 'noInput'>;
}

/** Whether a person can be prompted: the standard streams are terminals, without --no-input, CI and TERM=dumb. */
export function isInteractive({ streams, runtime: { env }, globals }: PromptEnvironment): boolean {
  if (globals.noInput) return false;
  const { stdin, stdout, stderr } = streams;
  // stdin comes last, because reading `isTerminal` opens it.
  return [stdout, stderr, stdin].every(({ isTerminal }) => isTerminal) && !env.CI && env.TERM !== 'dumb';
}

/** Whether a person can be asked for confirmation: at the terminal, or by an MCP client. */
export const canConfirm = (session: Session) =>
  session.terminal.requestConsent !== undefined || isInteractive(session);

/**
 * Asks for confirmation of a deletion, unless --yes is set; see `confirmPlan`.
 * @throws {Failure} usage without a terminal, cancelled if declined
 */
export async function confirmDeletion(session: Session, read: () => Promise<Question>): Promise<void> {
  if (session.globals.yes) return;
  requireAnswerable(session, 'delete');
  await confirmPlan(session, 'delete', read);
}

/** Maximum number of times that a question is repeated because the records have changed. */
const maxQuestions = 3;

/**
 * Reads a plan with its question, and asks, unless --yes is set. Then reads the plan again, and asks again if
 * it has changed, because the answer is about the plan that was shown. Returns the plan.
 * @throws {Failure} usage if nobody can answer, cancelled if declined
 */
export async function confirmPlan<T extends Question>(
  session: Session,
  verb: string,
  read: () => Promise<T>,
): Promise<T> {
  let asked = await read();
  for (let count = 0; count < maxQuestions; count += 1) {
    for (const line of asked.lines ?? []) await session.messages.note(line);
    if (session.globals.yes) return asked;
    requireAnswerable(session, verb);
    if (await ask(session, asked)) return asked;
    const current = await read();
    if ((await createToken(current)) === (await createToken(asked))) return current;
    await session.messages.note('The records changed while kith waited for your answer.');
    asked = current;
  }
  throw new Failure('changed', 'The records keep changing. Nothing was written.');
}

/**
 * Asks before many records are written, unless --yes is set.
 * @throws {Failure} usage if nobody can be asked, cancelled if declined
 */
export async function confirmWrites(session: Session, verb: string, text: string): Promise<void> {
  if (session.globals.yes) return;
  requireAnswerable(session, verb);
  await ask(session, { text });
}

function requireAnswerable(session: Session, verb: string): void {
  if (!canConfirm(session))
    throw new Failure('usage', `Refusing to ${verb} without confirmation. Pass --yes to skip the prompt.`);
}

/** Identifies a question and everything that the answer is about. */
async function createToken({ text, seen }: Question): Promise<string> {
  // Most commands ask nothing, and node:crypto loads the streams of Node.
  const { createHash } = await import('node:crypto');
  return createHash('sha256')
    .update(JSON.stringify([text, seen]))
    .digest('hex')
    .slice(0, 16);
}

/** Asks a yes-no question, which may contain names of records. @throws {Failure} cancelled if the answer is no */
export async function requireConsent(session: Session, text: string): Promise<void> {
  await ask(session, { text });
}

/** Asks a question. Returns whether the user has answered it before. @throws {Failure} cancelled if declined */
async function ask(session: Session, question: Question): Promise<boolean> {
  const prefix = session.call.isWrite ? await session.messages.profileNotice.readQuestionPrefix() : '';
  const text = `${prefix}${question.text}`;
  if (session.terminal.requestConsent)
    return session.terminal.requestConsent({ ...question, text }, await createToken(question));
  if (question.answer !== undefined) return requireTyped(session, text, question.answer);
  const choice = ' [y/N]'; // the prompt adds it
  const wrapped = wrapQuestion(session, `${text}${choice}`).slice(0, -choice.length);
  if (!(await session.terminal.prompts.confirm(wrapped))) throw new Failure('cancelled', 'Cancelled.');
  return false;
}

/** Wraps a question, which may contain names of records, next to the symbol of the prompt. */
export const wrapQuestion = ({ streams: { stderr } }: Session, question: string) =>
  wrapParagraph(sanitizeLine(question), stderr.columns, 3);

/** Asks for a text until it is typed. @throws {Failure} cancelled if nothing is typed */
async function requireTyped(session: Session, text: string, answer: string): Promise<false> {
  const normalize = (typed: string) => sanitizeLine(typed.normalize());
  const expected = normalize(answer);
  const validate = (typed: string) =>
    ['', expected].includes(normalize(typed)) ? undefined : 'That does not match. Press Escape to cancel.';
  const typed = await session.terminal.prompts.text(wrapQuestion(session, text), { validate });
  if (normalize(typed) !== expected) throw new Failure('cancelled', 'Cancelled.');
  return false;
}

import type { Session } from '../../cli/command/context.ts';
import { describeProblem } from '../../cli/references/field-input.ts';
import { Failure } from '../../contract/errors.ts';
import type { Choice } from '../../process/prompts.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';

/** The texts that answer a question, as its flag takes them; empty if the question was skipped. */
export type Answer = readonly string[];

/** The rules for the texts that a question accepts. */
export interface TextRequirements {
  /** Describes valid texts in a few words; shown until the person types. */
  readonly explanation?: string | undefined;
  /** Why the question cannot be skipped. */
  readonly requirement?: string | undefined;
  /** Checks a text while the question is open. @throws {Failure} usage if it is not valid */
  readonly check?: ((text: string) => unknown) | undefined;
  /** Resolves a reference to the id of a record. @throws {Failure} not_found, usage */
  readonly resolve?: ((text: string) => Promise<string>) | undefined;
}

/** Asks for a text until it is valid; returns an empty text if the question is skipped. */
export async function askText(
  session: Session,
  message: string,
  previous: string | undefined,
  { explanation, requirement, check, resolve }: TextRequirements,
): Promise<string> {
  const validate = (answer: string) => {
    const text = answer.trim();
    try {
      if (text !== '') check?.(text);
      return text === '' && requirement !== undefined ? sanitizeLine(requirement) : undefined;
    } catch (error) {
      return sanitizeLine(describeProblem(error));
    }
  };
  for (let initialValue = previous; ; ) {
    const rules = {
      validate,
      ...(explanation !== undefined && { placeholder: sanitizeLine(explanation) }),
      ...(initialValue !== undefined && { initialValue }),
    };
    const text = (await session.terminal.prompts.text(sanitizeLine(message), rules)).trim();
    if (text === '' || !resolve) return text;
    try {
      return await resolve(text);
    } catch (error) {
      const isDeclined = error instanceof Failure && error.code === 'cancelled';
      if (!isDeclined) await session.messages.warn(describeProblem(error));
      initialValue = text;
    }
  }
}

interface RepeatedRequirements extends TextRequirements {
  /** Asks for the missing parts of an answer, and returns the complete one. */
  readonly complete?: ((text: string) => Promise<string>) | undefined;
}

/** Asks for texts until the answer is empty. */
export async function askTexts(
  session: Session,
  message: string,
  previous: Answer,
  { complete = async (text) => text, ...requirements }: RepeatedRequirements,
): Promise<Answer> {
  const next = { ...requirements, requirement: undefined, explanation: 'Press Enter if there is no other' };
  const answer: string[] = [];
  for (let index = 0; ; index += 1) {
    const text = await (answer.length === 0
      ? askText(session, message, previous[index], requirements)
      : askText(session, `${message} ${answer.length + 1}`, previous[index], next));
    if (text !== '') answer.push(await complete(text));
    else if (index >= previous.length) return answer;
  }
}

const toChoices = (values: readonly string[]): Choice[] =>
  values.map((value) => ({ value, label: sanitizeLine(value) }));

/** Asks for one of several values. */
export async function askChoice(
  session: Session,
  message: string,
  values: readonly string[],
  isOptional: boolean,
): Promise<Answer> {
  const choices = [...(isOptional ? [{ value: '', label: '(skip)' }] : []), ...toChoices(values)];
  const value = await session.terminal.prompts.select(sanitizeLine(message), choices);
  return value === '' ? [] : [value];
}

/** Asks for any number of several values. */
export function askChoices(session: Session, message: string, values: readonly string[]): Promise<Answer> {
  return session.terminal.prompts.selectMany(sanitizeLine(message), toChoices(values));
}

import { Failure } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import type { ConsentRequest } from '../command/context.ts';

/** The answer of a person to a form of an MCP client. */
interface FormAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** Shows a form with one field to the user of an MCP client. `field`: its JSON Schema. */
export type AskForm = (message: string, field: object) => Promise<FormAnswer>;

/**
 * Returns a request for consent that the user answers in a form of the client. `takeNotes` returns and
 * removes the notes that the command has written, such as the plan of a merge. They precede the question.
 */
export function createFormConsent(ask: AskForm, takeNotes: () => readonly string[]): ConsentRequest {
  return async (question) => {
    const isTyped = typeof question !== 'string';
    const text = isTyped ? question.text : question;
    const message = [...takeNotes(), text].map(sanitizeLine).join('\n');
    const field = isTyped
      ? { type: 'string', title: 'Confirmation' }
      : { type: 'boolean', title: 'Confirm', default: false };
    const { action, content } = await ask(message, field);
    const answer = content?.confirm;
    const isAccepted = isTyped
      ? typeof answer === 'string' && answer.normalize().trim() === question.answer.normalize().trim()
      : answer === true;
    if (action !== 'accept' || !isAccepted)
      throw new Failure('cancelled', 'The user did not confirm. Nothing was written.');
  };
}

/** Returns a request for consent for clients that cannot ask: it fails, and tells the agent to ask the user. */
export function createConsentRefusal(tool: string, takeNotes: () => readonly string[]): ConsentRequest {
  return async (question) => {
    const text =
      typeof question === 'string' ? question : question.text.replace(/ Type [^.]* to confirm:$/, '');
    throw new Failure('usage', `This needs the user's consent: ${[...takeNotes(), text].join('\n')}`, {
      hint: `Ask the user this question. If the answer is yes, call \`${tool}\` again with \`confirm\`: true.`,
    });
  };
}

import type { ConsentRequest } from '../../cli/command/context.ts';
import { Failure } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';

/** Shows a form with one field to the user of an MCP client. `field`: its JSON Schema. */
export type AskForm = (
  message: string,
  field: object,
) => Promise<{
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}>;

/**
 * Returns a request for consent that the user answers in a form of the client. `takeNotes` returns and
 * removes the notes that the command has written, such as the plan of a merge. They precede the question.
 */
export function createFormConsent(ask: AskForm, takeNotes: () => readonly string[]): ConsentRequest {
  return async ({ text, answer }) => {
    const message = [...takeNotes(), text].map(sanitizeLine).join('\n');
    const field =
      answer === undefined
        ? { type: 'boolean', title: 'Confirm', default: false }
        : { type: 'string', title: 'Confirmation' };
    const { action, content } = await ask(message, field);
    const typed = content?.confirm;
    const isAccepted =
      answer === undefined
        ? typed === true
        : typeof typed === 'string' && typed.normalize().trim() === answer.normalize().trim();
    if (action !== 'accept' || !isAccepted)
      throw new Failure('cancelled', 'The user did not confirm. Nothing was written.');
    return false;
  };
}

/**
 * Returns a request for consent for clients that cannot ask. It fails with the question and its token, unless `confirm` is
 * this token.
 */
export function createTokenConsent(
  tool: string,
  confirm: unknown,
  takeNotes: () => readonly string[],
): ConsentRequest {
  return async ({ text }, token) => {
    if (confirm === token) return true;
    const question = [...takeNotes(), text.replace(/ Type [^.]* to confirm:$/, '')].join('\n');
    const reason =
      typeof confirm === 'string'
        ? 'The records have changed since the question, so the user must be asked again'
        : "This needs the user's consent";
    throw new Failure('usage', `${reason}: ${question}`, {
      hint: `Ask the user this question. If the answer is yes, call \`${tool}\` again with \`confirm\`: "${token}".`,
    });
  };
}

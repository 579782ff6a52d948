import type { ConsentRequest } from '../../cli/command/context.ts';
import { Failure } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';

export interface ConsentForm {
  readonly message: string;
  /** The JSON Schema of the field. */
  readonly field:
    | { readonly type: 'boolean'; readonly title: string; readonly default: boolean }
    | { readonly type: 'string'; readonly title: string };
  /** Identifies the question. The client returns it with the answer. */
  readonly token: string;
}

interface ConsentAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly value: unknown;
  /** The token of the form that was answered. */
  readonly token: string | undefined;
}

/** Asks the user of a client: the call fails with a form, and the client repeats it with the answer. */
export interface ConsentForms {
  readonly answer: ConsentAnswer | undefined;
  readonly show: (form: ConsentForm) => void;
}

/**
 * Returns a request for consent that the user answers in a form of the client. `takeNotes` returns and
 * removes the notes that the command has written, such as the plan of a merge. They precede the question.
 */
export function createFormConsent(
  { answer: given, show }: ConsentForms,
  takeNotes: () => readonly string[],
): ConsentRequest {
  return async ({ text, answer }, token) => {
    const lines = [...takeNotes(), ...text.split('\n')];
    if (given && (given.action !== 'accept' || !isConfirmed(given.value, answer)))
      throw new Failure('cancelled', 'The user did not confirm. Nothing was written.');
    if (given?.token === token) return true;
    if (given) lines.unshift('The records changed while kith waited for your answer.');
    const field: ConsentForm['field'] =
      answer === undefined
        ? { type: 'boolean', title: 'Confirm', default: false }
        : { type: 'string', title: 'Confirmation' };
    show({ message: lines.map(sanitizeLine).join('\n'), field, token });
    throw new Failure('cancelled', 'The client must ask the user first.');
  };
}

/** Whether the value of a form confirms. `answer`: the text that the user must type; undefined for a check box. */
const isConfirmed = (value: unknown, answer: string | undefined): boolean =>
  answer === undefined
    ? value === true
    : typeof value === 'string' && value.normalize().trim() === answer.normalize().trim();

/** A question for the user of an agent. Its hint tells the agent what to do, and has no texts of the workspace. */
export class ConsentRequired extends Failure {}

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
        ? 'This call wrote nothing: the workspace has changed since the question, so the user must be asked again.'
        : 'Nothing was written yet.';
    const next = `call \`${tool}\` again with the same parameters and \`confirm\`: "${token}"`;
    const hint = `${reason} Ask the user the question below. If the answer is yes, ${next}.`;
    throw new ConsentRequired('usage', question, { hint });
  };
}

import type { Model } from '../../contract/custom-fields.ts';
import type { Session } from '../context.ts';
import { listCustomFields } from '../flags/field-values.ts';
import type { Options } from '../flags/options.ts';
import type { WrittenNoun } from '../record-labels.ts';
import { type Answers, askFields, askOptions, type OptionRules, type Question } from './create-questions.ts';

/** What the questions of a form depend on. */
export interface FormContext {
  readonly session: Session;
  /** The flags of the command. */
  readonly options: Options;
}

/** The nouns whose records are created by a route. */
export type FormNoun = Exclude<WrittenNoun, 'recordings'>;

/** Returns the questions of a form in order. */
type Form = (context: FormContext) => Promise<readonly Question[]>;

/** Makes one of two options required: the one that is asked last. */
function requireOneOf(names: readonly [string, string], message: string) {
  const rules = (other: string): OptionRules => ({
    getRequirement: (answers: Answers) => (answers.get(other)?.length === 0 ? message : undefined),
  });
  return { [names[0]]: rules(names[1]), [names[1]]: rules(names[0]) };
}

const readFields = async ({ session }: FormContext, model: Model) =>
  askFields(await listCustomFields(await session.client(), model));

/** The forms of commands that create records, by their nouns. */
export const createForms: Readonly<Partial<Record<FormNoun, Form>>> = {
  contacts: async (context) => [
    ...askOptions(
      context.options,
      requireOneOf(['firstName', 'email'], 'A contact requires a first name or an email address.'),
    ),
    ...(await readFields(context, 'contact')),
  ],
  organizations: async (context) => [
    ...askOptions(
      context.options,
      requireOneOf(['name', 'domain'], 'An organization requires a name or a domain.'),
    ),
    ...(await readFields(context, 'organization')),
  ],
};

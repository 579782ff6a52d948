import { requireFailure } from '../../contract/errors.ts';
import { describeExpected, parseValue, readDataType } from '../../contract/field-types.ts';
import { extractHost, isEmail } from '../../values/domain.ts';
import { checkNumber } from '../../values/phone.ts';
import type { Session } from '../context.ts';
import { type DefinedField, formatAssignment } from '../flags/field-values.ts';
import { flagName, type Option, type Options } from '../flags/options.ts';
import { describeForms, type FlagReference } from '../flags/references.ts';
import { resolveReference } from '../references/resolve-reference.ts';
import {
  type Answer,
  askChoice,
  askChoices,
  askText,
  askTexts,
  type TextRequirements,
} from './create-prompts.ts';

/** The answers so far, by the keys of their questions. */
export type Answers = ReadonlyMap<string, Answer>;

/** A question of a form. */
export interface Question {
  /** Identifies it in its form. */
  readonly key: string;
  readonly label: string;
  /** The field of the body that it sets. */
  readonly field?: string | undefined;
  /** The custom field or list field whose value it sets. */
  readonly definition?: DefinedField;
  /** Whether it is asked after these answers; if omitted, always. */
  readonly isAsked?: ((answers: Answers) => boolean) | undefined;
  /** Asks it. `known`: the answer so far, to be corrected. */
  readonly ask: (session: Session, known: Answer, answers: Answers) => Promise<Answer>;
  /** Whether the answer is an argument, not a flag. */
  readonly isArgument?: true;
  /** Returns the words of the command line for an answer. */
  readonly toWords: (answer: Answer) => readonly string[];
}

/** The rules of an option in a form, in addition to its help. */
export interface OptionRules extends Pick<Question, 'isAsked'> {
  readonly label?: string;
  readonly explanation?: string;
  /** Returns why the question cannot be skipped after these answers; undefined if it can. */
  readonly getRequirement?: (answers: Answers) => string | undefined;
  /** The values to choose from. */
  readonly choices?: readonly string[];
}

/** Returns the expected form of a text that is not valid, by the field of the body. */
const textForms: Readonly<Record<string, (text: string) => string | undefined>> = {
  emails: (text) => (isEmail(text) ? undefined : 'an email address'),
  assignee_email: (text) => (isEmail(text) ? undefined : 'an email address'),
  phone_numbers: checkNumber,
  domains: (text) => (extractHost(text) === undefined ? 'a domain or a URL' : undefined),
};

const describeProblem = (text: string, expected: string | undefined) =>
  expected === undefined ? undefined : `"${text}" is not ${expected}.`;

/** Returns why a flag does not accept a text. */
function checkOption({ parse, field = '' }: Option<unknown>, text: string): string | undefined {
  try {
    parse(text);
  } catch (error) {
    const { message, detail } = requireFailure(error);
    return detail.hint === undefined ? message : `${message} ${detail.hint}`;
  }
  return describeProblem(text, textForms[field]?.(text));
}

/** Creates the question for a flag. Its summary is a label, followed by an explanation. */
function createOptionQuestion(name: string, option: Option<unknown>, rules: OptionRules = {}): Question {
  const { reference, isRepeatable = false, field } = option;
  const [, summary = '', rest] = /^([^,;:]*)(?:[,;:] *(.*))?$/.exec(option.summary) ?? [];
  const { label = summary, isAsked, getRequirement, choices = option.choices } = rules;
  const forms = reference && [reference.literal, describeForms(reference.kind)].filter(Boolean).join(', ');
  const explanation = rules.explanation ?? forms ?? (rest || undefined);
  return {
    key: name,
    label,
    field,
    isAsked,
    toWords: (answer) => answer.flatMap((text) => [flagName(name), text]),
    ask(session, known, answers) {
      const requirement = getRequirement?.(answers);
      const isOptional = requirement === undefined;
      if (choices) return askChoice(session, label, choices, isOptional);
      return askValues(session, label, known, isRepeatable, {
        explanation,
        requirement,
        check: (text) => checkOption(option, text),
        resolve: reference && ((text) => resolve(session, reference, text)),
      });
    },
  };
}

/** Creates the question for a required text that is an argument. */
export function createArgumentQuestion(name: string, label: string): Question {
  const requirement = `${label} is required.`;
  return {
    key: name,
    label,
    field: name,
    isArgument: true,
    toWords: (answer) => answer,
    ask: async (session, [known]) => [await askText(session, label, known, { requirement })],
  };
}

/** Creates a question whose answer is one of several words, each with the flags that it stands for. */
export function createWordQuestion(
  key: string,
  label: string,
  flags: Readonly<Record<string, readonly string[]>>,
  more: Pick<Question, 'isAsked' | 'field'> = {},
): Question {
  return {
    ...more,
    key,
    label,
    toWords: ([word = '']) => flags[word] ?? [],
    ask: (session) => askChoice(session, label, Object.keys(flags), false),
  };
}

async function askValues(
  session: Session,
  label: string,
  known: Answer,
  isMultiple: boolean,
  requirements: TextRequirements,
): Promise<Answer> {
  if (isMultiple) return askTexts(session, label, known, requirements);
  const text = await askText(session, label, known[0], requirements);
  return text === '' ? [] : [text];
}

async function resolve(
  session: Session,
  { kind, literal }: { readonly kind: FlagReference; readonly literal?: string | undefined },
  text: string,
): Promise<string> {
  return text === literal ? text : resolveReference(session, kind, text);
}

/** Creates the questions for flags in their order. The help of a flag without rules is its question. */
export function createOptionQuestions(
  options: Options,
  rules: Readonly<Record<string, OptionRules>> = {},
): readonly Question[] {
  return Object.entries(options)
    .filter(([name]) => name !== 'field' && name !== 'data')
    .map(([name, option]) => createOptionQuestion(name, option, rules[name]));
}

/** A form with more fields than this asks first which of them to fill in. */
const maxFields = 8;

/** Creates the questions for the values of custom fields or list fields. */
export function createFieldQuestions(definitions: readonly DefinedField[]): readonly Question[] {
  const named = definitions.flatMap((definition) => (definition.name ? [definition] : []));
  if (named.length <= maxFields) return named.map(createFieldQuestion);
  const names = named.map(({ name }) => name ?? '');
  const selection: Question = {
    key: 'fields',
    label: 'Custom fields to fill in',
    ask: (session) =>
      askChoices(session, `Which of the ${names.length} fields do you want to fill in?`, names),
    toWords: () => [],
  };
  const isSelected = (name: string) => (answers: Answers) => answers.get('fields')?.includes(name) ?? false;
  return [
    selection,
    ...named.map((definition) => ({
      ...createFieldQuestion(definition),
      isAsked: isSelected(definition.name ?? ''),
    })),
  ];
}

/** Creates the question for the value of a field, by its data type. */
function createFieldQuestion(definition: DefinedField): Question {
  const { name, data_type, options } = definition;
  const label = name ?? '';
  const isMultiple = definition.accepts_multiple_values === true;
  const typed = { type: readDataType(data_type), options };
  const expected = describeExpected(typed);
  return {
    key: `field ${label}`,
    label,
    definition,
    toWords: (answer) => answer.flatMap((text) => ['--field', formatAssignment(label, text)]),
    async ask(session, known) {
      if (data_type === 'select' && options && options.length > 0)
        return isMultiple ? askChoices(session, label, options) : askChoice(session, label, options, true);
      return askValues(session, label, known, isMultiple, {
        explanation: data_type === 'contact' ? describeForms('contact') : expected,
        check: (text) => {
          const result = parseValue(text, typed);
          return 'expected' in result ? describeProblem(text, result.expected) : undefined;
        },
        resolve: data_type === 'contact' ? (text) => resolve(session, { kind: 'contact' }, text) : undefined,
      });
    },
  };
}

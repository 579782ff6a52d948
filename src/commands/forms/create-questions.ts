import type { Session } from '../../cli/command/context.ts';
import { type Option, type Options, toFlagName } from '../../cli/command/options.ts';
import { formatAssignment } from '../../cli/flags/field-values.ts';
import { describeForms, isReference } from '../../cli/flags/references.ts';
import { describeValue } from '../../cli/references/field-input.ts';
import { resolveOption } from '../../cli/references/resolve-reference.ts';
import { describeInvalid } from '../../cli/writes/check-writes.ts';
import { Failure } from '../../contract/errors.ts';
import { isMultiple, type RecordField } from '../../contract/field-table.ts';
import { dataTypes, type FieldType, requireValue } from '../../contract/field-types.ts';
import { statusTypes } from '../../contract/record-fields.ts';
import { formatDefinition, parseDefinition } from '../../render/field-headers.ts';
import { type Answer, askChoice, askChoices, askText, askTexts } from './create-prompts.ts';

/** The answers so far, by the keys of their questions. */
export type Answers = ReadonlyMap<string, Answer>;

export interface Question {
  /** Identifies the question in its form. */
  readonly key: string;
  readonly label: string;
  /** The field of the body that the answer sets. */
  readonly field?: string | undefined;
  /** The custom field or list field whose value the answer sets. */
  readonly definedField?: RecordField;
  /** Whether to ask the question after these answers; if omitted, always. */
  readonly isAsked?: ((answers: Answers) => boolean) | undefined;
  /** Asks the question. `previous`: the answer to correct. */
  readonly ask: (session: Session, previous: Answer, answers: Answers) => Promise<Answer>;
  /** Whether the answer is an argument, not a flag. */
  readonly isArgument?: true;
  /** Returns the words of the command line for an answer. */
  readonly toWords: (answer: Answer) => readonly string[];
}

/** The rules for a flag's question, in addition to its help. */
export interface OptionRules extends Pick<Question, 'isAsked'> {
  readonly label?: string;
  readonly explanation?: string | undefined;
  /** Returns why the question cannot be skipped after these answers; undefined if it can. */
  readonly getRequirement?: (answers: Answers) => string | undefined;
  /** The values to choose from. */
  readonly choices?: readonly string[] | undefined;
}

/** A question and the rules for its answers. */
interface QuestionOptions
  extends Omit<Question, 'ask'>,
    Pick<OptionRules, 'explanation' | 'getRequirement' | 'choices'> {
  readonly isMultiple?: boolean | undefined;
  /** @throws {Failure} usage if a text is not valid */
  readonly check?: (text: string) => unknown;
  /** The type of a field whose texts the service checks further, such as a phone number. */
  readonly type?: FieldType | undefined;
  /** The kind of record that an answer refers to, and the literal that is not a reference. */
  readonly reference?: Option<unknown>['reference'] | undefined;
}

/** Creates a question for one value or several: a choice, the name of a record, or a text. */
function createQuestion(options: QuestionOptions): Question {
  const { explanation, getRequirement, choices, isMultiple, check, reference, type, ...question } = options;
  const { label } = question;
  return {
    ...question,
    async ask(session, previous, answers) {
      const requirement = getRequirement?.(answers);
      if (choices)
        return isMultiple
          ? askChoices(session, label, choices)
          : askChoice(session, label, choices, requirement === undefined);
      const resolve = async (text: string) => {
        if (reference) return resolveOption(session, reference, text);
        const problem = type && (await describeInvalid(session, text, type));
        if (problem) throw new Failure('usage', problem);
        return text;
      };
      const requirements = { explanation, requirement, check, resolve };
      if (isMultiple) return askTexts(session, label, previous, requirements);
      const text = await askText(session, label, previous[0], requirements);
      return text === '' ? [] : [text];
    },
  };
}

/** Creates the question for a flag. Its summary is a label, followed by an explanation. */
function createOptionQuestion(name: string, option: Option<unknown>, rules: OptionRules = {}): Question {
  const { reference, isRepeatable, field, recordField } = option;
  const [, summary = '', rest] = /^([^,;:]*)(?:[,;:] *(.*))?$/.exec(option.summary) ?? [];
  const newName = reference?.createFlag && 'or a new name';
  const forms =
    reference && [reference.literal, describeForms(reference.kind), newName].filter(Boolean).join(', ');
  return createQuestion({
    label: summary,
    choices: option.choices,
    explanation: forms ?? (rest || (recordField && describeValue(recordField))),
    ...rules,
    key: name,
    field,
    isMultiple: isRepeatable,
    reference,
    type: recordField?.type,
    toWords: (answer) => answer.flatMap((text) => [toFlagName(name), text]),
    // The service checks most flags, but a person corrects an answer at once.
    check: (text) => (recordField ? requireValue(text, recordField) : option.parse(text)),
  });
}

/** Creates the question for a required text that is an argument. */
export const createArgumentQuestion = (name: string, label: string): Question =>
  createQuestion({
    key: name,
    label,
    field: name,
    isArgument: true,
    getRequirement: () => `${label} is required.`,
    toWords: (answer) => answer,
  });

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
export function createFieldQuestions(fields: readonly RecordField[]): readonly Question[] {
  const namedFields = fields.filter(({ key }) => key !== '');
  if (namedFields.length <= maxFields) return namedFields.map((field) => createFieldQuestion(field));
  const names = namedFields.map(({ key }) => key);
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
    ...namedFields.map((field) => createFieldQuestion(field, { isAsked: isSelected(field.key) })),
  ];
}

/** Creates the question for the value of a field. */
export function createFieldQuestion(field: RecordField, rules: OptionRules = {}): Question {
  const { key: label, type, options } = field;
  const reference = isReference(type) ? { kind: type } : undefined;
  return createQuestion({
    key: `field ${label}`,
    label,
    definedField: field,
    isMultiple: isMultiple(field),
    choices: type === 'select' && options && options.length > 0 ? options : undefined,
    explanation: describeValue(field),
    check: (text) => requireValue(text, field),
    reference,
    ...rules,
    toWords: (answer) => answer.flatMap((text) => ['--field', formatAssignment(label, text)]),
  });
}

/** The answers to whether a field or a list takes one value or several. */
export const counts = { one: 'one', several: 'several' } as const;

export const optionsRequirement = 'A select field requires options.';

/** A question for several items, each with a name. */
interface ItemsQuestion extends Pick<Question, 'key' | 'label' | 'field' | 'isAsked'> {
  readonly explanation?: string;
  /** Returns the item's name in a flag value such as `Won:won`, to suggest the name again. */
  readonly readName: (text: string) => string;
  /** Asks for the other parts of an item, and returns its flag's value. */
  readonly complete: (session: Session, name: string) => Promise<string>;
}

function createItemsQuestion({ explanation, readName, complete, ...question }: ItemsQuestion): Question {
  const { key, label } = question;
  return {
    ...question,
    toWords: (answer) => answer.flatMap((text) => [toFlagName(key), text]),
    ask: (session, previous) =>
      askTexts(session, label, previous.map(readName), {
        explanation,
        complete: (name) => complete(session, name),
      }),
  };
}

/** Creates the question for the fields of a list. */
export const createDefinitionsQuestion = (): Question =>
  createItemsQuestion({
    key: 'field',
    label: 'Field name',
    field: 'fields',
    readName: (text) => parseDefinition(text)?.name ?? '',
    async complete(session, name) {
      const [type = ''] = await askChoice(session, `Data type of ${name}`, dataTypes, false);
      const options =
        type === 'select'
          ? await askTexts(session, `Option of ${name}`, [], { requirement: optionsRequirement })
          : [];
      const words = Object.keys(counts);
      const [count] = await askChoice(session, `Values of ${name} per entry`, words, false);
      return formatDefinition({ name, type, options, multiple: count === counts.several });
    },
  });

/** Creates the question for the statuses of a process. */
export const createStatusesQuestion = (rules: Pick<Question, 'isAsked'>): Question =>
  createItemsQuestion({
    ...rules,
    key: 'status',
    label: 'Status name',
    field: 'statuses',
    explanation: 'Default: Open, Won and Lost',
    readName: (text) => text.slice(0, text.lastIndexOf(':')),
    async complete(session, name) {
      const [type] = await askChoice(session, `Type of ${name}`, statusTypes, false);
      return `${name}:${type}`;
    },
  });

import type { Session } from '../../cli/command/context.ts';
import type { Options } from '../../cli/command/options.ts';
import { readDefinedFields, toListFields } from '../../cli/flags/field-values.ts';
import { lists } from '../../contract/lists.ts';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import { addArticle } from '../../values/text.ts';
import { createNoteQuestion } from './create-note.ts';
import {
  type Answers,
  counts,
  createArgumentQuestion,
  createDefinitionsQuestion,
  createFieldQuestions,
  createOptionQuestions,
  createStatusesQuestion,
  createWordQuestion,
  type OptionRules,
  optionsRequirement,
  type Question,
} from './create-questions.ts';

/** The command and session for which the questions of a form are created. */
export interface FormContext {
  readonly session: Session;
  /** The flags of the command. */
  readonly options: Options;
  /** The path parameters of its route. */
  readonly path: Readonly<Record<string, string>>;
  /** The arguments that were passed, which are not asked for. */
  readonly passedArguments: readonly string[];
}

/** Returns rules that always require an answer. */
const requires = (message: string): OptionRules => ({ getRequirement: () => message });

/** Requires an answer for at least one of two options. */
function requireOneOf([first, second]: readonly [string, string], message: string) {
  const requireWithout = (name: string): OptionRules => ({
    getRequirement: (answers) => (answers.get(name)?.length === 0 ? message : undefined),
  });
  return { [first]: requireWithout(second), [second]: requireWithout(first) };
}

const hasAnswer = (key: string, word?: string) => (answers: Answers) => {
  const answer = answers.get(key) ?? [];
  return word === undefined ? answer.length > 0 : answer.includes(word);
};

/** Returns some of the options in another order. */
function pickOptions(options: Options, names: readonly string[]): Options {
  return Object.fromEntries(names.flatMap((name) => (options[name] ? [[name, options[name]] as const] : [])));
}

/** Returns the names of the options that set a field, except some. */
const listOthers = (options: Options, names: readonly string[]) =>
  Object.keys(options).filter((name) => options[name]?.recordField && !names.includes(name));

const readFieldQuestions = async ({ session }: FormContext, noun: 'contacts' | 'organizations') =>
  createFieldQuestions(await readDefinedFields(session, noun));

/** Creates the question for the name that is the only argument, unless it was passed. */
const createNameQuestions = ({ passedArguments }: FormContext, label: string) =>
  passedArguments.length === 0 ? [createArgumentQuestion('name', label)] : [];

/** The functions that create the questions of each noun's form for new records, in order. */
export const forms: Readonly<Record<WritableNoun, (context: FormContext) => Promise<readonly Question[]>>> = {
  contacts: async (context) => [
    ...createOptionQuestions(
      pickOptions(context.options, listOthers(context.options, [])),
      requireOneOf(['firstName', 'email'], 'A contact requires a first name or an email address.'),
    ),
    ...(await readFieldQuestions(context, 'contacts')),
  ],
  organizations: async (context) => [
    ...createOptionQuestions(
      pickOptions(context.options, listOthers(context.options, [])),
      requireOneOf(['name', 'domain'], 'An organization requires a name or a domain.'),
    ),
    ...(await readFieldQuestions(context, 'organizations')),
  ],
  customFields: async (context) => [
    ...createNameQuestions(context, 'Field name'),
    ...createOptionQuestions(pickOptions(context.options, ['model', 'type', 'option']), {
      model: requires('A custom field requires a record type.'),
      type: { ...requires('A custom field requires a data type.'), label: 'Data type' },
      option: {
        ...requires(optionsRequirement),
        isAsked: hasAnswer('type', 'select'),
      },
    }),
    createWordQuestion('multiple', 'Values per record', {
      [counts.one]: [],
      [counts.several]: ['--multiple'],
    }),
  ],
  lists: async (context) => {
    const isAsked = hasAnswer('process', 'process');
    return [
      ...createNameQuestions(context, 'List name'),
      createWordQuestion(
        'process',
        'List or process',
        { list: [], process: ['--process'] },
        { field: 'process' },
      ),
      ...createOptionQuestions(pickOptions(context.options, ['entryType', 'identifier']), {
        entryType: requires('A list requires a record type.'),
        identifier: {
          ...requires('A process requires a prefix.'),
          isAsked,
          explanation: 'such as DEAL in DEAL-1',
        },
      }),
      createWordQuestion(
        'duplicates',
        'Entries per record',
        { [counts.one]: ['--no-duplicates'], [counts.several]: ['--duplicates-allowed'] },
        { isAsked, field: 'duplicates_allowed' },
      ),
      createStatusesQuestion({ isAsked }),
      ...createOptionQuestions(pickOptions(context.options, ['entryLabel', 'statusLabel']), {
        entryLabel: { isAsked },
        statusLabel: { isAsked },
      }),
      createDefinitionsQuestion(),
      ...createOptionQuestions(
        pickOptions(
          context.options,
          listOthers(context.options, ['identifier', 'entryLabel', 'statusLabel']),
        ),
      ),
    ];
  },
  entries: async ({ session, options, path }) => {
    const client = await session.client();
    const list = await client.read(lists.get, { list_id: path.list_id ?? '' });
    const isProcess = list.process === true;
    const target = list.entry_type === 'Organization' ? 'organization' : 'contact';
    const statuses = (list.statuses ?? []).map(({ name }) => name);
    // Only entries of organizations have a contact, and only entries of a process have an assignee.
    const values = listOthers(options, ['contactId']).filter(
      (name) => isProcess || (name !== 'assignee' && !options[name]?.recordField?.isOfProcess),
    );
    const names = [...(target === 'organization' ? ['contactId'] : []), ...values];
    return [
      ...createOptionQuestions(pickOptions(options, [target, ...names]), {
        [target]: requires(`An entry requires ${addArticle(target)}.`),
        // The first status is the service's default.
        ...(statuses.length > 0 && { status: { ...requires('A status is required.'), choices: statuses } }),
        recurringPeriod: { ...requires('A period is required.'), isAsked: hasAnswer('recurringValue') },
      }),
      ...createFieldQuestions(toListFields(list)),
    ];
  },
  notes: async ({ options }) => [
    ...createOptionQuestions(pickOptions(options, ['organization']), {
      organization: requires('A note requires an organization.'),
    }),
    createNoteQuestion(),
    ...createOptionQuestions(pickOptions(options, listOthers(options, ['organization', 'deal']))),
  ],
};

import type { CommandInput, CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { toFlagName } from '../../cli/command/options.ts';
import type { Body } from '../../cli/flags/body.ts';
import type { NamedValue } from '../../cli/flags/field-values.ts';
import { readTableStyle } from '../../cli/print/format-records.ts';
import { formatDetails } from '../../cli/print/format-table.ts';
import { getReferenceCache } from '../../cli/references/reference-cache.ts';
import { resolveInput } from '../../cli/references/resolve-input.ts';
import { labelRecord } from '../../cli/writes/record-labels.ts';
import { Failure, type FailureCode, type FieldError } from '../../contract/errors.ts';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import type { View } from '../../render/columns.ts';
import { sanitizeLine, sanitizeLines } from '../../render/text/sanitize.ts';
import { views } from '../../render/views.ts';
import { isFieldContainer } from '../../values/field-values.ts';
import { quoteShellWord } from '../../values/text.ts';
import { type FormContext, forms } from './create-forms.ts';
import type { Answer } from './create-prompts.ts';
import type { Question } from './create-questions.ts';

/** A command whose record is filled in by a form. */
export interface FormCommand extends Omit<FormContext, 'session'> {
  readonly noun: WritableNoun;
  /** The words of the command: `['lists', 'create']`. */
  readonly command: readonly string[];
  /** Returns the body for the input of the command. @throws {Failure} usage */
  readonly buildBody: (input: CommandInput) => Promise<Body>;
  readonly write: (body: Body) => Promise<CommandResult>;
}

/** The failures after which the answers can be corrected. */
const correctableCodes: readonly FailureCode[] = ['usage', 'malformed', 'invalid', 'refused'];

/** The failures after which the answers are not needed: the person ended the form. */
const finalCodes: readonly FailureCode[] = ['cancelled', 'interrupted', 'terminated'];

/**
 * Asks for the fields of a record, shows it, and creates it. If the service refuses a value, its question is asked again.
 * The answers become a command line, which is parsed like a typed one.
 * @throws {Failure} interrupted on Escape, cancelled if the person does not want the record
 */
export async function createFromForm(session: Session, command: FormCommand): Promise<CommandResult> {
  // A missing key is reported before anything is typed.
  if (!session.globals.dryRun) await session.client();
  const questions = await forms[command.noun]({ session, ...command });
  const answers = createFormAnswers(session, questions);
  await session.messages.note('Enter skips an optional field. Escape cancels.');
  try {
    await answers.askRemaining();
    for (;;) {
      const result = await tryCreate(session, command, answers, questions);
      if (!result) continue;
      const words = answers.listWords(command);
      if (!words.some(isLong)) await noteCommandLine(session, words);
      return result;
    }
  } catch (error) {
    const words = answers.listWords(command);
    const isLost = error instanceof Failure && (words.some(isLong) || !finalCodes.includes(error.code));
    if (isLost) await noteCommandLine(session, words);
    throw error;
  }
}

/** Creates the record if the person agrees and the service accepts it; undefined after an answer was changed. */
async function tryCreate(
  session: Session,
  command: FormCommand,
  answers: ReturnType<typeof createFormAnswers>,
  questions: readonly Question[],
): Promise<CommandResult | undefined> {
  let body: Body = {};
  let questionsToRepeat: readonly Question[] = [];
  try {
    const commandLine = await session.services.parseCommandLine(answers.listWords(command));
    const input = await resolveInput(session, { options: command.options }, commandLine?.input ?? {});
    body = await command.buildBody(input);
    const isWanted = session.globals.dryRun || (await confirmRecord(session, command, body, questions));
    if (isWanted) return await command.write(body);
  } catch (error) {
    if (!(error instanceof Failure && correctableCodes.includes(error.code))) throw error;
    const { fieldErrors = [] } = error.detail;
    const messages = fieldErrors.length > 1 ? fieldErrors.map(({ message }) => message) : [error.message];
    for (const message of messages) await session.messages.warn(message);
    questionsToRepeat = answers.findQuestions(fieldErrors, body);
  }
  for (const question of questionsToRepeat.length > 0 ? questionsToRepeat : [await answers.chooseQuestion()])
    await answers.askAgain(question);
  return undefined;
}

/** Maximum length of an answer that is quick to retype. */
const maxShortLength = 200;

/** Whether a word is long text, such as a note: it must not be lost, but after a success it is not repeated. */
const isLong = (word: string) => word.length > maxShortLength || word.includes('\n');

/** Shows the record and asks whether to create it. @throws {Failure} cancelled if the answer is no */
async function confirmRecord(
  session: Session,
  { noun }: FormCommand,
  body: Body,
  questions: readonly Question[],
): Promise<boolean> {
  if (session.globals.yes) return true;
  const view = views[noun];
  const style = await readTableStyle(session.streams.stderr, session);
  const record = toRecord(body, view, questions);
  await session.streams.stderr.write(`\n${await formatDetails(record, { view, style, session })}\n`);
  const prefix = await session.messages.profileNotice.readQuestionPrefix();
  const message = `${prefix}Create this ${labelRecord(noun, body, '').noun}? [Y/n/edit]`;
  const answer = await session.terminal.prompts.text(message, {
    validate: (text) =>
      text.trim() === '' || ['yes', 'no', 'edit'].some((word) => isWord(text, word))
        ? undefined
        : 'Type y, n or e.',
  });
  if (isWord(answer, 'no')) throw new Failure('cancelled', 'Cancelled.');
  return !isWord(answer, 'edit');
}

/** Whether an answer is a word or its first letter. */
const isWord = (answer: string, word: string) => [word, word.charAt(0)].includes(answer.trim().toLowerCase());

/** Returns a body in the form of a record, for its details. */
function toRecord(body: Body, view: View, questions: readonly Question[]): Body {
  // The details show some groups of fields in the place of the group's first field, which a body may lack.
  const firstFields = view([body]).flatMap(({ fields = [] }) =>
    fields.slice(1).some((field) => field in body) ? fields.slice(0, 1) : [],
  );
  const types = new Map(questions.map(({ definedField }) => [definedField?.key, definedField?.type]));
  const toValueMap = (values: readonly NamedValue[]) =>
    Object.fromEntries(values.map(({ name, value }) => [name, { name, data_type: types.get(name), value }]));
  const members = Object.entries(body).map(([field, value]) => [
    field,
    isFieldContainer(field) && Array.isArray(value) ? toValueMap(value) : value,
  ]);
  return {
    ...Object.fromEntries(firstFields.map((field) => [field, undefined])),
    ...Object.fromEntries(members),
  };
}

/** Notes the command line that is equivalent to the answers. */
async function noteCommandLine(session: Session, words: readonly string[]): Promise<void> {
  const { profile, baseUrl } = session.globals;
  const workspace = Object.entries({ profile, baseUrl }).flatMap(([name, value]) =>
    value === undefined ? [] : [toFlagName(name), value],
  );
  const line = ['kith', ...words, ...workspace].map(quoteShellWord).join(' ');
  // A note is one paragraph. A full stop after a command would belong to the sentence.
  if (!line.includes('\n'))
    await session.messages.note(`Equivalent command: ${line.replace(/\S+\.$/, "'$&'")}`);
  else await session.streams.stderr.write(`kith: Equivalent command:\n${sanitizeLines(line)}\n`);
}

/** Asks the questions of a form and holds the answers. */
function createFormAnswers(session: Session, questions: readonly Question[]) {
  const answers = new Map<string, Answer>();
  const isNeeded = ({ isAsked }: Question) => isAsked?.(answers) ?? true;
  const ask = async ({ key, ask }: Question) => {
    answers.set(key, await ask(session, answers.get(key) ?? [], answers));
  };
  const askRemaining = async () => {
    for (const question of questions)
      if (!answers.has(question.key) && isNeeded(question)) await ask(question);
  };
  return {
    /** Asks the questions that have no answer yet. */
    askRemaining,
    /** Asks a question again, and the questions that its answer leads to. */
    askAgain: async (question: Question) => {
      await ask(question);
      await askRemaining();
    },
    /** Asks which answer to change. */
    chooseQuestion: async (): Promise<Question> => {
      const neededQuestions = questions.filter(isNeeded);
      const choices = neededQuestions.map(({ key, label }) => ({
        value: key,
        label: sanitizeLine(label),
        hint: sanitizeLine(answers.get(key)?.join(', ') ?? ''),
      }));
      const key = await session.terminal.prompts.select('Which field do you want to change?', choices);
      const question = neededQuestions.find((candidate) => candidate.key === key);
      if (!question) throw new Error(`there is no question ${key}`);
      return question;
    },
    /** Finds the questions about the values that the service refused. */
    findQuestions: (errors: readonly FieldError[], body: Body): readonly Question[] => {
      const questionsOfErrors = errors.flatMap(
        ({ pointer }) => findByPointer(pointer, body, questions.filter(isNeeded)) ?? [],
      );
      return [...new Set(questionsOfErrors)];
    },
    /** Returns the command line with the arguments that were passed and the answers. */
    listWords: ({ command, passedArguments }: FormCommand): readonly string[] => {
      const list = (isWanted: boolean) =>
        questions
          .filter(isNeeded)
          .filter(({ isArgument = false }) => isArgument === isWanted)
          .flatMap(({ key, toWords }) => toWords(answers.get(key) ?? []));
      const args = [...passedArguments, ...list(true)];
      const flags = list(false);
      if (getReferenceCache(session).newOrganizations.size > 0) flags.push('--create-organization');
      const isFlagLike = args.some((word) => word.startsWith('-'));
      return isFlagLike ? [...command, ...flags, '--', ...args] : [...command, ...args, ...flags];
    },
  };
}

/** Finds the question about the value at a JSON pointer, such as `#/emails/0`. */
function findByPointer(pointer: string, body: Body, questions: readonly Question[]): Question | undefined {
  const [field = '', index = ''] = pointer.replace(/^#?\/?/, '').split('/');
  const values = body[field];
  if (!isFieldContainer(field) || !Array.isArray(values))
    return questions.find((question) => question.field === field);
  const name = values[Number(index)]?.name;
  return questions.find(({ definedField }) => definedField?.key === name);
}

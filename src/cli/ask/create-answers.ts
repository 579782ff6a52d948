import type { FieldError } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { isFieldContainer } from '../../values/field-values.ts';
import type { Session } from '../context.ts';
import type { Body } from '../flags/body.ts';
import type { Answer } from './create-prompts.ts';
import type { Question } from './create-questions.ts';

/** The words of a command and the arguments that were passed. */
interface CommandWords {
  readonly command: readonly string[];
  readonly passedArguments: readonly string[];
}

/** The answers to the questions of a form. */
export type FormAnswers = ReturnType<typeof createFormAnswers>;

/** Asks the questions of a form and holds the answers. */
export function createFormAnswers(session: Session, questions: readonly Question[]) {
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
    /** Asks a question again, and those that its answer leads to. */
    askAgain: async (question: Question) => {
      await ask(question);
      await askRemaining();
    },
    /** Asks which answer to change. */
    chooseQuestion: async (): Promise<Question> => {
      const needed = questions.filter(isNeeded);
      const choices = needed.map(({ key, label }) => ({
        value: key,
        label: sanitizeLine(label),
        hint: sanitizeLine(answers.get(key)?.join(', ') ?? ''),
      }));
      const key = await session.prompts.select('Which field do you want to change?', choices);
      const chosen = needed.find((question) => question.key === key);
      if (!chosen) throw new Error(`there is no question ${key}`);
      return chosen;
    },
    /** Finds the questions about the values that the service refused. */
    findQuestions: (errors: readonly FieldError[], body: Body): readonly Question[] => {
      const refused = errors.flatMap(
        ({ pointer }) => findByPointer(pointer, body, questions.filter(isNeeded)) ?? [],
      );
      return [...new Set(refused)];
    },
    /** Returns the command line with the arguments that were passed and the answers. */
    listWords: ({ command, passedArguments }: CommandWords): readonly string[] => {
      const list = (isWanted: boolean) =>
        questions
          .filter(isNeeded)
          .filter(({ isArgument = false }) => isArgument === isWanted)
          .flatMap(({ key, toWords }) => toWords(answers.get(key) ?? []));
      const args = [...passedArguments, ...list(true)];
      const isFlagLike = args.some((word) => word.startsWith('-'));
      return isFlagLike ? [...command, ...list(false), '--', ...args] : [...command, ...args, ...list(false)];
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
  return questions.find(({ definition }) => definition && definition.name === name);
}

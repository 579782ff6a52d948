import type { Session } from '../../cli/command/context.ts';
import { toFlagName } from '../../cli/command/options.ts';
import { dataTypes } from '../../contract/field-types.ts';
import { statusTypes } from '../../contract/record-fields.ts';
import { formatDefinition, parseDefinition } from '../../render/field-headers.ts';
import { askChoice, askTexts } from './create-prompts.ts';
import type { Question } from './create-questions.ts';

/** The words for whether a field or a list takes one value or several. */
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

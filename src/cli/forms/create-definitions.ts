import { dataTypes } from '../../contract/field-types.ts';
import { statusTypes } from '../../contract/record-fields.ts';
import { formatDefinition, parseDefinition } from '../../render/field-headers.ts';
import { askChoice, askTexts } from './create-prompts.ts';
import type { Question } from './create-questions.ts';

/** The words for whether a field or a list takes one value or several. */
export const counts = { one: 'one', several: 'several' } as const;

/** Why the options of a field of type select cannot be skipped. */
export const optionsRequirement = 'A select field requires options.';

/** Creates the question for the fields of a list. */
export function createDefinitionsQuestion(): Question {
  const label = 'Field name';
  return {
    key: 'field',
    label,
    field: 'fields',
    toWords: (answer) => answer.flatMap((text) => ['--field', text]),
    ask: (session, known) =>
      askTexts(
        session,
        label,
        known.map((text) => parseDefinition(text)?.name ?? ''),
        {
          complete: async (name) => {
            const [type = ''] = await askChoice(session, `Data type of ${name}`, dataTypes, false);
            const options =
              type === 'select'
                ? await askTexts(session, `Option of ${name}`, [], { requirement: optionsRequirement })
                : [];
            const [count] = await askChoice(
              session,
              `Values of ${name} per entry`,
              Object.keys(counts),
              false,
            );
            return formatDefinition({ name, type, options, multiple: count === counts.several });
          },
        },
      ),
  };
}

/** Creates the question for the statuses of a process. */
export function createStatusesQuestion(rules: Pick<Question, 'isAsked'>): Question {
  const label = 'Status name';
  return {
    ...rules,
    key: 'status',
    label,
    field: 'statuses',
    toWords: (answer) => answer.flatMap((text) => ['--status', text]),
    ask: (session, known) =>
      askTexts(
        session,
        label,
        known.map((text) => text.slice(0, text.lastIndexOf(':'))),
        {
          explanation: 'Default: Open, Won and Lost',
          complete: async (name) => {
            const [type] = await askChoice(session, `Type of ${name}`, statusTypes, false);
            return `${name}:${type}`;
          },
        },
      ),
  };
}

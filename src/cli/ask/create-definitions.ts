import { dataTypes } from '../../contract/fields.ts';
import { statusTypes } from '../../contract/lists.ts';
import { formatDefinition, parseDefinition } from '../../render/field-headers.ts';
import type { Session } from '../context.ts';
import { flagName } from '../flags/options.ts';
import { askChoice, askTexts } from './create-prompts.ts';
import type { Question } from './create-questions.ts';

/** The words for whether a field or a list takes one value or several. */
export const counts = { one: 'one', several: 'several' } as const;

const selectRequirement = 'A select field requires options.';

/** Asks for the options of a field of type select. */
function askFieldOptions(session: Session, label: string, known: readonly string[]) {
  return askTexts(session, label, known, { requirement: selectRequirement });
}

/** Returns the question for the fields of a list. */
export function askDefinitions(flag: string): Question {
  const label = 'Field name';
  return {
    key: flag,
    label,
    field: 'fields',
    toWords: (answer) => answer.flatMap((text) => [flagName(flag), text]),
    ask: (session, known) =>
      askTexts(
        session,
        label,
        known.map((text) => parseDefinition(text)?.name ?? ''),
        {
          complete: async (name) => {
            const [type = ''] = await askChoice(session, `Data type of ${name}`, dataTypes, false);
            const options = type === 'select' ? await askFieldOptions(session, `Option of ${name}`, []) : [];
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

/** Returns the question for the statuses of a process. */
export function askStatuses(flag: string, more: Pick<Question, 'isAsked'>): Question {
  const label = 'Status name';
  return {
    ...more,
    key: flag,
    label,
    field: 'statuses',
    toWords: (answer) => answer.flatMap((text) => [flagName(flag), text]),
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

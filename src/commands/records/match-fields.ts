import { createChoiceOption } from '../../cli/command/options.ts';
import type { NamedNoun } from '../../contract/singular-nouns.ts';
import { listMatchFields } from '../../records/match.ts';

/** Returns the flag of a create that returns an existing record. */
export const createIfAbsentOption = (noun: NamedNoun) => ({
  ifAbsent: createChoiceOption(
    'If a record has the same value, print it instead of creating one:',
    listMatchFields(noun),
    'FIELD',
  ),
});

/** Returns the flag of an upsert that names the field to match by. */
export const createMatchOption = (noun: NamedNoun) => ({
  by: createChoiceOption(
    'Field that finds the record to update (default: the first that is set):',
    listMatchFields(noun),
    'FIELD',
  ),
});

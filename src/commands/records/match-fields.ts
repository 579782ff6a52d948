import { createChoiceOption } from '../../cli/command/options.ts';

/** The fields by which a create finds a record that exists, in the order in which an upsert uses them. */
const matchFields = {
  contacts: ['email', 'phone', 'name'],
  organizations: ['domain', 'name'],
  lists: ['name'],
  customFields: ['name'],
} as const;

export type MatchedNoun = keyof typeof matchFields;
export const isMatchedNoun = (noun: string): noun is MatchedNoun => Object.hasOwn(matchFields, noun);

export type MatchField = 'email' | 'phone' | 'domain' | 'name';

export const listMatchFields = (noun: MatchedNoun): readonly MatchField[] => matchFields[noun];

/** Returns the flag of a create that returns an existing record. */
export const createIfAbsentOption = (noun: MatchedNoun) => ({
  ifAbsent: createChoiceOption(
    'If a record has the same value in this field, print that record instead of creating one:',
    listMatchFields(noun),
    'FIELD',
  ),
});

/** Returns the flag of an upsert that names the field to match by. */
export const createMatchOption = (noun: MatchedNoun) => ({
  by: createChoiceOption(
    'Field that finds the record to update (default: the first that is set):',
    listMatchFields(noun),
    'FIELD',
  ),
});

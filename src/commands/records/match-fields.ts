import { createChoiceOption } from '../../cli/command/options.ts';
import type { NamedNoun } from '../../contract/singular-nouns.ts';

/** The fields by which a create finds a record that exists, in the order in which an upsert uses them. */
const matchFields = {
  contacts: ['email', 'phone', 'name'],
  organizations: ['domain', 'name'],
  lists: ['name'],
  customFields: ['name'],
} as const satisfies Readonly<Record<NamedNoun, readonly string[]>>;

export const isNamedNoun = (noun: string): noun is NamedNoun => Object.hasOwn(matchFields, noun);

export type MatchField = 'email' | 'phone' | 'domain' | 'name';

export const listMatchFields = (noun: NamedNoun): readonly MatchField[] => matchFields[noun];

/** Returns the flag of a create that returns an existing record. */
export const createIfAbsentOption = (noun: NamedNoun) => ({
  ifAbsent: createChoiceOption(
    'If a record has the same value in this field, print that record instead of creating one:',
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

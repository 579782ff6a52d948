import type { FieldType } from '../../contract/field-types.ts';
import { type PartyNoun, pluralNouns } from '../../contract/singular-nouns.ts';
import { capitalize } from '../../values/text.ts';
import type { Argument, Arguments, RecordKind } from '../command/command.ts';
import { createTextOption, describeChoices, type Option } from '../command/options.ts';

/** The forms of a reference, as a placeholder and in words. */
const forms = {
  contact: { placeholder: 'ID|EMAIL|PHONE|NAME', words: 'id, email address, phone number or name' },
  organization: { placeholder: 'ID|DOMAIN|NAME', words: 'id, domain or name' },
} as const satisfies Readonly<Record<PartyNoun, object>>;

/** Whether the values of a type are ids of records, which a person can also name by another reference. */
export const isReference = (type: FieldType): type is PartyNoun => Object.hasOwn(forms, type);

/** Returns the kind of reference that names the records of a noun; undefined if its records have only ids or keys. */
export const findReference = (noun: RecordKind): PartyNoun | undefined =>
  noun === 'contacts' ? 'contact' : noun === 'organizations' ? 'organization' : undefined;

/** Returns the kind of record that an entry is about, by its `entryable_type`. */
export const toEntryKind = (type: unknown): PartyNoun => (type === 'Contact' ? 'contact' : 'organization');

/** Creates a flag that names a contact or an organization; the command gets the id of a record that exists. */
export function createReferenceOption(
  kind: PartyNoun,
  summary: string,
  literal?: string,
  createFlag?: string,
): Option<string | undefined> {
  const { placeholder } = forms[kind];
  const value = literal === undefined ? placeholder : `${literal}|${placeholder}`;
  return {
    ...createTextOption(summary, value, { completion: pluralNouns[kind] }),
    reference: { kind, literal, createFlag },
  };
}

/** Returns the argument for the id of a record without a name. */
export function createIdArgument(noun: string, record: RecordKind): Argument {
  const completion = record === 'notes' ? ({ completion: 'notes' } as const) : {};
  return { summary: `${capitalize(noun)}: id`, record, names: 'id', ...completion };
}

/** The arguments that name a custom field, a meeting, or the recordings of a meeting. */
export const customFieldArgument = {
  summary: 'Custom field: id or name',
  record: 'customFields',
  names: 'custom_field',
} as const;
export const meetingArgument = {
  summary: 'Meeting: id, title, date, latest or a recording id',
  completion: 'events',
  record: 'events',
  names: 'event',
} as const;
/** The command resolves its words, because a meeting may have several recordings. */
export const recordingArgument = {
  summary: "Recording: its id, or the meeting's id, title or date, or latest",
  completion: 'events',
  record: 'recordings',
} as const;

/** Returns the argument that names a contact or an organization. */
export function referenceArgument(kind: PartyNoun): Argument {
  const { placeholder, words } = forms[kind];
  const noun = pluralNouns[kind];
  const summary = `${capitalize(kind)}: ${words}`;
  return { summary, placeholder, completion: noun, record: noun, names: kind };
}

export const listArgument = {
  summary: 'List or process: id or name',
  completion: 'lists',
  record: 'lists',
  names: 'list',
} as const;

/** The list of an entry, which the key of the entry implies. */
export const entryListArgument = {
  ...listArgument,
  summary: `${listArgument.summary}; not needed before a key`,
  completion: 'lists-and-keys',
  isKeyImplied: true,
} as const;

/** Whether a text has the form of the key of an entry. */
export const isEntryKey = (text: string) => /^[^/]*[^/-]-\d+$/.test(text);

/** The argument that names an entry of the list before it. */
export const entryArgument = {
  summary: 'Entry: id, or key such as DEAL-1',
  completion: 'keys',
  record: 'entries',
  names: 'entry',
} as const;

/** Describes the references to a kind of record: `id, domain or name`. */
export function describeForms(kind: PartyNoun): string {
  return forms[kind].words;
}

/** Describes an argument of a command for its help, and says whether kith asks for it in a terminal. */
export function describeArgument(args: Arguments, argument: Argument): string {
  const all = Object.values(args);
  const description = `${describeChoices(argument)}${argument.takesMany ? '; - reads ids or records from stdin' : ''}`;
  // Words are positional: only the last arguments can be omitted.
  const isAsked = all.slice(all.indexOf(argument)).every(({ record }) => record);
  return isAsked ? `${description}; if omitted, asks in a terminal` : description;
}

/** The singular form of each noun, as messages use it. */
export const singularNouns = {
  contacts: 'contact',
  organizations: 'organization',
  notes: 'note',
  customFields: 'custom field',
  lists: 'list',
  entries: 'entry',
  events: 'meeting',
  recordings: 'recording',
} as const;

/** A noun of the API. */
export type Noun = keyof typeof singularNouns;

/** A noun whose records a client can create, update and delete. */
export type WritableNoun = Exclude<Noun, 'events' | 'recordings'>;

/** A noun whose records the API lists. Lists are filtered by the names and fields of the records. */
export type ListedNoun = Exclude<Noun, 'recordings'>;

/** A noun whose records can be deleted; recordings only from a workspace file. */
export type DeletableNoun = Exclude<Noun, 'events'>;

/** A writable noun whose records can be found by name. */
export type NamedNoun = Exclude<WritableNoun, 'notes' | 'entries'>;

/** All nouns. Each comes after the nouns that its own fields refer to. */
export const orderedNouns = [
  ...(['customFields', 'organizations', 'contacts', 'lists', 'entries', 'notes'] as const),
  ...(['events', 'recordings'] as const),
] as const satisfies readonly Noun[];

/** Whether a client can create, update and delete the records of a noun. */
export const isWritableNoun = (noun: Noun): noun is WritableNoun =>
  noun !== 'events' && noun !== 'recordings';

/** The writable nouns in the same order. */
export const writableNouns: readonly WritableNoun[] = orderedNouns.filter(isWritableNoun);

/** The writable nouns by their singular forms, as record paths and the change log use them. */
export const pluralNouns = {
  contact: 'contacts',
  organization: 'organizations',
  note: 'notes',
  custom_field: 'customFields',
  list: 'lists',
  entry: 'entries',
} as const satisfies Readonly<Record<string, WritableNoun>>;

/** The singular form of a writable noun. */
export type SingularNoun = keyof typeof pluralNouns;

/** The singular form of a noun whose records can be referred to by name. */
export type ReferenceKind = Exclude<SingularNoun, 'note' | 'entry'> | 'event';

/** A contact or an organization: it has addresses, custom fields and entries, and can be merged. */
export type PartyNoun = Extract<SingularNoun, 'contact' | 'organization'>;

/** The singular forms of the writable nouns. */
export const singularWritableNouns = Object.keys(pluralNouns) as [SingularNoun, ...SingularNoun[]]; // keys() has no types

/** Returns the singular form of a writable noun. */
export const toSingularNoun = <N extends WritableNoun>(noun: N) => singularsByPlural[noun];

const singularsByPlural = Object.fromEntries(
  Object.entries(pluralNouns).map(([singular, plural]) => [plural, singular]),
) as { readonly [Singular in SingularNoun as (typeof pluralNouns)[Singular]]: Singular };

export type TypedNoun = Exclude<Noun, 'customFields'> | 'custom-fields';

/** Returns a noun as it is typed: `customFields` becomes `custom-fields`. */
export const toTypedNoun = (noun: Noun): TypedNoun => (noun === 'customFields' ? 'custom-fields' : noun);

/** The noun of one record, by the noun of several. */
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

/** A noun whose records the API lists. Its records have names and fields, which lists are filtered by. */
export type ListedNoun = Exclude<Noun, 'recordings'>;

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

/** Returns a noun as it is typed: `customFields` becomes `custom-fields`. */
export const toTypedNoun = (noun: Noun): string =>
  noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

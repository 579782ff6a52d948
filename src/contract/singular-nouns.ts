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

/** Returns a noun as it is typed: `customFields` becomes `custom-fields`. */
export const toTypedNoun = (noun: Noun): string =>
  noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

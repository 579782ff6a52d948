import type { Noun } from '../../changes/nouns.ts';

/** The nouns of writes as they are typed. */
export const typedNouns: Readonly<Record<Noun, string>> = {
  contact: 'contacts',
  organization: 'organizations',
  note: 'notes',
  custom_field: 'custom-fields',
  list: 'lists',
  entry: 'entries',
};

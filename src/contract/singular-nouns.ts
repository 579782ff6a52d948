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

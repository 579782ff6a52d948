/** Other words for nouns and commands: an everyday word, if there is one, and singular forms. */
export const otherNouns: Readonly<Record<string, readonly string[]>> = {
  contacts: ['people', 'person', 'contact'],
  organizations: ['companies', 'company', 'organization', 'org'],
  notes: ['note'],
  'custom-fields': ['custom-field', 'field'],
  lists: ['list'],
  deals: ['deal'],
  entries: ['entry'],
  meetings: ['meeting', 'event'],
  recordings: ['recording'],
  actions: ['action'],
  search: ['find'],
};

/** The nouns and commands by the other words for them. */
export const nounWords: ReadonlyMap<string, string> = new Map(
  Object.entries(otherNouns).flatMap(([noun, others]) => others.map((word) => [word, noun] as const)),
);

/** The verbs by the other words for them, best first. */
export const verbWords: ReadonlyMap<string, readonly string[]> = new Map([
  ['view', ['show', 'get']],
  ['ls', ['list']],
  ['rm', ['delete']],
  ['new', ['create', 'add']],
  ['add', ['create']],
  ['create', ['add']],
]);

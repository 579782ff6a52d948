/** Everyday words for nouns and commands, besides their names. */
export const everydayNouns: ReadonlyMap<string, string> = new Map([
  ['people', 'contacts'],
  ['companies', 'organizations'],
  ['find', 'search'],
]);

/** All words for nouns and commands besides their names, with the singular forms. */
export const nounWords: ReadonlyMap<string, string> = new Map([
  ...everydayNouns,
  ['contact', 'contacts'],
  ['person', 'contacts'],
  ['organization', 'organizations'],
  ['company', 'organizations'],
  ['org', 'organizations'],
  ['note', 'notes'],
  ['custom-field', 'custom-fields'],
  ['field', 'custom-fields'],
  ['list', 'lists'],
  ['deal', 'deals'],
  ['entry', 'entries'],
  ['meeting', 'meetings'],
  ['event', 'meetings'],
  ['recording', 'recordings'],
  ['action', 'actions'],
]);

/** Lists the other words for a noun. */
export const listNounWords = (noun: string): string[] =>
  Array.from(nounWords).flatMap(([word, name]) => (name === noun ? [word] : []));

/** Words for verbs besides their names, and the verbs that they stand for, best first. */
export const verbWords: ReadonlyMap<string, readonly string[]> = new Map([
  ['view', ['show', 'get']],
  ['ls', ['list']],
  ['rm', ['delete']],
  ['new', ['create', 'add']],
  ['add', ['create']],
  ['create', ['add']],
]);

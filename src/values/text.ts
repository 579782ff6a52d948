/** Formats an integer: `1,525`. */
export const formatInteger = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** Returns the plural of a noun: `records`, `entries`. */
export const toPlural = (noun: string) => (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`);

/** Returns a noun with its indefinite article: `a record`, `an entry`. */
export const addArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** Returns a count with its noun: `1 record`, `1,525 records`, `0 entries`. */
export function formatCount(count: number, singular: string, plural = toPlural(singular)): string {
  return `${formatInteger(count)} ${count === 1 ? singular : plural}`;
}

/** Quotes a text for a shell if necessary. */
export function quoteShellWord(text: string): string {
  return /^[\w./~+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a text with line feeds only. Editors, Git and other systems change line endings, which does not count as a change. */
export const normalizeLineEnds = (text: string): string => text.replace(/\r\n?/g, '\n');

/** Returns a text with a capital first letter. */
export const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The maximum number of characters of a value in a message. */
const maxQuoted = 200;

/** The maximum number of names in a message. */
export const maxNamesInMessage = 20;

/** Returns the beginning of a value for a message. */
export const truncateValue = (text: string): string =>
  text.length > maxQuoted ? `${text.slice(0, maxQuoted).replace(/[\uD800-\uDBFF]$/, '')}…` : text;

/** Returns the beginning of a value for a message, in quotation marks. */
export const quote = (text: string): string => `"${truncateValue(text)}"`;

/** Returns the first names for a message: `Open, Won and 3 more`. */
export function joinNames(names: readonly string[], format = truncateValue): string {
  const more = names.length > maxNamesInMessage ? ` and ${names.length - maxNamesInMessage} more` : '';
  return `${names.slice(0, maxNamesInMessage).map(format).join(', ')}${more}`;
}

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

/** Returns a text with a capital first letter. */
export const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

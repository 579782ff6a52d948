/** Formats an integer: `1,525`. */
export const formatInteger = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** Returns a count with its noun: `1 record`, `1,525 records`, `0 entries`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatInteger(count)} ${count === 1 ? singular : plural}`;
}

/** Quotes a text for a shell if necessary. */
export function quoteShellWord(text: string): string {
  return /^[\w./~+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

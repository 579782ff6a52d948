/** Quotes a text for a shell if necessary. */
export function quoteShellWord(text: string): string {
  return /^[\w./~+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

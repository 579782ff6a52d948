/** A text on one line, its runs of space as one. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

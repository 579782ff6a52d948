/** A text on one line, its runs of space as one. */
export function oneLine(text: string): string {
  // A space alone stays: to put one in its place, word for word, would take most of the time.
  return text.replace(/(?! \S)\s+/g, ' ').trim();
}

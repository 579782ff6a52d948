/** The parts of a text between separators, each as it stands; none at one with a backslash before it. */
export function splitUnescaped(text: string, separator: string): string[] {
  const parts = [''];
  for (const piece of text.match(/\\.|[^\\]|\\$/gs) ?? []) {
    if (piece === separator) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

/** A part without the backslashes before separators. */
export function removeEscapes(text: string): string {
  return text.replace(/\\([.,:=\\])/g, '$1');
}

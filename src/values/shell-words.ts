/**
 * Splits a command line into words as a shell does, without expansion. Single quotes keep all characters. A backslash
 * keeps the next character; in double quotes, only `"` and `\`. Returns undefined if a quote is not closed.
 */
export function splitShellWords(line: string): string[] | undefined {
  const part = /\s+|'([^']*)'|"((?:\\["\\]|[^"])*)"|\\(.)|([^\s'"\\]+)/gsy;
  const words: string[] = [];
  let word: string | undefined;
  let position = 0;
  for (const match of line.matchAll(part)) {
    const [all, single, double, escaped, plain] = match;
    position += all.length;
    const text = single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain;
    if (text !== undefined) word = (word ?? '') + text;
    else if (word !== undefined) words.push(word);
    if (text === undefined) word = undefined;
  }
  if (position < line.length) return undefined;
  return word === undefined ? words : [...words, word];
}

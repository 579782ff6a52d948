/** Macros that may follow another macro on its line. */
const callable = new Set(['Ar', 'Ev', 'Fl', 'Sy']);

/** Formats a macro of mdoc(7) with its words. Escapes words that are not macros or punctuation. */
export function macro(name: string, ...words: readonly string[]): string {
  const formatted = words.map((word) => {
    if (callable.has(word) || /^([.,]|\.\.\.)$/.test(word)) return word;
    const text = escapeText(word);
    if (text.includes(' ')) return `"${text.replaceAll('"', '""')}"`;
    return text.replace(/^(?=[A-Z][a-z]?$)/, '\\&');
  });
  return [`.${name}`, ...formatted].join(' ');
}

/** Formats a text as lines of mdoc(7). Each sentence begins a line, and no line is too long. */
export function prose(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=[A-Z])/).flatMap((sentence) => {
    const lines: string[] = [];
    for (const word of sentence.split(' ')) {
      const last = lines.pop();
      if (last === undefined) lines.push(word);
      else if (measureSource(last) + measureSource(word) < 76) lines.push(`${last} ${word}`);
      else lines.push(last, word);
    }
    return lines.map(verbatim);
  });
}

/** Returns the width of a text as mandoc counts it: it expands a character that is not ASCII to `\\[u2026]`. */
const measureSource = (text: string) => text.replace(/[^\n -~]/g, '\\[u2026]').length;

/** Formats a line of text that may begin like a macro. */
export function verbatim(line: string): string {
  return escapeText(line).replace(/^(?=[.'])/, '\\&');
}

/** A term, as the words of a macro, and its meaning. */
export type Item = readonly [term: readonly string[], meaning: string];

/** Formats a list of terms and their meanings. */
export function list(items: readonly Item[]): string[] {
  if (items.length === 0) return [];
  const lines = items.flatMap(([term, meaning]) => [macro('It', ...term), ...prose(meaning)]);
  return ['.Bl -tag -width Ds', ...lines, '.El'];
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\e');
}

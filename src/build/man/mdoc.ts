/** Words that stand on the line of a macro and are macros themselves. */
const callable = new Set(['Ar', 'Ev', 'Fl', 'Sy']);

/** A line of mdoc(7): a macro with its words, of which all but macros, dots and commas are what they say. */
export function macro(name: string, ...words: readonly string[]): string {
  const told = words.map((word) => {
    if (callable.has(word) || /^([.,]|\.\.\.)$/.test(word)) return word;
    const text = escaped(word);
    if (text.includes(' ')) return `"${text.replaceAll('"', '""')}"`;
    return text.replace(/^(?=[A-Z][a-z]?$)/, '\\&');
  });
  return [`.${name}`, ...told].join(' ');
}

/** A text as lines of mdoc(7): each sentence begins one, and none is too long. */
export function prose(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=[A-Z])/).flatMap((sentence) => {
    const lines: string[] = [];
    for (const word of sentence.split(' ')) {
      const last = lines.pop();
      if (last === undefined) lines.push(word);
      else if (last.length + word.length < 76) lines.push(`${last} ${word}`);
      else lines.push(last, word);
    }
    return lines.map(verbatim);
  });
}

/** A line as it stands: no macro, whatever it begins with. */
export function verbatim(line: string): string {
  return escaped(line).replace(/^(?=[.'])/, '\\&');
}

/** A list of terms with their meanings. */
export function list(items: readonly (readonly [term: string, meaning: string])[]): string[] {
  if (items.length === 0) return [];
  return ['.Bl -tag -width Ds', ...items.flatMap(([term, meaning]) => [term, ...prose(meaning)]), '.El'];
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\e');
}

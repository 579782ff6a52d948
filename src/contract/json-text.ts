/** A JSON value as it was sent: its text keeps what a value forgets, such as the order of fields and `1.10`. */
export interface Sent {
  readonly text: string;
  readonly value: unknown;
  /** It was made here: its text is made from the value, when it is asked for. */
  readonly ours?: true;
  /** Its value is made from the text, when it is asked for, and so are those of its parts. */
  readonly unread?: true;
}

/** A value of our own, as if it had been sent. */
export function sentAs(value: unknown): Sent {
  return {
    value,
    ours: true,
    get text() {
      return JSON.stringify(value) ?? 'null';
    },
  };
}

/** A JSON text with its value. Throws `SyntaxError`. */
export function sentText(text: string): Sent {
  return { text, value: parsed(text) };
}

/** A JSON text of which only the parts that are looked at are read. Reading throws `SyntaxError`. */
export function unreadText(text: string): Sent {
  let read: { readonly value: unknown } | undefined;
  return {
    text,
    unread: true,
    get value() {
      read ??= { value: parsed(text) };
      return read.value;
    },
  };
}

/** A number of more digits than a double holds, or beyond its range. */
const inexact = /\d{16}|\d[eE][+-]?\d{3}/;

/** The value of a JSON text, in which a number that a double cannot hold is the text of its digits. */
function parsed(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!inexact.test(text)) return value;
  let exact = '';
  eachToken(text, (token) => {
    exact += inexact.test(token) && String(Number(token)) !== token ? quoted(token) : token;
  });
  return JSON.parse(exact);
}

const quoted = (token: string) => (token.startsWith('"') ? token : `"${token}"`);

/** The elements of a JSON array, each as it was sent. */
export function elementsOf(sent: Sent): Sent[] {
  if (sent.unread) return partsOf(sent.text).map(unreadText);
  const values: readonly unknown[] = Array.isArray(sent.value) ? sent.value : [];
  if (sent.ours) return values.map(sentAs);
  return partsOf(sent.text).map((part, index) => ({ text: part, value: values[index] }));
}

/** The members of a JSON object, each as it was sent, in the order in which they were. */
export function membersOf(sent: Sent): [name: string, member: Sent][] {
  const values: Readonly<Record<string, unknown>> =
    !sent.unread && typeof sent.value === 'object' ? { ...sent.value } : {};
  if (sent.ours) return Object.entries(values).map(([name, value]) => [name, sentAs(value)]);
  const parts = partsOf(sent.text);
  return parts.flatMap((part, index): [string, Sent][] => {
    if (index % 2 === 1) return [];
    const name: string = JSON.parse(part);
    const text = parts[index + 1] ?? 'null';
    return [[name, sent.unread ? unreadText(text) : { text, value: values[name] }]];
  });
}

/** One member of a JSON object; undefined where it has none of the name. Of two the last one counts, as in `JSON.parse`. */
export function memberOf(sent: Sent, name: string): Sent | undefined {
  return membersOf(sent).findLast(([known]) => known === name)?.[1];
}

/** A JSON text on several lines, as `JSON.stringify(value, null, 2)` would set it, its tokens untouched. */
export function indented(text: string): string {
  let result = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  eachToken(text, (token) => {
    const isOpen = before === '{' || before === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      if (!isOpen) result += line();
    } else if (isOpen || before === ',') result += line();
    result += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    before = token;
  });
  return result;
}

/** A JSON text on one line. */
export function onOneLine(text: string): string {
  if (!/[\n\r]/.test(text)) return text;
  let result = '';
  eachToken(text, (token) => {
    result += token;
  });
  return result;
}

/**
 * What stands between the outer brackets of a JSON text, without commas and colons: values, or names and values.
 * Throws `SyntaxError` for one that is cut or goes on behind its end.
 */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  const [opening] = /^\s*[[{]/.exec(text) ?? [];
  if (opening === undefined) return parts;
  let at = partStart(text, opening.length);
  while (!isClosing(text.charCodeAt(at))) {
    const end = partEnd(text, at);
    parts.push(text.slice(at, end));
    at = partStart(text, end);
  }
  if (/\S/.test(text.slice(at + 1))) throw new SyntaxError('There is more behind the end of the JSON text.');
  return parts;
}

function partStart(text: string, from: number): number {
  let at = from;
  while (isBetween(text.charCodeAt(at))) at += 1;
  return at;
}

/** Space, comma or colon. */
const isBetween = (code: number) =>
  code === 32 || code === 44 || code === 58 || code === 10 || code === 13 || code === 9;

const isClosing = (code: number) => code === 125 || code === 93;

/** The index after the value that begins at `start`. */
function partEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = closingQuote(text, at);
      if (depth === 0) return at + 1;
    } else if (code === 123 || code === 91) depth += 1;
    else if (isClosing(code)) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && isBetween(code)) return at;
  }
  throw new SyntaxError('The JSON text is cut.');
}

/** The index of the quote that ends the string which begins at `start`. */
function closingQuote(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new SyntaxError('The JSON text is cut.');
    if (!isEscaped(text, end)) return end;
  }
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Calls for each token of a JSON text: brackets, commas and colons alone, strings and other scalars whole. */
function eachToken(text: string, call: (token: string) => void): void {
  const scalarEnd = /[\s,:[\]{}]|$/g;
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? '';
    let end = at + 1;
    if (character === '"') end = closingQuote(text, at) + 1;
    else if (!/[\s,:[\]{}]/.test(character)) {
      scalarEnd.lastIndex = end;
      end = scalarEnd.exec(text)?.index ?? text.length;
    }
    if (!/\s/.test(character)) call(text.slice(at, end));
    at = end;
  }
}

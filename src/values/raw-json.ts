/** A JSON value as it was sent: its text keeps what a value forgets, such as the order of fields and `1.10`. */
export interface RawJson {
  readonly text: string;
  readonly value: unknown;
  /** It was made here: its text is made from the value, when it is asked for. */
  readonly ours?: true;
}

/** A value of our own, as if it had been sent. */
export function toRawJson(value: unknown): RawJson {
  return new Ours(value);
}

/** A class: an object with a getter of its own takes a shape of its own too, which outlives it. */
class Ours implements RawJson {
  readonly value: unknown;
  readonly ours = true;

  constructor(value: unknown) {
    this.value = value;
  }

  get text(): string {
    return JSON.stringify(this.value) ?? 'null';
  }
}

/** A JSON text with its value. Throws `SyntaxError`. */
export function parseRawJson(text: string): RawJson {
  return { text, value: parsed(text) };
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
export function rawElements(sent: RawJson): RawJson[] {
  const values: readonly unknown[] = Array.isArray(sent.value) ? sent.value : [];
  if (sent.ours) return values.map(toRawJson);
  return partsOf(sent.text).map((part, index) => ({ text: part, value: values[index] }));
}

/** The members of a JSON object, each as it was sent, in the order in which they were. */
export function rawMembers(sent: RawJson): [name: string, member: RawJson][] {
  const values: Readonly<Record<string, unknown>> = typeof sent.value === 'object' ? { ...sent.value } : {};
  if (sent.ours) return Object.entries(values).map(([name, value]) => [name, toRawJson(value)]);
  return named(partsOf(sent.text)).map(([name, text]) => [name, { text, value: values[name] }]);
}

/**
 * One member of a JSON object; undefined where it has none of the name. Of two the last one counts, as in
 * `JSON.parse`.
 */
export function rawMember(sent: RawJson, name: string): RawJson | undefined {
  return rawMembers(sent).findLast(([known]) => known === name)?.[1];
}

/** A JSON object of which nothing is read yet. */
export interface RawObject {
  readonly text: string;
  /** The texts of its members by name; of two of one name that of the last. */
  readonly members: ReadonlyMap<string, string>;
}

/**
 * The object that a JSON text is, or the one that its member `within` holds: one way through the text finds the
 * ends of both. Undefined where the text is no object. Throws `SyntaxError` for one that is cut or goes on behind
 * its end.
 */
export function scanRawObject(text: string, within: string): RawObject | undefined {
  const outer = outerBrackets(text, within);
  if (!outer || text[outer.start] !== '{') return undefined;
  const { start, end, parts } = outer.inner && text[outer.inner.start] === '{' ? outer.inner : outer;
  return { text: text.slice(start, end), members: new Map(named(parts)) };
}

/** The same, all of it read. */
export function parseRawObject(text: string, within: string): RawJson | undefined {
  try {
    const only = onlyMember(text, within);
    if (only !== undefined) return parseRawJson(only);
  } catch {
    // It is not alone, or not whole.
  }
  const found = scanRawObject(text, within);
  return found && parseRawJson(found.text);
}

/**
 * What is a JSON object if it is the only member of the outer object: its end is not looked for. Where there are more
 * members it is no JSON, for the commas between them.
 */
function onlyMember(text: string, name: string): string | undefined {
  const opening = new RegExp(`^[ \\t\\n\\r]*\\{[ \\t\\n\\r]*"${name}"[ \\t\\n\\r]*:[ \\t\\n\\r]*(?=\\{)`);
  const [before] = opening.exec(text) ?? [];
  const rest = before === undefined ? '' : text.slice(before.length).trimEnd();
  return rest.endsWith('}') ? rest.slice(0, -1).trimEnd() : undefined;
}

/** Levels that are indented: below them a text of brackets alone would grow with the square of its length. */
const deepest = 100;

/** A JSON text on several lines, as `JSON.stringify(value, null, 2)` would set it, its tokens untouched. */
export function indentJson(text: string): string {
  let result = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(Math.min(depth, deepest))}`;
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
export function compactJson(text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text;
  let result = '';
  eachToken(text, (token) => {
    result += token;
  });
  return result;
}

/** A pair of brackets in a JSON text, from the opening one up to behind the closing one. */
interface Brackets {
  readonly start: number;
  readonly end: number;
  /** What stands between them without commas and colons: values, or names and values. */
  readonly parts: readonly string[];
  /** The member that was looked for, where it is an object or an array. */
  readonly inner: Brackets | undefined;
}

/** What stands between the outer brackets of a JSON text; nothing where it has none. Throws as `outerBrackets` does. */
function partsOf(text: string): readonly string[] {
  return outerBrackets(text)?.parts ?? [];
}

/** Throws `SyntaxError` for a text that is cut or goes on behind its end. */
function outerBrackets(text: string, within?: string): Brackets | undefined {
  const start = text.search(/\S/);
  if (!isOpening(text.charCodeAt(start))) return undefined;
  const brackets = bracketsAt(text, start, within);
  if (/\S/.test(text.slice(brackets.end)))
    throw new SyntaxError('There is more behind the end of the JSON text.');
  return brackets;
}

function bracketsAt(text: string, start: number, within?: string): Brackets {
  const parts: string[] = [];
  let inner: Brackets | undefined;
  let at = partStart(text, start + 1);
  while (!isClosing(text.charCodeAt(at))) {
    const name = within !== undefined && parts.length % 2 === 1 ? parts.at(-1) : undefined;
    const isWithin = name !== undefined && JSON.parse(name) === within;
    if (isWithin) inner = isOpening(text.charCodeAt(at)) ? bracketsAt(text, at) : undefined;
    const end = isWithin && inner ? inner.end : partEnd(text, at);
    parts.push(text.slice(at, end));
    at = partStart(text, end);
  }
  return { start, end: at + 1, parts, inner };
}

/** Names and values in turn as pairs. */
function named(parts: readonly string[]): [name: string, text: string][] {
  return parts.flatMap((part, index): [string, string][] =>
    index % 2 === 0 ? [[JSON.parse(part), parts[index + 1] ?? 'null']] : [],
  );
}

function partStart(text: string, from: number): number {
  let at = from;
  while (isBetween(text.charCodeAt(at))) at += 1;
  return at;
}

/** The signs of JSON as codes: to compare numbers takes less time than to compare texts. */
const [tab, lineFeed, carriageReturn, space, quote, comma, colon] = [9, 10, 13, 32, 34, 44, 58];
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125];

/** Space, comma or colon. */
const isBetween = (code: number) =>
  code === space ||
  code === comma ||
  code === colon ||
  code === lineFeed ||
  code === carriageReturn ||
  code === tab;

const isOpening = (code: number) => code === openBrace || code === openBracket;
const isClosing = (code: number) => code === closeBrace || code === closeBracket;

/** The index after the value that begins at `start`. */
function partEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = closingQuote(text, at);
      if (depth === 0) return at + 1;
    } else if (isOpening(code)) depth += 1;
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

/** A JSON value with its original text, which keeps what the value loses: the order of fields, and digits as in `1.10`. */
export interface RawJson<T = unknown> {
  readonly text: string;
  readonly value: T;
}

/** Wraps a value of our own; its text is written when it is read. */
export function toRawJson<T>(value: T): RawJson<T> {
  return new WrittenJson(value);
}

/** A class, because every object literal with a getter gets a hidden class of its own, which is never freed. */
class WrittenJson<T> implements RawJson<T> {
  readonly value: T;

  constructor(value: T) {
    this.value = value;
  }

  get text(): string {
    return JSON.stringify(this.value) ?? 'null';
  }
}

/** A JSON text whose value is parsed when it is first read. */
export class UnparsedJson<T> implements RawJson<T> {
  readonly text: string;
  readonly #parse: (text: string) => T;
  #parsed: { readonly value: T } | undefined;

  constructor(text: string, parse: (text: string) => T) {
    this.text = text;
    this.#parse = parse;
  }

  get value(): T {
    this.#parsed ??= { value: this.#parse(this.text) };
    return this.#parsed.value;
  }
}

/** Returns the same JSON text with another value. */
export function withValue<T>(raw: RawJson, value: T): RawJson<T> {
  return raw instanceof WrittenJson ? toRawJson(value) : { text: raw.text, value };
}

/** Parses a JSON text. @throws {SyntaxError} if it is not JSON */
export function parseRawJson(text: string): RawJson {
  return { text, value: parseJson(text) };
}

/** A number of more digits than a double holds, or beyond its range. */
const inexact = /\d{16}|\d[eE][+-]?\d{3}/;

/** Parses a JSON text. A number that a double cannot hold becomes a string of its digits. @throws {SyntaxError} */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!inexact.test(text)) return value;
  let exact = '';
  eachToken(text, (token) => {
    exact += inexact.test(token) && String(Number(token)) !== token ? quoted(token) : token;
  });
  return JSON.parse(exact);
}

const quoted = (token: string) => (token.startsWith('"') ? token : `"${token}"`);

/** Returns the elements of a JSON array with their texts. */
export function rawElements(raw: RawJson): RawJson[] {
  if (raw instanceof WrittenJson) return Array.isArray(raw.value) ? raw.value.map(toRawJson) : [];
  return partsOf(raw.text, '[').map(unparsed);
}

/** Returns the members of a JSON object with their texts, in their order. */
export function rawMembers(raw: RawJson): [name: string, member: RawJson][] {
  if (raw instanceof WrittenJson) {
    return Object.entries({ ...raw.value }).map(([name, value]) => [name, toRawJson(value)]);
  }
  return named(partsOf(raw.text, '{')).map(([name, text]) => [name, unparsed(text)]);
}

const unparsed = (text: string): RawJson => new UnparsedJson(text, parseJson);

/**
 * One member of a JSON object; undefined where it has none of the name. Of two the last one counts, as in
 * `JSON.parse`.
 */
export function rawMember(raw: RawJson, name: string): RawJson | undefined {
  return rawMembers(raw).findLast(([known]) => known === name)?.[1];
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

/** Returns the parts between the outer brackets of a JSON text if it begins with `opening`, otherwise none. */
function partsOf(text: string, opening: '[' | '{'): readonly string[] {
  return text.trimStart().startsWith(opening) ? (outerBrackets(text)?.parts ?? []) : [];
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

/** A JSON value with its original text, which keeps what the value loses: the order of fields, and digits as in `1.10`. */
export interface RawJson<T = unknown> {
  readonly text: string;
  readonly value: T;
}

/** Wraps a value that was not received as text. Its text is written when it is read. */
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

/** Matches a number with more digits than a double holds, or beyond its range. */
const inexact = /\d{16}|\d[eE][+-]?\d{3}/;

/** Parses a JSON text. A number that a double cannot hold becomes a string of its digits. @throws {SyntaxError} */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!inexact.test(text)) return value;
  let exact = '';
  forEachToken(text, (token) => {
    exact += inexact.test(token) && String(Number(token)) !== token ? quote(token) : token;
  });
  return JSON.parse(exact);
}

const quote = (token: string) => (token.startsWith('"') ? token : `"${token}"`);

/** Returns the elements of a JSON array with their texts. */
export function rawElements(raw: RawJson): RawJson[] {
  if (raw instanceof WrittenJson) return Array.isArray(raw.value) ? raw.value.map(toRawJson) : [];
  return splitBrackets(raw.text, '[').map(toUnparsed);
}

/** Returns the members of a JSON object with their texts, in their order. */
export function rawMembers(raw: RawJson): [name: string, member: RawJson][] {
  if (raw instanceof WrittenJson) {
    return Object.entries({ ...raw.value }).map(([name, value]) => [name, toRawJson(value)]);
  }
  return toPairs(splitBrackets(raw.text, '{')).map(([name, text]) => [name, toUnparsed(text)]);
}

const toUnparsed = (text: string): RawJson => new UnparsedJson(text, parseJson);

/** Returns a member of a JSON object; of two with the same name the last one, as in `JSON.parse`. */
export function rawMember(raw: RawJson, name: string): RawJson | undefined {
  return rawMembers(raw).findLast(([other]) => other === name)?.[1];
}

/** The deepest level that is indented. Without it the output of nested brackets would grow quadratically. */
const maxIndent = 100;

/** Indents a JSON text like `JSON.stringify(value, null, 2)`, but keeps its tokens. */
export function indentJson(text: string): string {
  let result = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(Math.min(depth, maxIndent))}`;
  forEachToken(text, (token) => {
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

/** Returns a JSON text on one line. */
export function compactJson(text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text;
  let result = '';
  forEachToken(text, (token) => {
    result += token;
  });
  return result;
}

/**
 * Returns the parts between the outer brackets of a JSON text if it begins with `opening`, otherwise none.
 * @throws {SyntaxError} if the text is truncated or has trailing characters
 */
function splitBrackets(text: string, opening: '[' | '{'): readonly string[] {
  const start = text.search(/\S/);
  if (text[start] !== opening) return [];
  const { end, parts } = scanBrackets(text, start);
  if (/\S/.test(text.slice(end))) throw new SyntaxError('The JSON text has trailing characters.');
  return parts;
}

/** Returns the texts of the values between brackets, or of names and values in turn, and the index after the brackets. */
function scanBrackets(
  text: string,
  start: number,
): { readonly end: number; readonly parts: readonly string[] } {
  const parts: string[] = [];
  let at = skipSeparators(text, start + 1);
  while (!isClosing(text.charCodeAt(at))) {
    const end = findValueEnd(text, at);
    parts.push(text.slice(at, end));
    at = skipSeparators(text, end);
  }
  return { end: at + 1, parts };
}

/** Returns names and values in turn as pairs. */
function toPairs(parts: readonly string[]): [name: string, text: string][] {
  return parts.flatMap((part, index): [string, string][] =>
    index % 2 === 0 ? [[JSON.parse(part), parts[index + 1] ?? 'null']] : [],
  );
}

function skipSeparators(text: string, from: number): number {
  let at = from;
  while (isSeparator(text.charCodeAt(at))) at += 1;
  return at;
}

/** Character codes, because comparing numbers is faster than comparing texts. */
const [tab, lineFeed, carriageReturn, space, quotationMark, comma, colon] = [9, 10, 13, 32, 34, 44, 58];
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125];

const isSeparator = (code: number) =>
  code === space ||
  code === comma ||
  code === colon ||
  code === lineFeed ||
  code === carriageReturn ||
  code === tab;

const isOpening = (code: number) => code === openBrace || code === openBracket;
const isClosing = (code: number) => code === closeBrace || code === closeBracket;

/** Returns the index after the value that begins at `start`. */
function findValueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quotationMark) {
      at = findClosingQuote(text, at);
      if (depth === 0) return at + 1;
    } else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && isSeparator(code)) return at;
  }
  throw new SyntaxError('The JSON text is truncated.');
}

/** Returns the index of the closing quote of the string that begins at `start`. */
function findClosingQuote(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new SyntaxError('The JSON text is truncated.');
    if (!isEscaped(text, end)) return end;
  }
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Calls a function for each token of a JSON text: a bracket, comma, colon, string or other scalar. */
function forEachToken(text: string, call: (token: string) => void): void {
  const scalarEnd = /[\s,:[\]{}]|$/g;
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? '';
    let end = at + 1;
    if (character === '"') end = findClosingQuote(text, at) + 1;
    else if (!/[\s,:[\]{}]/.test(character)) {
      scalarEnd.lastIndex = end;
      end = scalarEnd.exec(text)?.index ?? text.length;
    }
    if (!/\s/.test(character)) call(text.slice(at, end));
    at = end;
  }
}

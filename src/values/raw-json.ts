/** A JSON value with its original text. Only the text keeps the order of fields, and digits as in `1.10`. */
export interface RawJson<T = unknown> {
  readonly text: string;
  readonly value: T;
}

/** Wraps a value that was not received as text. Its text is written when it is read. */
export function toRawJson<T>(value: T): RawJson<T> {
  return new WrittenJson(value);
}

/** A class, because each object literal with a getter gets its own hidden class, which is never freed. */
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

/** A value whose JSON text is extracted from its parent's text when it is first read. */
class MemberJson<T> implements RawJson<T> {
  readonly value: T;
  readonly #parent: RawJson;
  readonly #name: string;
  #text: string | undefined;

  constructor(parent: RawJson, name: string, value: T) {
    this.#parent = parent;
    this.#name = name;
    this.value = value;
  }

  get text(): string {
    this.#text ??= findRawMember(this.#parent, this.#name)?.text ?? 'null';
    return this.#text;
  }
}

/** Returns a member of a JSON object with another value. The text is extracted only if it is read. */
export function replaceMemberValue<T>(parent: RawJson, name: string, value: T): RawJson<T> {
  return parent instanceof WrittenJson ? toRawJson(value) : new MemberJson(parent, name, value);
}

/** Returns the same JSON text with another value. */
export function replaceValue<T>(raw: RawJson, value: T): RawJson<T> {
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

/** Returns the elements of a JSON array with their texts; empty if the value is not an array. */
export function listRawElements(raw: RawJson): RawJson[] {
  if (raw instanceof WrittenJson) return Array.isArray(raw.value) ? raw.value.map(toRawJson) : [];
  return splitBrackets(raw.text, '[').map(toUnparsed);
}

/** Returns the members of a JSON object with their texts, in their order; empty if the value is not an object. */
export function listRawMembers(raw: RawJson): [name: string, member: RawJson][] {
  if (raw instanceof WrittenJson) {
    return Object.entries({ ...raw.value }).map(([name, value]) => [name, toRawJson(value)]);
  }
  const parts = splitBrackets(raw.text, '{');
  return parts.flatMap((name, index): [string, RawJson][] =>
    index % 2 === 0 ? [[JSON.parse(name), toUnparsed(parts[index + 1] ?? 'null')]] : [],
  );
}

const toUnparsed = (text: string): RawJson => new UnparsedJson(text, parseJson);

/** Returns a member of a JSON object. Of duplicate names, the last one is valid, as in `JSON.parse`. */
export function findRawMember(raw: RawJson, name: string): RawJson | undefined {
  return listRawMembers(raw).findLast(([memberName]) => memberName === name)?.[1];
}

/** Returns the JSON array of some elements, which keep their texts. */
export function joinElements(elements: readonly RawJson[]): RawJson {
  return toUnparsed(`[${elements.map(({ text }) => text).join(',')}]`);
}

/** Returns the JSON object of some members, which keep their texts. */
export function joinMembers(members: readonly (readonly [name: string, member: RawJson])[]): RawJson {
  const texts = members.map(([name, { text }]) => `${JSON.stringify(name)}:${text}`);
  return toUnparsed(`{${texts.join(',')}}`);
}

/** The deepest level that is indented. Without it the output of nested brackets would grow quadratically. */
const maxIndent = 100;

/** Indents a JSON text like `JSON.stringify(value, null, 2)`, but keeps its tokens. */
export function indentJson(text: string): string {
  let result = '';
  let depth = 0;
  let before = '';
  const formatLineBreak = () => `\n${'  '.repeat(Math.min(depth, maxIndent))}`;
  forEachToken(text, (token) => {
    const isOpen = before === '{' || before === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      if (!isOpen) result += formatLineBreak();
    } else if (isOpen || before === ',') result += formatLineBreak();
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

/** Returns the texts of the values in a valid JSON text, with names and values alternating; empty without `opening`. */
function splitBrackets(text: string, opening: '[' | '{'): readonly string[] {
  const parts: string[] = [];
  if (!text.trimStart().startsWith(opening)) return parts;
  let depth = 0;
  let start = text.indexOf(opening) + 1;
  for (let at = start - 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = findClosingQuote(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else {
      const isClosing = character === '}' || character === ']';
      if (depth === 1 && (isClosing || character === ',' || character === ':')) {
        const part = text.slice(start, at).trim();
        if (part !== '') parts.push(part);
        start = at + 1;
      }
      if (isClosing) depth -= 1;
    }
  }
  return parts;
}

/** Calls a function for each token of a valid JSON text: a bracket, comma, colon, string or other scalar. */
function forEachToken(text: string, call: (token: string) => void): void {
  const tokenStart = /["{}[\],:]|[^\s"{}[\],:]+/g;
  for (let match = tokenStart.exec(text); match; match = tokenStart.exec(text)) {
    if (match[0] === '"') tokenStart.lastIndex = findClosingQuote(text, match.index) + 1;
    call(text.slice(match.index, tokenStart.lastIndex));
  }
}

/** Returns the index of the closing quote of the string that begins at `start`. */
function findClosingQuote(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new SyntaxError('The JSON text is truncated.');
    let first = end;
    while (text[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
}

import { parseJson, type RawJson, UnparsedJson } from './raw-json.ts';

const space = String.raw`[ \t\n\r]*`;
const plain = String.raw`[^"\\\u0000-\u001f]*`;
const string = String.raw`"${plain}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${plain})*"`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;

/** Returns the pattern of JSON with at most `depth` nested brackets. Contains the pattern of an item only once. */
function buildJsonPattern(depth: number): string {
  const scalar = `${string}|${number}|true|false|null`;
  if (depth === 0) return `(?:${scalar})`;
  const value = buildJsonPattern(depth - 1);
  const buildItemsPattern = (end: string, item: string) => `(?:${item}(?:, ?(?!${end})|(?=${end})))*${end}`;
  return String.raw`(?:${scalar}|\[${buildItemsPattern('[\\]]', value)}|\{${buildItemsPattern('[}]', `${string}: ?${value}`)})`;
}

/** The pattern of a record of the API, compiled on first use. It is faster than the JSON parser. */
let element: RegExp | undefined;
const opening = new RegExp(String.raw`${space}(?:\{${space}"data"${space}:${space})?\[${space}`, 'y');
const comma = new RegExp(`${space},${space}`, 'y');
const closing = new RegExp(String.raw`${space}\]`, 'y');

/**
 * Splits a JSON list, or the list in the first member `data`, into unparsed elements and the value of its frame: the
 * text with a single 0 in place of the elements. Undefined if the text is not JSON, is nested more deeply or indented,
 * or has another first member.
 */
export function splitRawList<T>(text: string, parse: (element: string) => T) {
  element ??= new RegExp(buildJsonPattern(3), 'y');
  try {
    const elements: RawJson<T>[] = [];
    const start = matchAt(opening, text, 0);
    let end = start;
    for (let at = start; at >= 0; at = matchAt(comma, text, end)) {
      const next = matchAt(element, text, at);
      if (next < 0) break;
      elements.push(new UnparsedJson(text.slice(at, next), parse));
      end = next;
    }
    if (matchAt(closing, text, end) < 0) return undefined;
    const frame = parseJson(`${text.slice(0, start)}0${text.slice(end)}`);
    return isFrame(frame) ? { elements, frame } : undefined;
  } catch {
    return undefined; // the rest is not JSON, or a string is too long for the pattern
  }
}

/** Whether the list is [0]. The last of two members with the same name is valid. */
function isFrame(frame: unknown): boolean {
  const list = typeof frame === 'object' && frame !== null && 'data' in frame ? frame.data : frame;
  return Array.isArray(list) && list.length === 1 && list[0] === 0;
}

/** Returns the end of a pattern's match at an index; -1 if it does not match. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

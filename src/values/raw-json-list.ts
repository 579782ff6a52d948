import { parseJson, type RawJson, UnparsedJson } from './raw-json.ts';

/** A JSON list whose elements are not parsed yet. */
export interface RawList<T> {
  readonly elements: readonly RawJson<T>[];
  /** The value of the whole text with a single 0 in place of the elements. */
  readonly frame: unknown;
}

const space = String.raw`[ \t\n\r]*`;
const plain = String.raw`[^"\\\u0000-\u001f]*`;
const string = String.raw`"${plain}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${plain})*"`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;

/**
 * JSON (RFC 8259) of so many brackets inside of each other, with a space at the most behind a comma or colon. What
 * stands in them is told once: told before and behind a comma, the pattern would double at each depth.
 */
function jsonOf(depth: number): string {
  const scalar = `${string}|${number}|true|false|null`;
  if (depth === 0) return `(?:${scalar})`;
  const value = jsonOf(depth - 1);
  const upTo = (end: string, item: string) => `(?:${item}(?:, ?(?!${end})|(?=${end})))*${end}`;
  return String.raw`(?:${scalar}|\[${upTo('[\\]]', value)}|\{${upTo('[}]', `${string}: ?${value}`)})`;
}

/** As deep as the records of the interface. The engine's search takes a fifth of the time of its JSON parser. */
let element: RegExp | undefined; // made on first use: it is long
const opening = new RegExp(String.raw`${space}(?:\{${space}"data"${space}:${space})?\[${space}`, 'y');
const comma = new RegExp(`${space},${space}`, 'y');
const closing = new RegExp(String.raw`${space}\]`, 'y');

/**
 * The list that a JSON text is, or that its first member `data` holds, with its elements cut out. Undefined for a text
 * that is no JSON, and for what is JSON but seldom sent: deeper, indented, or with another member first.
 */
export function splitRawList<T>(text: string, parse: (element: string) => T): RawList<T> | undefined {
  element ??= new RegExp(jsonOf(3), 'y');
  try {
    const elements: RawJson<T>[] = [];
    const start = endOf(opening, text, 0);
    let end = start;
    for (let at = start; at >= 0; at = endOf(comma, text, end)) {
      const next = endOf(element, text, at);
      if (next < 0) break;
      elements.push(new UnparsedJson(text.slice(at, next), parse));
      end = next;
    }
    if (endOf(closing, text, end) < 0) return undefined;
    const frame = parseJson(`${text.slice(0, start)}0${text.slice(end)}`);
    return isAround(frame) ? { elements, frame } : undefined;
  } catch {
    return undefined; // what is left around the elements is no JSON, or a string is too long for the search
  }
}

/** Whether a 0 is all that a list holds: of two members of one name the last one counts. */
function isAround(frame: unknown): boolean {
  const list = typeof frame === 'object' && frame !== null && 'data' in frame ? frame.data : frame;
  return Array.isArray(list) && list.length === 1 && list[0] === 0;
}

/** The index behind what a pattern finds at an index; -1 where it finds nothing. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

import { Failure } from '../../contract/errors.ts';
import { isExactInJson } from '../../values/field-values.ts';
import { repeated } from './options.ts';

type NamedValue = readonly [name: string, value: unknown];
type ReadFile = (file: string) => Promise<string>;

/** A field, and its position among all fields on the command line. */
interface Field {
  readonly position: number;
  /** Returns its name and value, which may be the text of a file. */
  readonly resolve: (readFile: ReadFile) => Promise<NamedValue>;
}

/** `-f NAME=TEXT`: a field with a text. */
export const textFieldOption = repeated<Field>({
  summary: 'A field of the body, as text',
  placeholder: 'NAME=TEXT',
  short: '-f',
  parse(text, position = 0) {
    const pair = splitPair(text);
    return { position, resolve: async () => pair };
  },
});

/** `-F NAME=VALUE`: a field with a JSON value or the text of a file. */
export const typedFieldOption = repeated<Field>({
  summary: 'A field of the body: true, false, null, a number, @FILE for its text, or text',
  placeholder: 'NAME=VALUE|NAME=@FILE',
  valueSource: 'field',
  short: '-F',
  parse(text, position = 0) {
    const [name, value] = splitPair(text);
    if (value.startsWith('@'))
      return { position, resolve: async (readFile: ReadFile) => [name, await readFile(value.slice(1))] };
    const parsed = parseValue(value);
    return { position, resolve: async () => [name, parsed] };
  },
});

/** Returns the fields in the order of the command line: `a[][b]` and `a[][c]` belong together. */
export function resolveFields(fields: readonly Field[], readFile: ReadFile): Promise<NamedValue[]> {
  const sorted = [...fields].sort((one, other) => one.position - other.position);
  return Promise.all(sorted.map(({ resolve }) => resolve(readFile)));
}

function splitPair(text: string): readonly [name: string, value: string] {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new Failure('usage', `"${text}" is not NAME=VALUE.`);
  return [name, value];
}

const literals: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function parseValue(text: string): unknown {
  if (literals.has(text)) return literals.get(text);
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text;
  const number = Number(text);
  if (isExactInJson(number)) return number;
  throw new Failure('usage', `The number "${text}" would lose precision in JSON.`, {
    hint: 'Use -f to send it as text.',
  });
}

/** Builds a body: `emails[]` appends to an array, `a[b]` sets a field of an object, `a[][b]` of the last element. */
export function nestFields(values: readonly NamedValue[]): unknown {
  const body = {};
  for (const [name, value] of values) setPath(body, parsePath(name), value, name);
  return body;
}

/** Converts `a[][b]` to `a`, `` (a new element) and `b`. */
function parsePath(name: string): string[] {
  const [head = '', ...rest] = name.split('[');
  if (head === '' || rest.some((step) => !step.endsWith(']'))) {
    throw new Failure('usage', `"${name}" is not a name such as emails[] or custom_fields[][name].`);
  }
  return [head, ...rest.map((step) => step.slice(0, -1))];
}

/** An array or object in a body. */
type Branch = unknown[] | Record<string, unknown>;

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null;

/** Sets a value at a path and creates the arrays and objects on the way. The error has the whole name. */
function setPath(
  target: Branch,
  [step = '', ...rest]: readonly string[],
  value: unknown,
  name: string,
): void {
  if (Array.isArray(target) !== (step === '')) {
    throw new Failure('usage', `"${name}" uses a field both as an array and as an object.`);
  }
  const created = rest.length === 0 ? value : rest[0] === '' ? [] : {};
  const next = Array.isArray(target)
    ? appendElement(target, rest, created)
    : setField(target, step, rest, created, name);
  if (rest.length > 0 && isBranch(next)) setPath(next, rest, value, name);
}

/** Returns the element to fill: `a[][b]` and then `a[][c]` fill one, another `a[][b]` begins the next. */
function appendElement(array: unknown[], [step]: readonly string[], created: unknown): unknown {
  const last = array.at(-1);
  const isOpen = step !== undefined && isBranch(last) && !Object.hasOwn(last, step);
  if (!isOpen) array.push(created);
  return array.at(-1);
}

/** Returns the value of a field: the existing array or object, or the new value. */
function setField(
  target: Record<string, unknown>,
  step: string,
  rest: readonly string[],
  created: unknown,
  name: string,
): unknown {
  const existing = Object.hasOwn(target, step) ? target[step] : undefined;
  if (existing !== undefined && isBranch(existing) !== rest.length > 0) {
    throw new Failure('usage', `"${name}" uses a field both as a value and as an array or object.`);
  }
  if (isBranch(existing)) return existing;
  // An assignment would fail for `__proto__`.
  Object.defineProperty(target, step, {
    value: created,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return created;
}

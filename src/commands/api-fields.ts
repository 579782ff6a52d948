import { readTextFile } from '../cli/command/files.ts';
import { makeRepeatable } from '../cli/command/options.ts';
import { Failure } from '../contract/errors.ts';
import { isExactInJson } from '../values/numbers.ts';

type NamedValue = readonly [name: string, value: unknown];

/** A field, and its position among all fields on the command line. */
interface Field {
  readonly position: number;
  readonly name: string;
  readonly value?: unknown;
  readonly file?: string;
}

/** `-f NAME=TEXT`: a field with a text. */
export const textFieldOption = makeRepeatable<Field>({
  summary: 'A field of the body, as text',
  placeholder: 'NAME=TEXT',
  short: '-f',
  parse(text, position = 0) {
    const [name, value] = splitPair(text);
    return { position, name, value };
  },
});

/** `-F NAME=VALUE`: a field with a JSON value or the text of a file. */
export const typedFieldOption = makeRepeatable<Field>({
  summary: 'A field of the body: true, false, null, a number, @FILE for its text, or text',
  placeholder: 'NAME=VALUE|NAME=@FILE',
  valueSource: 'field',
  short: '-F',
  parse(text, position = 0) {
    const [name, value] = splitPair(text);
    if (value.startsWith('@')) return { position, name, file: value.slice(1) };
    return { position, name, value: parseValue(value) };
  },
});

/** Returns the fields in the order of the command line: `a[][b]` and `a[][c]` belong together. */
export function resolveFields(fields: readonly Field[]): Promise<NamedValue[]> {
  const sorted = fields.toSorted((left, right) => left.position - right.position);
  return Promise.all(
    sorted.map(async ({ name, value, file }) => [
      name,
      file === undefined ? value : await readTextFile(file),
    ]),
  );
}

function splitPair(text: string): readonly [name: string, value: string] {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new Failure('usage', `"${text}" is not NAME=VALUE.`);
  return [name, value];
}

function parseValue(text: string): unknown {
  if (/^(true|false|null)$/.test(text)) return JSON.parse(text);
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text;
  const number = Number(text);
  if (isExactInJson(number)) return number;
  throw new Failure('usage', `The number "${text}" would lose precision in JSON.`, {
    hint: 'Use -f to send it as text.',
  });
}

/** Builds a body: `emails[]` appends to an array, `a[b]` sets a field of an object, `a[][b]` of the last element. */
export function nestFields(values: readonly NamedValue[]): unknown {
  const body = createObject();
  for (const [name, value] of values) setPath(body, name, value);
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

type Branch = Record<string, unknown> | unknown[];

/** Without a prototype, `__proto__` is a field like any other. */
const createObject = (): Branch => Object.create(null);

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null;

/** Sets the value of a field and creates the arrays and objects on the way to it. */
function setPath(body: Branch, name: string, value: unknown): void {
  const steps = parsePath(name);
  let target = body;
  for (const [index, step] of steps.entries()) {
    if (Array.isArray(target) !== (step === '')) {
      throw new Failure('usage', `"${name}" uses a field both as an array and as an object.`);
    }
    const next = steps[index + 1];
    const key = Array.isArray(target) ? findElement(target, next) : step;
    const existing: unknown = Reflect.get(target, key);
    if (existing !== undefined && isBranch(existing) !== (next !== undefined)) {
      throw new Failure('usage', `"${name}" uses a field both as a value and as an array or object.`);
    }
    const created = next === undefined ? value : next === '' ? [] : createObject();
    const child = isBranch(existing) ? existing : created;
    Reflect.set(target, key, child);
    if (isBranch(child)) target = child;
  }
}

/** Returns the index of the element to fill: `a[][b]` and then `a[][c]` fill one, another `a[][b]` begins the next. */
function findElement(array: readonly unknown[], step: string | undefined): number {
  const last = array.at(-1);
  const isOpen = step !== undefined && isBranch(last) && !Object.hasOwn(last, step);
  return isOpen ? array.length - 1 : array.length;
}

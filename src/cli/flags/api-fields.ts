import { Failure } from '../../contract/errors.ts';
import { isExactInJson } from '../../values/field-values.ts';
import { repeated } from './options.ts';

type Named = readonly [name: string, value: unknown];

/** A field with its place among all that were typed, text or not. */
interface Placed {
  readonly at: number;
  /** Its value may be that of a file. */
  readonly named: (readFile: (file: string) => Promise<string>) => Promise<Named>;
}

/** `-f K=V`: a text. */
export const textFieldOption = repeated<Placed>({
  summary: 'A field of the body, as text',
  placeholder: 'NAME=TEXT',
  short: '-f',
  parse(given, at = 0) {
    const pair = pairIn(given);
    return { at, named: async () => pair };
  },
});

/** `-F K=TYPED`: the value is read once the file is, should it be one. */
export const typedFieldOption = repeated<Placed>({
  summary: 'A field of the body: true, false, null, a number, @FILE for its text, or text',
  placeholder: 'NAME=VALUE|NAME=@FILE',
  valueSource: 'field',
  short: '-F',
  parse(given, at = 0) {
    const [name, text] = pairIn(given);
    const value = text.startsWith('@') ? undefined : typed(text);
    const named: Placed['named'] = async (readFile) =>
      text.startsWith('@') ? [name, await readFile(text.slice(1))] : [name, value];
    return { at, named };
  },
});

/** The fields in the order in which they were typed: `a[][b]` and `a[][c]` belong together. */
export function resolveFields(
  fields: readonly Placed[],
  readFile: (file: string) => Promise<string>,
): Promise<Named[]> {
  const typed = [...fields].sort((one, other) => one.at - other.at);
  return Promise.all(typed.map(({ named }) => named(readFile)));
}

function pairIn(given: string): readonly [name: string, value: string] {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined) throw new Failure('usage', `"${given}" is not NAME=VALUE.`);
  return [name, value];
}

const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function typed(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  if (value === 'null') return null;
  if (!isNumber.test(value)) return value;
  const number = Number(value);
  if (!isExactInJson(number)) {
    throw new Failure('usage', `"${value}" is a number that JSON does not keep whole.`, {
      hint: 'With -f it is sent as text.',
    });
  }
  return number;
}

/**
 * A body from its fields: `emails[]` adds to an array, `a[b]` is a field of an object, `a[][b]` of its last
 * element.
 */
export function nestFields(values: readonly Named[]): unknown {
  const body = {};
  for (const [name, value] of values) put(body, stepsIn(name), value, name);
  return body;
}

/** `a[][b]` -> `a`, `` (the next place), `b`. */
function stepsIn(name: string): string[] {
  const [head = '', ...rest] = name.split('[');
  if (head === '' || rest.some((step) => !step.endsWith(']'))) {
    throw new Failure('usage', `"${name}" is not a name such as emails[] or custom_fields[][name].`);
  }
  return [head, ...rest.map((step) => step.slice(0, -1))];
}

/** A place in a body that holds others. */
type Branch = unknown[] | Record<string, unknown>;

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null;

/** Puts a value where the steps lead to, and makes what is not there yet. Throws `usage`, with the whole name. */
function put(into: Branch, [step = '', ...rest]: readonly string[], value: unknown, name: string): void {
  if (Array.isArray(into) !== (step === '')) {
    throw new Failure('usage', `"${name}" makes an array and an object of one field.`);
  }
  const next = rest.length === 0 ? value : rest[0] === '' ? [] : {};
  const held = Array.isArray(into) ? addedTo(into, rest, next) : setIn(into, step, rest, next, name);
  if (rest.length > 0 && isBranch(held)) put(held, rest, value, name);
}

/** The element that is filled: `a[][b]` and then `a[][c]` fill one, the next `a[][b]` begins another. */
function addedTo(into: unknown[], [step]: readonly string[], next: unknown): unknown {
  const last = into.at(-1);
  const isOpen = step !== undefined && isBranch(last) && !Object.hasOwn(last, step);
  if (!isOpen) into.push(next);
  return into.at(-1);
}

/** The field that is filled: a new one, one of more steps, or a text in the place of another. */
function setIn(
  into: Record<string, unknown>,
  step: string,
  rest: readonly string[],
  next: unknown,
  name: string,
): unknown {
  const held = Object.hasOwn(into, step) ? into[step] : undefined;
  if (held !== undefined && isBranch(held) !== rest.length > 0) {
    throw new Failure('usage', `"${name}" makes a text and more of one field.`);
  }
  if (isBranch(held)) return held;
  // Not by an assignment: the name may be `__proto__`.
  Object.defineProperty(into, step, { value: next, enumerable: true, configurable: true, writable: true });
  return next;
}

import fc from 'fast-check';
import { anyCharacter } from '../support/any-text.ts';

/** A piece of JSON text that no value has, such as a number that is too large: it goes into the text as it is. */
const raw = (text: string) => `@raw ${text}`;

const nested = (open: string, close: string, depth: number) => raw(open.repeat(depth) + close.repeat(depth));

/** Values at the edges of JSON, JavaScript, Unicode and the database. */
export const nasty: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    0.5,
    2 ** 53,
    -(2 ** 53),
    1e21,
    Number.MIN_VALUE,
    '',
    ' ',
    [],
    {},
  ),
  fc.constantFrom(
    '\0',
    'a\0b',
    'a\0@example.com',
    '\ud800',
    '\ud801',
    'a\udc00@example.com',
    '\u202e',
    '\ufeff',
  ),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'auto', "'; drop table contact; --", '%s', '{{x}}'),
  fc.constantFrom(raw('1e400'), raw('-1e400'), raw('9'.repeat(400)), raw('-0'), raw('{"__proto__":{"a":1}}')),
  fc.constantFrom(
    nested('[', ']', 50),
    nested('[', ']', 20_000),
    raw(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`),
  ),
  fc.constantFrom<unknown>('x'.repeat(70_000), Array(5000).fill('x'), Array(300).fill({ name: 'x' })),
  fc.string({ unit: anyCharacter }),
  fc.double(),
  fc.jsonValue(),
);

const key = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '',
    'id',
    'a/b~c',
    '\ud800',
  ),
  fc.string({ unit: anyCharacter }),
);

const change = fc.record({
  place: fc.nat(),
  how: fc.constantFrom('replace', 'remove', 'add', 'twice'),
  key,
  value: nasty,
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
type Holder = Record<string, unknown>;

/** Values with one to three changes somewhere in them: a part replaced, removed, added or doubled. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce(changed, structuredClone(value)));
}

function changed(value: unknown, { place, how, key, value: shared }: Change): unknown {
  const other = structuredClone(shared); // the next change may be inside it
  const places = placesIn(value);
  const [holder, name] = places[place % places.length] ?? [];
  if (holder === undefined || name === undefined) return how === 'replace' ? other : value;
  const held = holder[name];
  if (how === 'remove') Reflect.deleteProperty(holder, name);
  else if (how === 'twice') put(holder, name, Array.isArray(held) ? [...held, ...held] : [held, held]);
  else if (how === 'add' && !Array.isArray(holder)) put(holder, key, other);
  else put(holder, name, other);
  return value;
}

/** Also `__proto__` as a key like any other. */
function put(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Every place in a value: what holds it, and under which key. */
function placesIn(value: unknown): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder; // an array too is read and written by its keys
  return Object.keys(holder).flatMap((key): [Holder, string][] => [[holder, key], ...placesIn(holder[key])]);
}

/** The text of a body. */
export function wireText(body: unknown): string {
  return (JSON.stringify(body) ?? '').replaceAll(/"@raw ((?:[^"\\]|\\.)*)"/g, (_, text: string) =>
    JSON.parse(`"${text}"`),
  );
}

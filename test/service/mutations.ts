import fc from 'fast-check';
import { anyCharacter } from '../support/any-text.ts';

/** Returns a marker for JSON text that no JavaScript value produces, such as a number that is too large. */
const toRawJson = (text: string) => `@raw ${text}`;

const createNested = (open: string, close: string, depth: number) =>
  toRawJson(open.repeat(depth) + close.repeat(depth));

/** Values at the edges of JSON, JavaScript, Unicode and the database. */
export const edgeValues: fc.Arbitrary<unknown> = fc.oneof(
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
  fc.constantFrom(
    toRawJson('1e400'),
    toRawJson('-1e400'),
    toRawJson('9'.repeat(400)),
    toRawJson('-0'),
    toRawJson('{"__proto__":{"a":1}}'),
  ),
  fc.constantFrom(
    createNested('[', ']', 50),
    createNested('[', ']', 20_000),
    toRawJson(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`),
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
  position: fc.nat(),
  operation: fc.constantFrom('replace', 'remove', 'add', 'twice'),
  key,
  value: edgeValues,
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
type Parent = Record<string, unknown>;

/** Changes values at one to three positions: replaces, removes, adds or duplicates a part. */
export function mutate(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce(applyChange, structuredClone(value)));
}

function applyChange(value: unknown, { position, operation, key, value: shared }: Change): unknown {
  const other = structuredClone(shared); // the next change may be inside it
  const positions = findPositions(value);
  const [parent, name] = positions[position % positions.length] ?? [];
  if (parent === undefined || name === undefined) return operation === 'replace' ? other : value;
  const current = parent[name];
  if (operation === 'remove') Reflect.deleteProperty(parent, name);
  else if (operation === 'twice')
    defineProperty(parent, name, Array.isArray(current) ? [...current, ...current] : [current, current]);
  else if (operation === 'add' && !Array.isArray(parent)) defineProperty(parent, key, other);
  else defineProperty(parent, name, other);
  return value;
}

/** Sets a property, even one named `__proto__`. */
function defineProperty(parent: Parent, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Finds every position in a value: its parent and its key. */
function findPositions(value: unknown): [Parent, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Parent; // arrays have keys, too
  return Object.keys(parent).flatMap((key): [Parent, string][] => [
    [parent, key],
    ...findPositions(parent[key]),
  ]);
}

/** Formats a body as JSON and inserts the raw parts. */
export function formatWireText(body: unknown): string {
  return (JSON.stringify(body) ?? '').replaceAll(/"@raw ((?:[^"\\]|\\.)*)"/g, (_, text: string) =>
    JSON.parse(`"${text}"`),
  );
}

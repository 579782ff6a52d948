import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextSet } from '../../src/dense/text-set.ts';

test('it takes each text once, as a Set does', () => {
  const text = fc.oneof(fc.string({ maxLength: 3 }), fc.string({ unit: 'grapheme', maxLength: 40 }));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 300 }), (texts) => {
      const [set, known] = [new TextSet(), new Set<string>()];
      for (const one of texts) {
        expect(set.add(one)).toBe(!known.has(one));
        known.add(one);
        expect(set.size).toBe(known.size);
      }
    }),
  );
});

test('each text has a place, is found there as it was, and comes in its turn', () => {
  // Any UTF-16 unit may stand in them, halves of a pair too.
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('\ud800', 'a\udc00b', ''),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(text, { maxLength: 60 }),
      fc.array(text, { maxLength: 10 }),
      (texts, others) => {
        const set = new TextSet();
        for (const one of texts) set.add(one);
        const places = texts.map((_, index) => index + 1);
        expect(texts.map((one) => set.placeOf(one))).toEqual(places);
        expect(places.map((place) => set.at(place))).toEqual(texts);
        expect(others.map((one) => set.has(one))).toEqual(others.map((one) => texts.includes(one)));
        const inOrder = places
          .toSorted((one, other) => set.compare(one, other))
          .map((place) => set.at(place));
        expect(inOrder).toEqual(texts.toSorted());
        expect(set.size).toBe(texts.length); // to ask adds nothing
      },
    ),
  );
});

test('what was added last is kept, all else is new again', () => {
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.nat(60).map((id) => ({ add: `id-${id}` })) },
    { weight: 1, arbitrary: fc.nat(40).map((keep) => ({ keep })) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const set = new TextSet();
      let known: string[] = [];
      for (const one of steps) {
        if ('add' in one) {
          expect(set.add(one.add)).toBe(!known.includes(one.add));
          known = [...new Set([...known, one.add])];
        } else {
          set.keepLast(one.keep);
          known = known.slice(Math.max(0, known.length - one.keep));
        }
        expect(set.size).toBe(known.length);
      }
    }),
  );
});

test('texts of one hash are told apart', () => {
  // Among so many some have the same 32 bits, wherever the set begins to hash: ten on the average.
  const set = new TextSet();
  const texts = Array.from({ length: 300_000 }, (_, index) => `id-${index * 7919}`);
  expect(texts.filter((text) => !set.add(text))).toEqual([]);
});

test('it grows with the texts, and with their length', () => {
  const set = new TextSet();
  const texts = Array.from({ length: 50_000 }, (_, index) => `${index}`.padStart(36, 'é'));
  const long = ['x'.repeat(100_000), `${'x'.repeat(99_999)}y`];
  for (const [index, text] of [...texts, ...long].entries()) {
    const before = set.placeOf(text);
    expect([before, set.add(text), set.placeOf(text), set.put(text)]).toEqual([
      0,
      true,
      index + 1,
      index + 1,
    ]);
  }
  expect([...texts, ...long].some((text) => set.add(text))).toBe(false);
  set.keepLast(10_001);
  expect([texts[40_000], texts[40_001], long[1]].map((text = '') => set.add(text))).toEqual([
    true,
    false,
    false,
  ]);
});

const prime = 0x01000193;

/** Three codes after which a hash of this kind that was 0 is 0 again: so many that a service could choose among them. */
function blocks(count: number): string[] {
  let inverse = prime;
  for (let step = 0; step < 5; step += 1) inverse = Math.imul(inverse, 2 - Math.imul(prime, inverse));
  const lasts = new Map<number, number>();
  for (let last = 1; last < 65_536; last += 1) lasts.set(Math.imul(last, inverse) >>> 16, last);
  const found: string[] = [];
  for (let first = 1; found.length < count; first += 1) {
    const hash = Math.imul(first, prime);
    const last = lasts.get(hash >>> 16);
    if (last === undefined) continue;
    const second = (hash ^ Math.imul(last, inverse)) & 0xffff;
    expect(Math.imul(hash ^ second, prime)).toBe(last); // so that the third makes it 0
    found.push(String.fromCharCode(first, second, last));
  }
  return found;
}

// Where each set began at 0 this would take half a minute.
test('texts that were made to meet in one slot do not meet there', { timeout: 10_000 }, () => {
  const pair = blocks(2);
  const texts = Array.from({ length: 2 ** 15 }, (_, number) =>
    Array.from({ length: 15 }, (_, bit) => pair[(number >> bit) & 1]).join(''),
  );
  const set = new TextSet();
  expect(texts.every((text) => set.add(text))).toBe(true);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numbers } from '../../src/dense/numbers.ts';

test('each index has the number that it was given last', () => {
  const index = fc.oneof(fc.nat(20), fc.nat(5000));
  const step = fc.oneof(
    fc.record({ index, value: fc.double({ noNaN: true }) }),
    fc.record({ index, value: fc.constant(undefined) }),
  );
  fc.assert(
    fc.property(fc.array(step), index, (steps, other) => {
      const [held, known] = [numbers(), new Map<number, number>()];
      for (const { index, value } of steps) {
        if (value === undefined) held.delete(index);
        else held.set(index, value);
        if (value === undefined) known.delete(index);
        else known.set(index, value);
      }
      for (const one of [...steps.map(({ index }) => index), other])
        expect(held.get(one)).toBe(known.get(one));
    }),
  );
});

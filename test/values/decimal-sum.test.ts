import { expect, test } from 'vitest';
import { createDecimalSum } from '../../src/values/decimal-sum.ts';

test.each([
  [[], 0, '0'],
  [[], 2, '0.00'],
  [['0.1', '0.2'], 0, '0.3'],
  [['1.50', '2.50'], 0, '4'],
  [['120050e-2', '5e-2'], 2, '1200.55'],
  [['9007199254740993', '1'], 0, '9007199254740994'],
  [['-0.05', '0.02'], 2, '-0.03'],
  [['1.5e3', '1e+21', '-2'], 0, '1000000000000000001498'],
  [['3', 'x', '', '0x10', 'Infinity'], 0, '3'],
])('the sum of %j with %i decimals is %s', (texts, decimals, expected) => {
  const sum = createDecimalSum();
  for (const text of texts) sum.add(text);
  expect(sum.format(decimals)).toBe(expected);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNumber, isSameNumber, parsePhone, readTail } from '../../src/values/phone.ts';

test.each([
  ['+821055501234', '+82 10-5550-1234', true],
  ['+821055501234', '010-5550-1234', true],
  ['+821055501234', '10 5550 1234', true],
  ['+821055501234', '82 10 5550 1234', true],
  ['+821055501234', '+82 10-5550-1235', false],
  ['+821055501234', '010-5550-1235', false],
  ['+14155552671', '(415) 555-2671', true],
  ['+14155552671', '+44 155 552671', false],
  ['+14155552671', '552671', false],
  ['+442079460958', '+44 (0)20 7946 0958', true],
  ['+4930901820', '+49 (0) 30 901820', true],
  ['+390669812345', '+39 (0)6 6981 2345', true],
  ['+14155552671', '(415) 555-2671 x12', true],
  ['+14155552671', '+1 415 555 2671 ext. 5', true],
  ['+14155552671', '415-555-2671 #5', true],
  ['+14155552671', '415-555-267 x1', false],
  ['+442079460958', '011 44 20 7946 0958', true],
  ['+442079460958', '0011 44 20 7946 0958', true],
  ['+442079460958', '00 44 20 7946 0958', true],
  ['+442079460958', '00 44 (0)20 7946 0958', true],
  ['+442079460958', '011 44 20 7946 0959', false],
  ['+821199991234', '011-9999-1234', true],
  ['+14155552671', '2671', false],
])('%s, which someone wrote as %s: %s', (stored, written, isSame) => {
  expect(isSameNumber(stored, written)).toBe(isSame);
});

test.each([
  '+82 10-5550-1234',
  '010.5550.1234',
  '(415) 555-2671',
  '555 0100 ext. 12',
  '5550100x12',
  '5550100 #12',
  '1234',
])('%s may be a phone number', (text) => {
  expect(isNumber(text)).toBe(true);
});

test('ignores the extension when it compares the last digits of a number', async () => {
  for (const text of ['(415) 555-2671 x12', '415.555.2671 ext 5', '415-555-2671 #123456']) {
    const stored = await parsePhone(text, 'US');
    expect(stored?.number).toMatch(new RegExp(`${readTail(text)}$`));
  }
});

test.each(['123', 'call me', '+82 10 5550 1234 or so', 'a@x.example', '1'.repeat(21), '12a34'])(
  '%s is not a phone number',
  (text) => {
    expect(isNumber(text)).toBe(false);
  },
);

test('reads the same last digits from every spelling of a number', () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{8}$/);
  fc.assert(
    fc.property(digits, fc.constantFrom(' ', '-', '.', ' - '), fc.nat(8), (number, sign, index) => {
      const ways = [
        `+44${number}`,
        `0${number}`,
        number,
        `+44 (0)${number.slice(0, index)}${sign}${number.slice(index)}`,
        `0${number} ext. 12`,
        `011 44 ${number}x7`,
      ];
      expect(ways.map(readTail)).toEqual(ways.map(() => number.slice(-6)));
    }),
  );
});

test.each(['12345', '012345', '+44 (0)12345', '12345 x6', '5550100 x1234567'])(
  'does not read last digits from %s, which may have another spelling',
  (text) => {
    expect(readTail(text)).toBeUndefined();
  },
);

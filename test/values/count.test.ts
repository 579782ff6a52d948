import { expect, test } from 'vitest';
import { formatCount } from '../../src/values/text.ts';

test.each([
  [formatCount(0, 'record'), '0 records'],
  [formatCount(1, 'record'), '1 record'],
  [formatCount(2, 'more record'), '2 more records'],
  [formatCount(1, 'entry', 'entries'), '1 entry'],
  [formatCount(2, 'entry', 'entries'), '2 entries'],
])('a count takes the singular only for 1: %s', (text, expected) => {
  expect(text).toBe(expected);
});

import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/service/http/rate-limit.ts';

test('so many requests in a minute of the clock are let through, of each key', () => {
  let time = new Date('2026-11-20T10:00:45.500Z');
  const asked = createRateLimit(2, () => time);
  expect([1, 1, 1, 2].map(asked)).toEqual([undefined, undefined, 15, undefined]);
  time = new Date('2026-11-20T10:01:00Z');
  expect([1, 1, 1].map(asked)).toEqual([undefined, undefined, 60]);
});

import { expect, test } from 'vitest';
import { getRetryDelay, type Outcome } from '../../src/client/retry.ts';
import { parseRetryAfter } from '../../src/values/retry-after.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const policy = { retries: 4, maxWait: 60_000 };
const createOutcome = (status: number, retryAfterHeader?: string): Outcome => ({
  status,
  retryAfter: parseRetryAfter(retryAfterHeader === undefined ? {} : { 'retry-after': retryAfterHeader }, now),
});
const first = { attempt: 0, waited: 0 };
const lostResponse = { method: 'GET', outcome: { mayBeDone: true }, waited: 0 };

test.each<[string, string, Outcome, number | undefined]>([
  ['a read whose answer was lost', 'GET', { mayBeDone: true }, 500],
  ['a read that was refused', 'GET', { mayBeDone: false }, 500],
  ['a write whose answer was lost', 'POST', { mayBeDone: true }, undefined],
  ['a write that was refused', 'POST', { mayBeDone: false }, 500],
  ['a change that was refused', 'PATCH', { mayBeDone: false }, 500],
  ['a deletion whose answer was lost', 'DELETE', { mayBeDone: true }, undefined],
  ['GET 429', 'GET', createOutcome(429), 500],
  ['GET 429 with Retry-After', 'GET', createOutcome(429, '7'), 7000],
  ['GET 500', 'GET', createOutcome(500), 500],
  ['GET 502 with Retry-After', 'GET', createOutcome(502, '7'), 7000],
  ['GET 503', 'GET', createOutcome(503), 500],
  ['GET 503 with Retry-After', 'GET', createOutcome(503, '0'), 0],
  ['GET 504', 'GET', createOutcome(504), 500],
  ['GET 501', 'GET', createOutcome(501), undefined],
  ['GET 404', 'GET', createOutcome(404), undefined],
  ['GET 302', 'GET', createOutcome(302), undefined],
  ['POST 429', 'POST', createOutcome(429), 500],
  ['POST 429 with Retry-After', 'POST', createOutcome(429, '3'), 3000],
  ['POST 503', 'POST', createOutcome(503), undefined],
  ['POST 503 with Retry-After', 'POST', createOutcome(503, '3'), 3000],
  ['PATCH 503 with Retry-After', 'PATCH', createOutcome(503, '3'), 3000],
  ['DELETE 503', 'DELETE', createOutcome(503), undefined],
  ['POST 500', 'POST', createOutcome(500, '3'), undefined],
  ['POST 502 with Retry-After', 'POST', createOutcome(502, '3'), undefined],
  ['POST 504', 'POST', createOutcome(504), undefined],
  ['POST 422', 'POST', createOutcome(422), undefined],
])('%s', (_, method, outcome, delay) => {
  expect(getRetryDelay({ method, outcome, ...first }, policy, () => 1)).toBe(delay);
});

test.each([
  [0, 1, 500],
  [1, 1, 1000],
  [2, 1, 2000],
  [3, 1, 4000],
  [3, 0.25, 1000],
  [3, 0, 0],
])('the delay after attempt %i with random %d is %i ms', (attempt, dice, delay) => {
  expect(getRetryDelay({ ...lostResponse, attempt }, policy, () => dice)).toBe(delay);
});

test('a delay is at most 20 seconds', () => {
  const longPolicy = { retries: 100, maxWait: 1_000_000 };
  expect(getRetryDelay({ ...lostResponse, attempt: 60 }, longPolicy, () => 1)).toBe(20_000);
});

test.each([
  ['no retries', 0, 0, 0, '1', undefined],
  ['one retry, not used', 1, 0, 0, '1', 1000],
  ['one retry, used', 1, 1, 0, '1', undefined],
  ['a wait that just fits', 4, 0, 50_000, '10', 10_000],
  ['a wait longer than what is left', 4, 0, 50_001, '10', undefined],
  ['a wait longer than maxWait', 4, 0, 0, '86400', undefined],
])('keeps to the limits of the policy: %s', (_, retries, attempt, waitedTime, seconds, delay) => {
  const bounds = { retries, maxWait: 60_000 };
  const outcome = createOutcome(429, seconds);
  expect(getRetryDelay({ method: 'GET', outcome, attempt, waited: waitedTime }, bounds, () => 1)).toBe(delay);
});

test.each([
  [undefined, undefined],
  ['0', 0],
  [' 12 ', 12_000],
  ['9'.repeat(30), 3_153_600_000_000],
  ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
  ['Friday, 20-Nov-26 10:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 09:59:00 GMT', 0],
  ['2026-11-20T10:00:05Z', 5000],
  ['soon', undefined],
  ['', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['in 5 minutes', undefined],
])('parses Retry-After: %s', (text, milliseconds) => {
  expect(parseRetryAfter(text === undefined ? {} : { 'retry-after': text }, now)).toBe(milliseconds);
});

test.each([
  ['Fri, 20 Nov 2026 10:00:30 GMT', 'Fri, 20 Nov 2026 10:00:10 GMT', 20_000],
  ['Sat, 01 Jan 2000 00:00:30 GMT', 'Sat, 01 Jan 2000 00:00:00 GMT', 30_000],
  ['Fri, 20 Nov 2026 10:00:30 GMT', 'some day', 30_000],
])('parses Retry-After %s relative to the clock of the service, %s', (until, date, milliseconds) => {
  expect(parseRetryAfter({ 'retry-after': until, date }, now)).toBe(milliseconds);
});

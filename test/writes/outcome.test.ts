import { expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { StopRule } from '../../src/writes/outcome.ts';

test('a run stops after five responses with 503 in succession', () => {
  const rule = new StopRule();
  const fail = (times: number) => {
    for (let time = 0; time < times; time += 1) rule.check(new Failure('unavailable', 'Busy.'));
    return rule.failure?.message;
  };
  expect(fail(4)).toBeUndefined();
  rule.reset(); // a write was done
  expect(fail(4)).toBeUndefined();
  expect(fail(1)).toBe('Busy.');
});

test.each([
  ['not_found', false],
  ['changed', false],
  ['invalid', false],
  ['unknown', false],
  ['too_large', false],
  ['unauthorized', true],
  ['forbidden', true],
  ['storage', true],
  ['network', true],
] as const)('a failure %s stops the run: %s', (code, stops) => {
  const rule = new StopRule();
  rule.check(new Failure(code, 'Failed.'));
  expect(rule.failure !== undefined).toBe(stops);
});

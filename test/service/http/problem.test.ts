import { expect, test } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import { toProblem } from '../../../src/service/http/problem.ts';

test('only a failure with an unknown outcome and a changed record have a code', () => {
  const { status, body } = toProblem(new Failure('unknown', 'Lost.', { status: 503 }), undefined);
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      code: 'unknown',
      detail: 'Lost.',
    },
  });
  expect(toProblem(new Failure('changed', 'Changed.'), undefined)).toMatchObject({
    status: 412,
    body: { title: 'Precondition Failed', code: 'changed' },
  });
  expect(toProblem(new Failure('unavailable', 'Down.'), undefined).body).not.toHaveProperty('code');
});

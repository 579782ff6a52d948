import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Behavior, sendJson, startTestService } from '../client/loopback.ts';
import { createMachine } from '../support/kith.ts';
import { createCredentials } from './requests.ts';

const page = '<!DOCTYPE html><title>Bad gateway</title>';

/** The outcomes of a request: whether it is carried out, and the response. */
const failureKinds: Readonly<Record<string, { readonly isDone: boolean; readonly output: Behavior }>> = {
  'well done': { isDone: true, output: (_, response) => sendJson(response, 201, { id: 'a' }) },
  'done, and reset': { isDone: true, output: (_, { req }) => req.socket.resetAndDestroy() },
  'done, and 500': { isDone: true, output: (_, response) => sendJson(response, 500) },
  'done, and 504': { isDone: true, output: (_, response) => sendJson(response, 504, page) },
  'done, and a page of HTML': { isDone: true, output: (_, response) => void response.end(page) },
  'done, and half an answer': { isDone: true, output: (_, response) => void response.end('{"id":') },
  'not done, and reset': { isDone: false, output: (_, { req }) => req.socket.resetAndDestroy() },
  'not done, and 502': { isDone: false, output: (_, response) => sendJson(response, 502) },
  'not done, and 503': { isDone: false, output: (_, response) => sendJson(response, 503) },
  '429': { isDone: false, output: (_, response) => sendJson(response, 429) },
  '503 with Retry-After': {
    isDone: false,
    output: (_, response) => sendJson(response, 503, undefined, { 'retry-after': '0' }),
  },
  '422': { isDone: false, output: (_, response) => sendJson(response, 422, { error: 'No.' }) },
  redirect: { isDone: false, output: (_, response) => void response.writeHead(307, { location: '/' }).end() },
};

/** Returns how often a write may have been carried out: once for exit code 0, unknown for 7, otherwise never. */
const allowedCounts = (code: number): readonly number[] => (code === 0 ? [1] : code === 7 ? [0, 1] : [0]);

test('writes at most once during any sequence of resets, errors and broken responses, and exits with 7 if the outcome is unknown', async () => {
  const course = fc.array(fc.constantFrom(...Object.keys(failureKinds)), { minLength: 1, maxLength: 6 });
  let remaining: string[] = [];
  let last = '';
  let executedCount = 0;
  const { url } = await startTestService((requests, response, count) => {
    last = remaining.shift() ?? last;
    const { isDone, output } = failureKinds[last] ?? {};
    if (isDone) executedCount += 1;
    output?.(requests, response, count);
  });
  await fc.assert(
    fc.asyncProperty(course, async (failures) => {
      remaining = [...failures];
      executedCount = 0;
      const { code } = await createMachine()('contacts create --first-name Ada --retries 4', {
        env: createCredentials(url),
      });
      expect(allowedCounts(code)).toContain(executedCount);
    }),
    { numRuns: 150 },
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Behavior, sendJson, startTestService } from '../client/loopback.ts';
import { createMachine } from '../support/kith.ts';
import { createCredentials } from './requests.ts';

const page = '<!DOCTYPE html><title>Bad gateway</title>';

/** The outcomes of a request: whether it is carried out, and the response. */
const misfortunes: Readonly<Record<string, { readonly isDone: boolean; readonly told: Behavior }>> = {
  'well done': { isDone: true, told: (_, response) => sendJson(response, 201, { id: 'a' }) },
  'done, and reset': { isDone: true, told: (_, { req }) => req.socket.resetAndDestroy() },
  'done, and 500': { isDone: true, told: (_, response) => sendJson(response, 500) },
  'done, and 504': { isDone: true, told: (_, response) => sendJson(response, 504, page) },
  'done, and a page of HTML': { isDone: true, told: (_, response) => void response.end(page) },
  'done, and half an answer': { isDone: true, told: (_, response) => void response.end('{"id":') },
  'not done, and reset': { isDone: false, told: (_, { req }) => req.socket.resetAndDestroy() },
  'not done, and 502': { isDone: false, told: (_, response) => sendJson(response, 502) },
  'not done, and 503': { isDone: false, told: (_, response) => sendJson(response, 503) },
  '429': { isDone: false, told: (_, response) => sendJson(response, 429) },
  '503 with Retry-After': {
    isDone: false,
    told: (_, response) => sendJson(response, 503, undefined, { 'retry-after': '0' }),
  },
  '422': { isDone: false, told: (_, response) => sendJson(response, 422, { error: 'No.' }) },
  redirect: { isDone: false, told: (_, response) => void response.writeHead(307, { location: '/' }).end() },
};

/** Returns how often a write may have been carried out: once for exit code 0, unknown for 7, otherwise never. */
const carriedOut = (code: number): readonly number[] => (code === 0 ? [1] : code === 7 ? [0, 1] : [0]);

test('writes at most once during any sequence of resets, errors and broken responses, and exits with 7 if the outcome is unknown', async () => {
  const course = fc.array(fc.constantFrom(...Object.keys(misfortunes)), { minLength: 1, maxLength: 6 });
  let left: string[] = [];
  let last = '';
  let done = 0;
  const { url } = await startTestService((seen, response, count) => {
    last = left.shift() ?? last;
    const { isDone, told } = misfortunes[last] ?? {};
    if (isDone) done += 1;
    told?.(seen, response, count);
  });
  await fc.assert(
    fc.asyncProperty(course, async (planned) => {
      left = [...planned];
      done = 0;
      const { code } = await createMachine()('contacts create --first-name Ada --retries 4', {
        env: createCredentials(url),
      });
      expect(carriedOut(code)).toContain(done);
    }),
    { numRuns: 150 },
  );
});

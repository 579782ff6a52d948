import { Worker } from 'node:worker_threads';
import { Failure, type FailureCode } from '../contract/errors.ts';
import type { Done, Order, Tasks } from './tasks.ts';

/**
 * The tasks in a thread of their own: this one still hears signals, and ends the other. Throws what the tasks
 * throw, and the reason of the signal.
 */
export function tasksInThread(signal: AbortSignal): Tasks {
  const worker = new Worker(new URL('./worker.cjs', import.meta.url)); // beside this one in the bundle
  const waiting = new Map<number, { done(answer: Done): void; failed(error: unknown): void }>();
  let last = 0;
  worker.on('message', (answer: Done) => {
    waiting.get(answer.id)?.done(answer);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
  });
  const end = (reason: unknown) => {
    for (const { failed } of waiting.values()) failed(reason);
    waiting.clear();
  };
  worker.on('error', end);
  signal.addEventListener('abort', () => {
    end(signal.reason);
    void worker.terminate();
  });
  worker.unref();
  const asked = async (order: Omit<Order, 'id'>): Promise<unknown> => {
    signal.throwIfAborted();
    const answer = await new Promise<Done>((done, failed) => {
      last += 1;
      waiting.set(last, { done, failed });
      worker.ref();
      worker.postMessage({ ...order, id: last } satisfies Order);
    });
    if ('result' in answer) return answer.result;
    if ('error' in answer) throw answer.error;
    const { code, message, hint, cause } = answer.failure;
    throw new Failure(code as FailureCode, message, { hint, cause }); // it was one over there
  };
  const task = <Name extends keyof Tasks>(name: Name) =>
    ((...given: readonly unknown[]) => asked({ name, given })) as Tasks[Name]; // the other thread has the same
  return {
    checkJq: task('checkJq'),
    filtered: task('filtered'),
    hitsIn: task('hitsIn'),
    readCalendar: task('readCalendar'),
  };
}

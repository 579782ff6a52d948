import { Worker } from 'node:worker_threads';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { type TaskRequest, type TaskResponse, type Tasks, tasks } from './tasks.ts';

/** An order whose answer is waited for. */
interface PendingTask {
  readonly order: TaskRequest;
  done(answer: TaskResponse): void;
  failed(error: unknown): void;
}

/**
 * The tasks in a thread of their own, which is started when there is an order: this one still hears the signal that
 * an order has, and ends the other one. They throw what the tasks throw, and the reason of the signal. Orders that
 * waited for a thread that was ended go to the next one; where one broke by itself they fail, as one of them may be why.
 */
export function createThreadTasks(program: URL): (signal: AbortSignal) => Tasks {
  const waiting = new Map<number, PendingTask>();
  let worker: Worker | undefined;
  let last = 0;
  const taken = (id: number) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker?.unref();
    return one;
  };
  const start = () => {
    const started = new Worker(program);
    started.on('message', (answer: TaskResponse) => taken(answer.id)?.done(answer));
    const broke = (error: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      for (const id of [...waiting.keys()]) taken(id)?.failed(error);
    };
    started.on('error', broke);
    started.on('exit', () => broke(tooMuch()));
    worker = started;
    for (const { order } of waiting.values()) worker.postMessage(order);
  };
  const post = (order: TaskRequest) => {
    if (!worker) return start();
    worker.ref();
    worker.postMessage(order);
  };
  const cancel = (id: number, reason: unknown) => {
    taken(id)?.failed(reason);
    void worker?.terminate();
    worker = undefined;
    // Not before all that have the same signal are taken out.
    queueMicrotask(() => {
      if (!worker && waiting.size > 0) start();
    });
  };
  const answered = async (name: keyof Tasks, args: readonly unknown[], signal: AbortSignal) => {
    signal.throwIfAborted();
    last += 1;
    const order = { id: last, name, args };
    const leave = () => cancel(order.id, signal.reason);
    signal.addEventListener('abort', leave);
    const answer = new Promise<TaskResponse>((done, failed) => {
      waiting.set(order.id, { order, done, failed });
      post(order);
    });
    return resultOf(await answer.finally(() => signal.removeEventListener('abort', leave)));
  };
  return (signal) => {
    const names = Object.keys(tasks) as (keyof Tasks)[]; // it has no others
    const sent = names.map((name) => [name, (...given: unknown[]) => answered(name, given, signal)]);
    return Object.fromEntries(sent) as Tasks; // the other thread has the same
  };
}

/** What has ended the thread where it says no more. */
const tooMuch = () =>
  new Failure('failed', 'There is more of it than can be held at once.', {
    hint: 'Ask for less, or with --jq for a record at a time by --format ndjson.',
  });

/** What a task gave. Throws what it threw. */
function resultOf(answer: TaskResponse): unknown {
  if ('result' in answer) return answer.result;
  if ('error' in answer) throw answer.error;
  const { code, message, hint, cause } = answer.failure;
  throw new Failure(code as FailureCode, message, { hint, cause }); // it was one over there
}

import { Worker } from 'node:worker_threads';
import { Failure } from '../../contract/errors.ts';
import { type TaskRequest, type TaskResponse, type Tasks, tasks } from './tasks.ts';

interface PendingTask {
  readonly request: TaskRequest;
  resolve(response: TaskResponse): void;
  reject(error: unknown): void;
}

/**
 * Runs the tasks in a worker thread, which is started on first use. When the signal of a task is aborted, the thread is
 * terminated, and its other tasks run again in a new one. When the thread crashes, all its tasks fail, because any of
 * them may be the cause. @throws the error of the task, or the reason of the signal.
 */
export function createThreadTasks(program: URL): (signal: AbortSignal) => Tasks {
  const pendingTasks = new Map<number, PendingTask>();
  let worker: Worker | undefined;
  let lastId = 0;
  const take = (id: number) => {
    const task = pendingTasks.get(id);
    pendingTasks.delete(id);
    if (pendingTasks.size === 0) worker?.unref();
    return task;
  };
  const start = () => {
    const started = new Worker(program);
    started.on('message', (response: TaskResponse) => take(response.id)?.resolve(response));
    const failAll = (error: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      for (const id of [...pendingTasks.keys()]) take(id)?.reject(error);
    };
    started.on('error', failAll);
    started.on('exit', () => {
      // A thread that exits without an error has run out of memory.
      const hint = 'Request fewer records. With --jq, add --format ndjson to filter one record at a time.';
      failAll(new Failure('failed', 'The data does not fit in memory.', { hint }));
    });
    worker = started;
    for (const { request } of pendingTasks.values()) worker.postMessage(request);
  };
  const post = (request: TaskRequest) => {
    if (!worker) return start();
    worker.ref();
    worker.postMessage(request);
  };
  const cancel = (id: number, reason: unknown) => {
    take(id)?.reject(reason);
    void worker?.terminate();
    worker = undefined;
    // Other tasks of the same signal are removed first.
    queueMicrotask(() => {
      if (!worker && pendingTasks.size > 0) start();
    });
  };
  const run = async (name: keyof Tasks, args: readonly unknown[], signal: AbortSignal) => {
    signal.throwIfAborted();
    lastId += 1;
    const request = { id: lastId, name, args };
    const onAbort = () => cancel(request.id, signal.reason);
    signal.addEventListener('abort', onAbort);
    const response = new Promise<TaskResponse>((resolve, reject) => {
      pendingTasks.set(request.id, { request, resolve, reject });
      post(request);
    });
    return readResult(await response.finally(() => signal.removeEventListener('abort', onAbort)));
  };
  return (signal) => {
    const names = Object.keys(tasks) as (keyof Tasks)[]; // Object.keys loses the type
    const entries = names.map((name) => [name, (...args: unknown[]) => run(name, args, signal)]);
    return Object.fromEntries(entries) as Tasks; // the thread has the same tasks
  };
}

function readResult(response: TaskResponse): unknown {
  if ('result' in response) return response.result;
  if ('error' in response) throw response.error;
  const { code, message, detail } = response.failure;
  throw new Failure(code, message, detail);
}

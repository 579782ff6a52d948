import { parentPort } from 'node:worker_threads';
import { Failure } from '../contract/errors.ts';
import { type TaskRequest, type TaskResponse, tasks } from './tasks.ts';

async function done({ id, name, args: given }: TaskRequest): Promise<TaskResponse> {
  try {
    const task: (...given: readonly never[]) => Promise<unknown> = tasks[name];
    return { id, result: await task(...(given as readonly never[])) }; // thread.ts has seen to their types
  } catch (error) {
    if (!(error instanceof Failure)) return { id, error };
    const { code, message, detail } = error;
    return { id, failure: { code, message, hint: detail.hint, cause: detail.cause } };
  }
}

parentPort?.on('message', async (order: TaskRequest) => parentPort?.postMessage(await done(order)));

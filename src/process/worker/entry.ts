import { parentPort } from 'node:worker_threads';
import { Failure } from '../../contract/errors.ts';
import { type TaskRequest, type TaskResponse, tasks } from './tasks.ts';

async function run({ id, name, args }: TaskRequest): Promise<TaskResponse> {
  try {
    const task: (...args: readonly never[]) => Promise<unknown> = tasks[name];
    return { id, result: await task(...(args as readonly never[])) }; // thread.ts checks the types
  } catch (error) {
    if (!(error instanceof Failure)) return { id, error };
    const { code, message, detail } = error;
    return { id, failure: { code, message, detail } };
  }
}

parentPort?.on('message', async (request: TaskRequest) => parentPort?.postMessage(await run(request)));

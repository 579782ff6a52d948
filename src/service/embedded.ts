import { Failure } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import { checkExists, openDatabase } from './db/database.ts';
import { createService } from './dispatch.ts';

/** Opens a workspace file as a transport without HTTP. @throws {Failure} `failed` if the file does not exist */
export function createEmbeddedTransport(file: string, now: () => Date, log?: (text: string) => void) {
  checkExists(file);
  const db = openDatabase(file, log);
  let reason = '';
  const service = createService({
    db,
    now,
    file,
    log: (text) => {
      reason = text.split('\n')[0] ?? '';
    },
  });
  return {
    async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
      const response = await rejectOnAbort(service(request), signal);
      // Unlike a server's, an internal error in this process is not temporary: it is reported and not retried.
      if (response.status === 500)
        throw new Failure('failed', `Cannot use the workspace file ${file}: ${reason}`);
      return response;
    },
    close: async () => db.close(),
  };
}

/**
 * Rejects when the signal is aborted while `work` waits, for example for a locked file. It listens to the signal only
 * after a turn of the event loop: most requests are done before, and listening would slow down a short command.
 */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    let stopListening = () => clearImmediate(turn);
    const turn = setImmediate(() => {
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      stopListening = () => signal.removeEventListener('abort', abort);
    });
    work.then(resolve, reject).finally(() => stopListening());
  });
}

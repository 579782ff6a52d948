import { Failure } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { checkExists } from './db/workspace-file.ts';
import { createService } from './dispatch.ts';

/** The way into a workspace without HTTP: the same checks, the same answers. Throws `failed` without its file. */
export function createEmbeddedTransport(file: string, now: () => Date, tell?: (text: string) => void) {
  checkExists(file);
  const db = openDatabase(file, tell);
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
      const answer = await unlessAborted(service(request), signal);
      // In this process a fault inside is no passing one: it is told, and not tried again.
      if (answer.status === 500)
        throw new Failure('failed', `The workspace file ${file} cannot be used: ${reason}`);
      return answer;
    },
    close: async () => closeDatabase(db),
  };
}

/**
 * What a work gives, unless the signal is aborted first: a file that another process holds may be waited for. A work that
 * waits for nothing is done before the event loop turns, and no signal is heard before: to listen takes a hundredth of a
 * start.
 */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    let forget = () => clearImmediate(turn);
    const turn = setImmediate(() => {
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      forget = () => signal.removeEventListener('abort', leave);
    });
    work.then(resolve, reject).finally(() => forget());
  });
}

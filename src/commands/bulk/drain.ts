import type { Session } from '../../cli/command/context.ts';

/** Milliseconds that the requests in flight have to finish after Ctrl-C. */
const graceTime = 2000;

/**
 * Creates a signal for the requests of a command that writes many records: after a signal of the process, the requests
 * in flight may finish.
 */
export function createDrain({ runtime: { extendTimeouts }, signal }: Session) {
  const drain = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => drain.abort(signal.reason), graceTime);
  };
  extendTimeouts(graceTime);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return {
    signal: drain.signal,
    close: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      extendTimeouts(0);
    },
  };
}

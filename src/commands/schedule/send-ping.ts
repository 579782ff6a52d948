import type { Session } from '../../cli/command/context.ts';
import { getErrorMessage } from '../../contract/errors.ts';

/** Milliseconds before each attempt. */
const delays = [0, 1000, 5000];

/** Milliseconds for each attempt. */
const timeout = 10_000;

/** Returns the URL for a failed run, as services for such pings define it: `/fail` is appended to the path. */
function toFailureUrl(url: URL): URL {
  const failureUrl = new URL(url);
  failureUrl.pathname = `${url.pathname.replace(/\/+$/, '')}/fail`;
  return failureUrl;
}

/**
 * Requests a URL after a run. Sends nothing else: no key, no exit code and no output. Returns the problem if no attempt
 * succeeded; a ping that fails never changes the outcome of a run.
 */
export async function sendPing(
  session: Session,
  ping: string,
  isSuccess: boolean,
): Promise<string | undefined> {
  const url = isSuccess ? new URL(ping) : toFailureUrl(new URL(ping));
  let problem: string | undefined;
  for (const delay of delays) {
    try {
      if (delay > 0) await session.runtime.sleep(delay, session.signal);
      problem = await requestPing(session, url);
    } catch (error) {
      problem = getErrorMessage(error);
    }
    if (problem === undefined || session.signal.aborted) return problem;
  }
  return problem;
}

/** Sends one request. Returns the problem if the response is not a success. */
async function requestPing(session: Session, url: URL): Promise<string | undefined> {
  const transport = await session.connections.createTransport({ baseUrl: url.origin, key: undefined });
  const query = [...url.searchParams];
  const request = { method: 'GET', path: url.pathname, query, textOnly: true } as const;
  try {
    const signal = AbortSignal.any([session.signal, AbortSignal.timeout(timeout)]);
    const { status } = await transport.send(request, signal);
    return status >= 200 && status < 300 ? undefined : `${url.origin} responded with ${status}.`;
  } finally {
    await transport.close();
  }
}

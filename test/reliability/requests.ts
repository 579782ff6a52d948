import { type Behavior, startTestService } from '../client/loopback.ts';
import { type CommandResult, createMachine } from '../support/kith.ts';

/** The result of a command that talked to a test service. */
export interface ServedRun extends CommandResult {
  /** The method and path of each request, in order. */
  readonly requests: readonly string[];
}

/** Returns the environment with the address of a test service and a key. */
export const createCredentials = (url: string) => ({ KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' });

/** Runs a command against a test service. In the output, the address of the service is replaced by `URL`. */
export async function runAgainst(respond: Behavior, line: string): Promise<ServedRun> {
  const { url, requests } = await startTestService(respond);
  const { code, out, err } = await createMachine()(line, { env: createCredentials(url) });
  return {
    code,
    out: out.replaceAll(url, 'URL'),
    err: err.replaceAll(url, 'URL'),
    requests: requests.map(({ method, url: path }) => `${method} ${path}`),
  };
}

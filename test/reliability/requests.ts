import { type Behavior, loopback } from '../client/loopback.ts';
import { type CommandResult, createMachine } from '../support/kith.ts';

/** The result of a command that talked to a test service. */
export interface ServedRun extends CommandResult {
  /** The method and path of each request, in order. */
  readonly requests: readonly string[];
}

/** Returns the environment with the address of a test service and a key. */
export const credentials = (url: string) => ({ KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' });

/** Runs a command against a test service. In the output, the address of the service is replaced by `URL`. */
export async function runAgainst(behave: Behavior, line: string): Promise<ServedRun> {
  const { url, seen } = await loopback(behave);
  const { code, out, err } = await createMachine()(line, { env: credentials(url) });
  return {
    code,
    out: out.replaceAll(url, 'URL'),
    err: err.replaceAll(url, 'URL'),
    requests: seen.map(({ method, url: path }) => `${method} ${path}`),
  };
}

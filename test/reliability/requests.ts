import { type Behavior, startTestService } from '../client/loopback.ts';
import { type CommandResult, createMachine } from '../support/kith.ts';

/** The result of a command that talked to a test service. */
export interface ServedRun extends CommandResult {
  /** The method and path of each request, in order. */
  readonly requests: readonly string[];
  /** The milliseconds of each wait before a retry. */
  readonly waits: readonly number[];
}

/**
 * Runs a command against a test service, without waiting before retries. In the output, the address of the service is
 * replaced by `URL`.
 */
export async function runAgainst(respond: Behavior, line: string): Promise<ServedRun> {
  const { url, env, requests } = await startTestService(respond);
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => void waits.push(milliseconds);
  const { code, out, err } = await createMachine()(line, { env, sleep });
  return {
    code,
    out: out.replaceAll(url, 'URL'),
    err: err.replaceAll(url, 'URL'),
    requests: requests.map(({ method, url: path }) => `${method} ${path}`),
    waits,
  };
}

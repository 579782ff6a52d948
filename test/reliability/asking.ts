import { type Behaviour, loopback } from '../client/loopback.ts';
import { type Ended, machine } from '../support/kith.ts';

/** How a command line ended that talked to a service, and what the service was asked. */
export interface Asked extends Ended {
  /** Method and path of each request, in turn. */
  readonly requests: readonly string[];
}

/** Where a service is that a test has made, and the key to it. */
export const keyOf = (url: string) => ({ KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' });

/** Runs a command line against a service that behaves as a test says. `URL` stands for its address in what is told. */
export async function asking(behave: Behaviour, line: string): Promise<Asked> {
  const { url, seen } = await loopback(behave);
  const { code, out, err } = await machine()(line, { env: keyOf(url) });
  return {
    code,
    out: out.replaceAll(url, 'URL'),
    err: err.replaceAll(url, 'URL'),
    requests: seen.map(({ method, url: path }) => `${method} ${path}`),
  };
}

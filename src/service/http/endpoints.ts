import { Failure } from '../../contract/errors.ts';
import type { Route } from '../../contract/grammar.ts';
import { contract } from '../../contract/index.ts';
import type { HttpDeps } from './listener.ts';

/** Returns the body of the response to a GET. */
type Endpoint = (requestId: string) => Promise<unknown>;

/** Returns the endpoints outside of the contract by path. They need no key. */
export function createEndpoints({ service, version }: HttpDeps): Readonly<Partial<Record<string, Endpoint>>> {
  return {
    '/healthz': async () => ({ status: 'ok' }),
    '/readyz': async (requestId) => {
      await checkLists(service, requestId);
      return { status: 'ok' };
    },
    '/openapi.json': async () => (await import('./openapi.ts')).buildOpenApi(version),
  };
}

/** Reads the first record of each list. @throws {Failure} `unavailable` if a list cannot be read; the reason is logged. */
async function checkLists(service: HttpDeps['service'], requestId: string): Promise<void> {
  const routes = Object.values(contract).flatMap((resource) => Object.values<Route>(resource));
  for (const { path } of routes.filter(({ path, query }) => query !== undefined && !path.includes(':'))) {
    const { status } = await service({ method: 'GET', path, query: [['first', '1']] }, { requestId });
    if (status !== 200)
      throw new Failure('unavailable', `Cannot read the workspace: ${path} returned ${status}.`);
  }
}

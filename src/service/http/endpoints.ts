import { Failure } from '../../contract/errors.ts';
import type { Route, WireResponse } from '../../contract/grammar.ts';
import { contract } from '../../contract/index.ts';
import type { HttpDeps } from './listener.ts';

/** Answers a GET without a key. */
type Endpoint = (requestId: string) => Promise<WireResponse>;

/** The endpoints that need no key, by path. */
export function createEndpoints({ service, version }: HttpDeps): ReadonlyMap<string, Endpoint> {
  const endpoints: Readonly<Record<string, Endpoint>> = {
    '/healthz': async () => ok({ status: 'ok' }),
    '/readyz': async (requestId) => {
      await checkReadable(service, requestId);
      return ok({ status: 'ok' });
    },
    '/openapi.json': async () => {
      const { buildOpenApi } = await import('./openapi.ts');
      return ok(buildOpenApi(version));
    },
  };
  return new Map(Object.entries(endpoints));
}

const ok = (body: unknown): WireResponse => ({ status: 200, headers: {}, body });

const isList = ({ path, query }: Route) => query !== undefined && !path.includes(':');

const lists = Object.values(contract)
  .flatMap((resource) => Object.values<Route>(resource))
  .filter(isList);

/** Reads the first record of each list. @throws {Failure} `unavailable` if one cannot be read; the reason is logged. */
async function checkReadable(service: HttpDeps['service'], requestId: string): Promise<void> {
  for (const { path } of lists) {
    const { status } = await service({ method: 'GET', path, query: [['first', '1']] }, { requestId });
    if (status !== 200)
      throw new Failure('unavailable', `The workspace cannot be read: ${path} returned ${status}.`);
  }
}

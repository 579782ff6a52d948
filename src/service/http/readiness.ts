import { Failure, failures, getErrorMessage } from '../../contract/errors.ts';
import type { Route, WireResponse } from '../../contract/grammar.ts';
import { contract } from '../../contract/index.ts';
import { readObject } from '../../values/json-object.ts';
import type { HttpDeps } from './responder.ts';

type ReadinessDeps = Pick<HttpDeps, 'db' | 'service' | 'log'>;

/** Milliseconds for which requests share the result of a check. */
const checkLifetime = 500;

/** Returns the function that checks the workspace as `checkReadiness` does, once for all requests of half a second. */
export function createReadinessCheck(deps: ReadinessDeps): (requestId: string) => Promise<void> {
  let check: Promise<void> | undefined;
  return (requestId) => {
    if (check) return check;
    const current = checkReadiness(deps, requestId);
    check = current;
    const end = () => void setTimeout(() => (check = undefined), checkLifetime).unref();
    current.then(end, end);
    return current;
  };
}

/** Checks the schema, and reads the first record of each collection. @throws {Failure} `unavailable` with the reason */
async function checkReadiness({ db, service, log }: ReadinessDeps, requestId: string): Promise<void> {
  try {
    await db.checkSchema();
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') throw error;
    log(getErrorMessage(error), requestId);
    throw new Failure('unavailable', 'Cannot read the schema version of the workspace.');
  }
  const routes = Object.values(contract).flatMap((resource) => Object.values<Route>(resource));
  for (const { path } of routes.filter(({ path, query }) => query !== undefined && !path.includes(':'))) {
    const { status } = await service({ method: 'GET', path, query: [['first', '1']] }, { requestId });
    if (status !== 200)
      throw new Failure('unavailable', `Cannot read the workspace: ${path} returned ${status}.`);
  }
}

/** Milliseconds after which a failed write is forgotten: a load balancer may send none to a server that is not ready. */
const failureLifetime = 60_000;

/** Records the responses to writes. */
export function createWriteMonitor() {
  let failure: { readonly detail: unknown; readonly time: number } | undefined;
  return {
    record({ status, body }: WireResponse): void {
      if (status < 300) failure = undefined;
      else if (status === failures.storage.status)
        failure = { detail: readObject(body).detail, time: performance.now() };
    },
    /** @throws {Failure} `unavailable` if the last write that was valid could not be stored */
    check(): void {
      if (!failure || performance.now() - failure.time > failureLifetime) return;
      throw new Failure('unavailable', `The last write failed. ${failure.detail}`);
    },
  };
}

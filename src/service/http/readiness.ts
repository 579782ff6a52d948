import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { Route } from '../../contract/grammar.ts';
import { contract } from '../../contract/index.ts';
import type { HttpDeps } from './responder.ts';

type ReadinessDeps = Pick<HttpDeps, 'db' | 'service' | 'log'>;

/** Checks the schema, and reads the first record of each collection. @throws {Failure} `unavailable` with the reason */
export async function checkReadiness(deps: ReadinessDeps, requestId: string): Promise<void> {
  await checkSchema(deps, requestId);
  const routes = Object.values(contract).flatMap((resource) => Object.values<Route>(resource));
  for (const { path } of routes.filter(({ path, query }) => query !== undefined && !path.includes(':'))) {
    const { status } = await deps.service({ method: 'GET', path, query: [['first', '1']] }, { requestId });
    if (status !== 200)
      throw new Failure('unavailable', `Cannot read the workspace: ${path} returned ${status}.`);
  }
}

/** @throws {Failure} `unavailable` if the schema was changed or cannot be read; the error is logged */
async function checkSchema({ db, log }: ReadinessDeps, requestId: string): Promise<void> {
  try {
    await db.checkSchema();
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') throw error;
    log(getErrorMessage(error), requestId);
    throw new Failure('unavailable', 'Cannot read the schema version of the workspace.');
  }
}

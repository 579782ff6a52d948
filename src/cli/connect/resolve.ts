import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { type List, lists } from '../../contract/lists.ts';
import { organizations } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import { cacheLists, formatWorkspaceKey, type ListName, readCachedLists } from '../../settings/list-names.ts';
import type { Session } from '../context.ts';
import { findConnection } from './connection.ts';

export const listArgument = {
  summary: 'Id or exact name of a list or process',
  completion: 'lists',
} as const;

/** Whether a word may be an id, which is opaque; other words are only looked up as names. */
const isPossibleId = (idOrName: string) => /^[\w-]+$/.test(idOrName);

/**
 * Calls a function with the id of a list, given by its id or exact name. A possible id is tried first, so that an id
 * costs no lookup.
 * @throws {Failure} not_found, or usage if several lists have the name
 */
export async function withListId<T>(
  session: Session,
  idOrName: string,
  call: (id: string) => Promise<T>,
): Promise<T> {
  const client = await session.client();
  if (session.globals.dryRun) {
    // Nothing is sent that would tell an id from a name.
    const known = await readKnownLists(session);
    const [only, ...others] = known.filter(({ id, name }) => id === idOrName || name === idOrName);
    if (only && others.length === 0) return call(only.id);
  }
  const asId = isPossibleId(idOrName) ? await tryCall(() => call(idOrName)) : undefined;
  if (asId && 'value' in asId) return asId.value;
  const batches = cacheListNamesFrom(session, client.pages(lists.list, {}));
  const id = await findId(batches, idOrName, 'list or process', 'lists');
  // If the list exists, the failure is about a record in it.
  if (id === idOrName && asId) throw asId.failure;
  return call(id);
}

/** Returns the id of an organization by its id or exact name. @throws {Failure} not_found; usage if several match */
export async function resolveOrganizationId(client: Client, idOrName: string): Promise<string> {
  const asId = isPossibleId(idOrName)
    ? await tryCall(() => client.read(organizations.get, { organization_id: idOrName }))
    : undefined;
  if (asId && 'value' in asId) return idOrName;
  return findId(client.pages(organizations.list, {}), idOrName, 'organization', 'organizations');
}

/** Returns the value of a call, or its failure if nothing was found. */
export async function tryCall<T>(call: () => Promise<T>): Promise<{ value: T } | { failure: Failure }> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    return { failure: error };
  }
}

/** Finds a record by its id, else the only one with the name. */
async function findId(
  batches: AsyncIterable<Batch<Received<Pick<List, 'id' | 'name'>>>>,
  idOrName: string,
  noun: string,
  command: string,
): Promise<string> {
  const found: string[] = [];
  for await (const { records } of batches)
    for (const { value } of records) {
      if (value.id === idOrName) return idOrName;
      if (value.name === idOrName) found.push(String(value.id));
    }
  const [id, ...others] = found;
  if (id === undefined) {
    const hint = `kith ${command} list`;
    throw new Failure('not_found', `No ${noun} has the id or name "${idOrName}".`, { hint });
  }
  if (others.length === 0) return id;
  throw new Failure('usage', `${found.length} ${command} are named "${idOrName}".`, {
    hint: `Use one of their ids: ${found.join(', ')}.`,
  });
}

/** Updates the cached list names of the workspace, for completion. */
export async function cacheListNames(
  session: Session,
  change: (names: readonly ListName[]) => readonly ListName[],
): Promise<void> {
  const names = change(await readKnownLists(session));
  await cacheLists(session.env, session.lockHolder, await resolveCacheKey(session), names);
}

/** Passes lists on and caches their names after the last one. */
export async function* cacheListNamesFrom(
  session: Session,
  batches: AsyncIterable<Batch<Received<List>>>,
): AsyncGenerator<Batch<Received<List>>> {
  const all: ListName[] = [];
  for await (const batch of batches) {
    all.push(...toNamedLists(batch.records));
    if (!batch.hasMore) await cacheListNames(session, () => all);
    yield batch;
  }
}

/** Returns the ids and names of lists. */
export function toNamedLists(records: readonly { readonly value: Received<List> | null }[]): ListName[] {
  return records.flatMap(({ value }) => {
    const { id, name } = value ?? {};
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [];
  });
}

/** Reads the cached list names of the workspace. */
export async function readKnownLists(session: Session): Promise<readonly ListName[]> {
  return readCachedLists(session.env, await resolveCacheKey(session));
}

async function resolveCacheKey(session: Session): Promise<string> {
  const used = await findConnection(session, session.globals);
  return formatWorkspaceKey(used.kind === 'local' ? used.database : used.baseUrl, used.profile);
}

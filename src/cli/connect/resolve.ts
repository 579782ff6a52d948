import type { Client } from '../../client/client.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { organizations } from '../../contract/organizations.ts';
import { fieldsOf } from '../../render/fields.ts';
import type { Session } from '../context.ts';
import { allPages, iterateRecords } from '../listing.ts';
import { cacheListNamesFrom, readKnownLists } from './known-lists.ts';

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
  const cachedId = session.globals.dryRun ? await findCachedId(session, idOrName) : undefined;
  if (cachedId !== undefined) return call(cachedId);
  const asId = isPossibleId(idOrName) ? await tryCall(() => call(idOrName)) : undefined;
  if (asId && 'value' in asId) return asId.value;
  const all: string[] = [];
  const found: string[] = [];
  for await (const { records } of cacheListNamesFrom(session, allPages(client, lists.list, {}))) {
    for (const { value } of records) {
      const { id, name } = fieldsOf(value);
      all.push(String(id));
      if (name === idOrName) found.push(String(id));
    }
  }
  // Ids take precedence over names. If the list exists, the failure is about a record in it.
  if (all.includes(idOrName)) {
    if (asId) throw asId.failure;
    return call(idOrName);
  }
  return call(takeOnly(found, idOrName, 'list or process', 'lists', 'kith lists list'));
}

/**
 * Finds the id of a list in the cached names. With --dry-run nothing is sent that would tell an id from a name.
 */
async function findCachedId(session: Session, idOrName: string): Promise<string | undefined> {
  const lists = await readKnownLists(session);
  const [only, ...others] = lists.filter(({ id, name }) => id === idOrName || name === idOrName);
  return others.length === 0 ? only?.id : undefined;
}

/**
 * Returns the id of an organization, given by its id or exact name.
 * @throws {Failure} not_found, or usage if several organizations have the name
 */
export async function resolveOrganizationId(client: Client, idOrName: string): Promise<string> {
  const asId = isPossibleId(idOrName)
    ? await tryCall(() => client.read(organizations.get, { organization_id: idOrName }))
    : undefined;
  if (asId && 'value' in asId) return idOrName;
  const found: string[] = [];
  for await (const organization of iterateRecords(client, organizations.list, {})) {
    const { id, name } = fieldsOf(organization.value);
    if (id === idOrName) return idOrName;
    if (name === idOrName) found.push(String(id));
  }
  return takeOnly(found, idOrName, 'organization', 'organizations', 'kith organizations list');
}

/** Returns the value of a call, or its failure if nothing was found. */
async function tryCall<T>(call: () => Promise<T>): Promise<{ value: T } | { failure: Failure }> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    return { failure: error };
  }
}

function takeOnly(found: readonly string[], name: string, one: string, many: string, hint: string): string {
  const [id, ...others] = found;
  if (id === undefined) {
    throw new Failure('not_found', `No ${one} has the id or name "${name}".`, { hint });
  }
  if (others.length > 0) {
    throw new Failure('usage', `${found.length} ${many} are named "${name}".`, {
      hint: `Use one of their ids: ${found.join(', ')}.`,
    });
  }
  return id;
}

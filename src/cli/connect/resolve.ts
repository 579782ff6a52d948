import type { Client } from '../../client/client.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { organizations } from '../../contract/organizations.ts';
import { fieldsOf } from '../../render/fields.ts';
import type { Session } from '../context.ts';
import { allPages, iterateRecords } from '../listing.ts';
import { cacheListNamesFrom, readKnownLists } from './known-lists.ts';

/** What a list is given as. */
export const listArgument = {
  summary: 'The id or the exact name of a list or process',
  completion: 'lists',
} as const;

/** Ids are opaque; what looks like none of the usual ones is looked up among all of them. */
const mayBeId = (given: string) => /^[\w-]+$/.test(given);

/**
 * Calls with the id of a list that was given as an id or as its exact name. What looks like an id is tried as
 * one first, so that an id costs no look-up. Throws `not_found`, or `usage` where several lists have the name.
 */
export async function withListId<T>(
  session: Session,
  given: string,
  call: (id: string) => Promise<T>,
): Promise<T> {
  const client = await session.client();
  const seen = session.globals.dryRun ? await seenId(session, given) : undefined;
  if (seen !== undefined) return call(seen);
  const asId = mayBeId(given) ? await tried(() => call(given)) : undefined;
  if (asId && 'value' in asId) return asId.value;
  const all: string[] = [];
  const found: string[] = [];
  for await (const { records } of cacheListNamesFrom(session, allPages(client, lists.list, {}))) {
    for (const { value } of records) {
      const { id, name } = fieldsOf(value);
      all.push(String(id));
      if (name === given) found.push(String(id));
    }
  }
  // An id goes before a name. Where there is such a list, what was not found is something in it.
  if (all.includes(given)) {
    if (asId) throw asId.failure;
    return call(given);
  }
  return call(only(found, given, 'list or process', 'lists', 'kith lists list'));
}

/**
 * The id of the one list that was last seen under a name. With --dry-run nothing is sent that would tell whether
 * a word is an id or a name.
 */
async function seenId(session: Session, given: string): Promise<string | undefined> {
  const lists = await readKnownLists(session);
  const [only, ...others] = lists.filter(({ id, name }) => id === given || name === given);
  return others.length === 0 ? only?.id : undefined;
}

/** The id of an organization that was given as an id or as its exact name. Throws as `onList` does. */
export async function resolveOrganizationId(client: Client, given: string): Promise<string> {
  const asId = mayBeId(given)
    ? await tried(() => client.read(organizations.get, { organization_id: given }))
    : undefined;
  if (asId && 'value' in asId) return given;
  const found: string[] = [];
  for await (const organization of iterateRecords(client, organizations.list, {})) {
    const { id, name } = fieldsOf(organization.value);
    if (id === given) return given;
    if (name === given) found.push(String(id));
  }
  return only(found, given, 'organization', 'organizations', 'kith organizations list');
}

/** What a call gives, or that it found nothing. */
async function tried<T>(call: () => Promise<T>): Promise<{ value: T } | { failure: Failure }> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    return { failure: error };
  }
}

function only(found: readonly string[], name: string, one: string, many: string, hint: string): string {
  const [id, ...others] = found;
  if (id === undefined) {
    throw new Failure('not_found', `No ${one} has the id or the name "${name}".`, { hint });
  }
  if (others.length > 0) {
    throw new Failure('usage', `${found.length} ${many} have the name "${name}".`, {
      hint: `Give one of their ids: ${found.join(', ')}.`,
    });
  }
  return id;
}

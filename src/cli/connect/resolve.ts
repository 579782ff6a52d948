import { foldName } from '../../values/names.ts';
import type { Session } from '../context.ts';
import { readKnownLists } from './list-names.ts';
import { lookUpReference, withReference } from './references.ts';

export const listArgument = {
  summary: 'Id or exact name of a list or process',
  completion: 'lists',
} as const;

/**
 * Calls a function with the id of a list, given by its id or exact name. A possible id is tried first, so that an id
 * costs no lookup; a word that is only known as a name is not. A dry run uses a cached name without a request.
 * @throws {Failure} not_found, or usage if several lists have the name
 */
export async function withListId<T>(
  session: Session,
  idOrName: string,
  call: (id: string) => Promise<T>,
): Promise<T> {
  const known = await readKnownLists(session);
  const name = foldName(idOrName);
  const named = known.filter((list) => foldName(list.name) === name);
  const isKnownId = known.some(({ id }) => id === idOrName);
  if (session.globals.dryRun) {
    const [only, ...others] = isKnownId ? [{ id: idOrName }] : named;
    if (only && others.length === 0) return call(only.id);
  }
  if (isKnownId || named.length === 0) return withReference(session, 'list', idOrName, call);
  return call(await lookUpReference(session, 'list', idOrName));
}

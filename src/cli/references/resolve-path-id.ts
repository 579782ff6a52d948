import type { FailureDetail } from '../../contract/errors.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import type { NamedRecord } from '../../settings/name-cache.ts';
import { foldName } from '../../values/names.ts';
import type { Session } from '../command/context.ts';
import { kinds } from './reference-kinds.ts';
import { isResolved, lookUpReference, readPossibleId, resolveReference } from './resolve-reference.ts';

/**
 * Resolves a reference to the id to send in a path. A word that may be an id is sent unchanged, unless it is the name
 * of a cached list. A dry run sends no write that would show whether the word is an id, so it reads the record.
 * @throws {Failure} as `resolveReference`
 */
export async function resolvePathId(session: Session, kind: ReferenceKind, text: string): Promise<string> {
  const { dryRun } = session.globals;
  const [known, ...others] = kind === 'list' ? await findKnownLists(session, text) : [];
  if (dryRun && known && others.length === 0) return known.id;
  const id = readPossibleId(kind, text);
  const isName = known !== undefined && known.id !== text;
  if (id === undefined || dryRun || isName || isResolved(session, kind, text))
    return resolveReference(session, kind, text);
  addWord(session, kind, text, { id, isName: false });
  return id;
}

export function addWord(
  session: Session,
  kind: ReferenceKind,
  text: string,
  { id, isName }: { readonly id: string; readonly isName: boolean },
): void {
  const lookUp = (detail: FailureDetail) =>
    isName ? resolveReference(session, kind, text) : lookUpReference(session, kind, text, detail);
  session.references.pathIds.add(kinds[kind].collection, id, { isName, lookUp });
}

/** Reads a list by its id or name. @throws {Failure} as `resolvePathId` */
export async function readList(session: Session, idOrName: string): Promise<Received<List>> {
  const list_id = await resolvePathId(session, 'list', idOrName);
  return (await session.client()).read(lists.get, { list_id });
}

/** Finds a cached list by its id, or all cached lists with a name. */
async function findKnownLists(session: Session, text: string): Promise<readonly NamedRecord[]> {
  const lists = await session.references.names.listLists();
  const match = lists.find(({ id }) => id === text);
  return match ? [match] : lists.filter(({ names: [name = ''] }) => foldName(name) === foldName(text));
}

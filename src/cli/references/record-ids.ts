import { entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { readRecordId } from '../../values/domain.ts';
import { findName, foldName } from '../../values/names.ts';
import type { Session } from '../context.ts';
import type { FlagReference } from '../flags/references.ts';
import { readKnownLists } from './cache-names.ts';
import { shareNameSearch } from './name-search.ts';
import {
  lookUpReference,
  readPossibleId,
  resolveReference,
  tryCall,
  withReference,
} from './resolve-reference.ts';

export const listArgument = {
  summary: 'List or process: id or exact name',
  completion: 'lists',
  record: 'lists',
} as const;

/** The argument that names an entry of the list before it. */
export const entryArgument = { summary: 'Entry: id, or key such as DEAL-1', record: 'entries' } as const;

/**
 * Calls a function with the id of a list, given by its id or exact name. A read tries a possible id first, so that an id
 * costs no lookup. A write sends no name as an id: it reads the lists, unless the id is cached. A dry run uses a cached
 * name without a request.
 * @throws {Failure} not_found, or usage if several lists have the name
 */
export async function withListId<T>(
  session: Session,
  idOrName: string,
  call: (id: string) => Promise<T>,
  { isWrite = false } = {},
): Promise<T> {
  const cachedLists = await readKnownLists(session);
  const name = foldName(idOrName);
  const [match, ...others] = cachedLists.filter((list) => foldName(list.name) === name);
  const isKnownId = cachedLists.some(({ id }) => id === idOrName);
  if (session.globals.dryRun) {
    if (isKnownId) return call(idOrName);
    if (match && others.length === 0) return call(match.id);
  }
  if (isKnownId || (!match && !isWrite)) return withReference(session, 'list', idOrName, call);
  return call(await findListId(session, idOrName));
}

/** Reads the list that an id or an exact name names. @throws {Failure} as `withListId` */
export async function readList(session: Session, idOrName: string): Promise<Received<List>> {
  const client = await session.client();
  return withListId(session, idOrName, (list_id) => client.read(lists.get, { list_id }));
}

/**
 * Returns the name of a status as its process has it; if the process has no such status, as typed. A script that types
 * the exact name of a known list causes no request.
 */
export async function resolveStatus(session: Session, list_id: string, status: string): Promise<string> {
  const known = (await readKnownLists(session)).find(({ id }) => id === list_id)?.statuses;
  const isUnchanged = known && [status, undefined].includes(findName(known, status));
  if (isUnchanged) return status;
  const { statuses } = await (await session.client()).read(lists.get, { list_id });
  const names = (statuses ?? []).flatMap(({ name }) => name ?? []);
  return findName(names, status) ?? status;
}

/** Returns the id of a list. A list may exist that the service does not list. @throws {Failure} as `withListId` */
async function findListId(session: Session, idOrName: string): Promise<string> {
  const byName = await tryCall(() => lookUpReference(session, 'list', idOrName));
  if ('value' in byName) return byName.value;
  const list_id = readPossibleId(idOrName);
  if (list_id === undefined) throw byName.failure;
  const client = await session.client();
  const byId = await tryCall(() => client.read(lists.get, { list_id }));
  if ('value' in byId) return list_id;
  throw byName.failure;
}

/**
 * Calls a function with the id of a record that is not a list. A contact or an organization may be named by any
 * reference, an entry by its key, and every record by a URL that ends in its id.
 * @throws {Failure} not_found, or usage if several records match
 */
export function withRecordId<T>(
  session: Session,
  { kind, list_id }: { readonly kind?: FlagReference | undefined; readonly list_id?: string },
  text: string,
  call: (id: string) => Promise<T>,
): Promise<T> {
  if (kind) return withReference(session, kind, text, call);
  const isKey = list_id !== undefined && /.-\d+$/.test(text);
  return isKey ? withEntryKey(session, list_id, text, call) : call(readRecordId(text));
}

/** Calls a function with the id of an entry of a process by its id or key, such as `DEAL-7`. */
async function withEntryKey<T>(
  session: Session,
  list_id: string,
  key: string,
  call: (id: string) => Promise<T>,
): Promise<T> {
  const client = await session.client();
  const asId = await tryCall(async () => {
    // In a dry run the call proves nothing.
    if (session.globals.dryRun) await client.read(entries.get, { list_id, id: key });
    return call(key);
  });
  if ('value' in asId) return asId.value;
  for await (const { value } of client.records(entries.list, { list_id }))
    if (value.id && foldName(value.key ?? '') === foldName(key)) return call(value.id);
  throw new Failure('not_found', `No entry has the id or key "${key}".`, asId.failure.detail);
}

/**
 * Returns the ids of references, so that an ambiguous one ends a command before it writes. A reference that names no
 * record is passed through, so that only its own write fails.
 * @throws {Failure} usage if several records match
 */
export async function resolveNames(
  session: Session,
  kind: FlagReference | undefined,
  references: readonly string[],
): Promise<readonly string[]> {
  if (!kind) return references;
  shareNameSearch(session, kind, references);
  const ids: string[] = [];
  for (const text of references) {
    // The only reference may be tried as an id by the deletion itself.
    const needsLookup = references.length > 1 || readPossibleId(text) === undefined;
    const resolution = needsLookup ? await tryCall(() => resolveReference(session, kind, text)) : undefined;
    ids.push(resolution && 'value' in resolution ? resolution.value : text);
  }
  return ids;
}

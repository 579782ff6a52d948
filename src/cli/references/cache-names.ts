import type { Batch } from '../../client/pagination.ts';
import type { CustomField } from '../../contract/custom-fields.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { getWorkspaceKey } from '../../settings/connection.ts';
import { type FieldName, fieldCache, type ListName, listCache } from '../../settings/name-cache.ts';
import { findConnection } from '../connect/connection.ts';
import type { Session } from '../context.ts';

/** Passes custom fields on and caches their names after the last one, for completion. */
export const cacheFieldNamesFrom = (session: Session, batches: AsyncIterable<Batch<Received<CustomField>>>) =>
  cacheFrom(
    batches,
    (records) => toFieldNames(records.flatMap(({ value }) => value ?? [])),
    async (names) => fieldCache.write(session.env, session.lockHolder, await resolveKey(session), names),
  );

/** Passes lists on and caches their names after the last one. */
export const cacheListNamesFrom = (session: Session, batches: AsyncIterable<Batch<Received<List>>>) =>
  cacheFrom(batches, toNamedLists, (names) => cacheListNames(session, () => names));

async function* cacheFrom<T, N>(
  batches: AsyncIterable<Batch<T>>,
  toNames: (records: Batch<T>['records']) => readonly N[],
  write: (names: readonly N[]) => Promise<void>,
): AsyncGenerator<Batch<T>> {
  const all: N[] = [];
  for await (const batch of batches) {
    all.push(...toNames(batch.records));
    if (!batch.hasMore) await write(all);
    yield batch;
  }
}

/** Updates the cached list names of the workspace. */
export async function cacheListNames(
  session: Session,
  change: (names: readonly ListName[]) => readonly ListName[],
): Promise<void> {
  const names = change(await readKnownLists(session));
  listsOfSessions.set(session, names);
  await listCache.write(session.env, session.lockHolder, await resolveKey(session), names);
}

/** The lists that a session has read. The file may not be writable. */
const listsOfSessions = new WeakMap<Session, readonly ListName[]>();

/** Reads the cached list names of the workspace. */
export async function readKnownLists(session: Session): Promise<readonly ListName[]> {
  return listsOfSessions.get(session) ?? listCache.read(session.env, await resolveKey(session));
}

async function resolveKey(session: Session): Promise<string> {
  return getWorkspaceKey(await findConnection(session, session.globals));
}

/** Returns what completion offers of lists: ids, names, statuses and fields. */
export function toNamedLists(records: readonly { readonly value: Received<List> | null }[]): ListName[] {
  return records.flatMap(({ value }) => {
    const { id, name, statuses, fields } = value ?? {};
    if (typeof id !== 'string' || typeof name !== 'string') return [];
    const statusNames = (statuses ?? []).flatMap((status) => status.name ?? []);
    return [{ id, name, statuses: statusNames, fields: toFieldNames(fields ?? []) }];
  });
}

/** Returns what completion offers of fields. Omits those without a name. */
function toFieldNames(
  fields: readonly Pick<Received<CustomField>, 'name' | 'model' | 'options'>[],
): FieldName[] {
  return fields.flatMap(({ name, model, options }) =>
    typeof name === 'string' ? [{ name, ...(model && { model }), options: options ?? [] }] : [],
  );
}

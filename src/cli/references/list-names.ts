import type { Batch } from '../../client/pagination.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { getWorkspaceKey } from '../../settings/connection.ts';
import { type ListName, listCache } from '../../settings/name-cache.ts';
import { findConnection } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { toFieldNames } from './field-names.ts';

/** Updates the cached list names of the workspace, for completion. */
export async function cacheListNames(
  session: Session,
  change: (names: readonly ListName[]) => readonly ListName[],
): Promise<void> {
  const names = change(await readKnownLists(session));
  await listCache.write(session.env, session.lockHolder, await resolveCacheKey(session), names);
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

/** Returns what completion offers of lists: ids, names, statuses and fields. */
export function toNamedLists(records: readonly { readonly value: Received<List> | null }[]): ListName[] {
  return records.flatMap(({ value }) => {
    const { id, name, statuses, fields } = value ?? {};
    if (typeof id !== 'string' || typeof name !== 'string') return [];
    const statusNames = (statuses ?? []).flatMap((status) => status.name ?? []);
    return [{ id, name, statuses: statusNames, fields: toFieldNames(fields ?? []) }];
  });
}

/** Reads the cached list names of the workspace. */
export async function readKnownLists(session: Session): Promise<readonly ListName[]> {
  return listCache.read(session.env, await resolveCacheKey(session));
}

async function resolveCacheKey(session: Session): Promise<string> {
  return getWorkspaceKey(await findConnection(session, session.globals));
}

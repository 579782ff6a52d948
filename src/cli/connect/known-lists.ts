import type { Batch } from '../../client/pagination.ts';
import { fieldsOf } from '../../render/fields.ts';
import { cacheLists, formatWorkspaceKey, type ListName, readCachedLists } from '../../settings/list-names.ts';
import type { RawJson } from '../../values/raw-json.ts';
import type { Session } from '../context.ts';
import { findConnection } from './connection.ts';

/** The parts of a session that choose the workspace. */
type WorkspaceChoice = Pick<Session, 'env' | 'settings' | 'globals'>;

/** Updates the cached list names of the workspace, for completion. */
export async function cacheListNames(
  session: Session,
  change: (names: readonly ListName[]) => readonly ListName[],
): Promise<void> {
  const workspace = await resolveCacheKey(session);
  await cacheLists(
    session.env,
    session.lockHolder,
    workspace,
    change(readCachedLists(session.env, workspace)),
  );
}

/** Passes lists on and caches their names after the last one. */
export async function* cacheListNamesFrom(
  session: Session,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  const all: ListName[] = [];
  for await (const batch of batches) {
    all.push(...toNamedLists(batch.records));
    if (!batch.hasMore) await cacheListNames(session, () => all);
    yield batch;
  }
}

/** Returns the ids and names of lists. */
export function toNamedLists(records: readonly RawJson[]): ListName[] {
  return records.flatMap(({ value }) => {
    const { id, name } = fieldsOf(value);
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [];
  });
}

/** Reads the cached list names of the workspace. */
export async function readKnownLists(choice: WorkspaceChoice): Promise<readonly ListName[]> {
  return readCachedLists(choice.env, await resolveCacheKey(choice));
}

/** Returns the cache key of the workspace. */
async function resolveCacheKey(choice: WorkspaceChoice): Promise<string> {
  const used = await findConnection(choice, choice.globals);
  return formatWorkspaceKey(used.kind === 'local' ? used.database : used.baseUrl, used.profile);
}

import type { Batch } from '../../client/pagination.ts';
import { fieldsOf } from '../../render/fields.ts';
import { cacheLists, formatWorkspaceKey, type ListName, readCachedLists } from '../../settings/list-names.ts';
import type { RawJson } from '../../values/raw-json.ts';
import type { Session } from '../context.ts';
import { findConnection } from './connection.ts';

/** What says which workspace is meant. */
type Asking = Pick<Session, 'env' | 'settings' | 'globals'>;

/** Remembers what the lists of the workspace are called, for completion. `change` gets what was known before. */
export async function cacheListNames(
  session: Session,
  change: (known: readonly ListName[]) => readonly ListName[],
): Promise<void> {
  const workspace = await keyOf(session);
  await cacheLists(
    session.env,
    session.lockHolder,
    workspace,
    change(readCachedLists(session.env, workspace)),
  );
}

/** Passes lists on, and remembers what they are called once all of them have passed. */
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

/** What lists are called; one without an id and a name is nothing to be offered. */
export function toNamedLists(sent: readonly RawJson[]): ListName[] {
  return sent.flatMap(({ value }) => {
    const { id, name } = fieldsOf(value);
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [];
  });
}

/** What the lists of the workspace were called when they were last seen. */
export async function readKnownLists(asking: Asking): Promise<readonly ListName[]> {
  return readCachedLists(asking.env, await keyOf(asking));
}

/** What the lists of the workspace are remembered by. */
async function keyOf(asking: Asking): Promise<string> {
  const used = await findConnection(asking, asking.globals);
  return formatWorkspaceKey(used.kind === 'local' ? used.database : used.baseUrl, used.profile);
}

import type { Batch } from '../client/pages.ts';
import { fieldsOf } from '../output/columns.ts';
import { connectionFor, type Named } from '../settings/connection.ts';
import { type NamedList, rememberSeen, seenLists } from '../settings/list-names.ts';
import { storedSettings } from '../settings/places.ts';
import type { Context, Session } from './context.ts';

type Place = Pick<Context, 'env' | 'settings'>;

/** Remembers what the lists of the workspace are called, for completion. `change` gets what was known before. */
export async function rememberLists(
  session: Session,
  change: (known: readonly NamedList[]) => readonly { readonly id: string; readonly name: unknown }[],
): Promise<void> {
  const workspace = await workspaceOf(session, session.globals);
  const lists = change(seenLists(session.env, workspace)).map(({ id, name }) => ({ id, name: String(name) }));
  await rememberSeen(session.env, workspace, lists);
}

/** Passes lists on, and remembers what they are called once all of them have passed. */
export async function* rememberedOn(session: Session, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  const all: { id: string; name: unknown }[] = [];
  for await (const batch of batches) {
    for (const { value } of batch.records) {
      const { id, name } = fieldsOf(value);
      all.push({ id: String(id), name });
    }
    if (!batch.more) await rememberLists(session, () => all);
    yield batch;
  }
}

/** What the lists of the workspace were called when they were last seen. */
export async function knownLists(place: Place, named: Named): Promise<readonly NamedList[]> {
  return seenLists(place.env, await workspaceOf(place, named));
}

async function workspaceOf({ env, settings }: Place, named: Named): Promise<string> {
  const stored = await storedSettings(env, settings);
  const found = connectionFor(named, env, () => stored);
  return found.kind === 'local' ? found.database : found.baseUrl;
}

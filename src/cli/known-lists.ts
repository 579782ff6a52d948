import type { Batch } from '../client/pages.ts';
import type { Sent } from '../contract/json-text.ts';
import { fieldsOf } from '../output/columns.ts';
import { connectionFor, type Named } from '../settings/connection.ts';
import { type NamedList, rememberSeen, seenLists, workspaceKey } from '../settings/list-names.ts';
import { storedSettings } from '../settings/places.ts';
import type { Context, Session } from './context.ts';

type Place = Pick<Context, 'env' | 'settings'>;

/** Remembers what the lists of the workspace are called, for completion. `change` gets what was known before. */
export async function rememberLists(
  session: Session,
  change: (known: readonly NamedList[]) => readonly NamedList[],
): Promise<void> {
  const workspace = await workspaceOf(session, session.globals);
  await rememberSeen(session.env, session.holder, workspace, change(seenLists(session.env, workspace)));
}

/** Passes lists on, and remembers what they are called once all of them have passed. */
export async function* rememberedOn(session: Session, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  const all: NamedList[] = [];
  for await (const batch of batches) {
    all.push(...namedIn(batch.records));
    if (!batch.more) await rememberLists(session, () => all);
    yield batch;
  }
}

/** What lists are called; one without an id and a name is nothing to be offered. */
export function namedIn(sent: readonly Sent[]): NamedList[] {
  return sent.flatMap(({ value }) => {
    const { id, name } = fieldsOf(value);
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [];
  });
}

/** What the lists of the workspace were called when they were last seen. */
export async function knownLists(place: Place, named: Named): Promise<readonly NamedList[]> {
  return seenLists(place.env, await workspaceOf(place, named));
}

async function workspaceOf({ env, settings }: Place, named: Named): Promise<string> {
  const stored = await storedSettings(env, settings);
  const found = connectionFor(named, env, () => stored);
  return workspaceKey(found.kind === 'local' ? found.database : found.baseUrl, found.profile);
}

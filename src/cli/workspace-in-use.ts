import { type Connection, connectionFor, type Found } from '../settings/connection.ts';
import { storedSettings } from '../settings/places.ts';
import type { Context, Session } from './context.ts';
import type { Globals } from './globals.ts';

/** What says, beside the flags, which workspace is meant. */
export type Configuration = Pick<Context, 'env' | 'settings'>;

/** What the flags, the environment and the settings say to talk to. Throws `unauthorized`. */
export async function connectionIn(
  { env, settings }: Configuration,
  globals: Pick<Globals, 'profile' | 'baseUrl'>,
): Promise<Found> {
  const stored = await storedSettings(env, settings);
  return connectionFor(globals, env, () => stored);
}

/** The same, with the key; one in the keychain is asked for. Throws `unauthorized`. */
export async function connectionWithKey(
  configuration: Configuration,
  globals: Pick<Globals, 'profile' | 'baseUrl'>,
): Promise<Connection> {
  const used = await connectionIn(configuration, globals);
  if (!('keychain' in used)) return used;
  const { keyIn } = await import('../settings/keychain.ts');
  const { keychain, ...hosted } = used;
  return { ...hosted, key: await keyIn(keychain, hosted.profile ?? '') };
}

/** What tells the workspace in use from any other: its file, or its base URL and the key to it. A secret. */
export async function accessOf(session: Session): Promise<string> {
  const used = await connectionWithKey(session, session.globals);
  return used.kind === 'local' ? used.database : `${used.baseUrl} ${used.key}`;
}

/** Whether the workspace is a file that this process itself writes. */
export async function isEmbedded(session: Session): Promise<boolean> {
  return (await connectionIn(session, session.globals)).kind === 'local';
}

/** What the workspace in use is known by: its base URL or its file. Throws `unauthorized`. */
export async function workspaceOf(session: Session): Promise<string> {
  const used = await connectionIn(session, session.globals);
  return used.kind === 'local' ? used.database : new URL(used.baseUrl).href;
}

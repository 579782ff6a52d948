import type { WorkspaceAccess } from '../../files/workspace-identity.ts';
import { sanitizeLine } from '../../render/sanitize.ts';
import { type Connection, type ResolvedConnection, resolveConnection } from '../../settings/connection.ts';
import { openSettingsIfStored } from '../../settings/paths.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Session } from '../context.ts';
import type { Globals } from '../flags/globals.ts';

/** What says, beside the flags, which workspace is meant. */
export type Configuration = Pick<Session, 'env' | 'settings'>;

/** What the flags, the environment and the settings say to talk to. Throws `unauthorized`. */
export async function findConnection(
  { env, settings }: Configuration,
  globals: Pick<Globals, 'profile' | 'baseUrl'>,
): Promise<ResolvedConnection> {
  const stored = await openSettingsIfStored(env, settings);
  return resolveConnection(globals, env, () => stored);
}

/** The same, with the key; one in the keychain is asked for. Throws `unauthorized`. */
export async function resolveConnectionWithKey(
  configuration: Configuration,
  globals: Pick<Globals, 'profile' | 'baseUrl'>,
): Promise<Connection> {
  const used = await findConnection(configuration, globals);
  if (!('keychain' in used)) return used;
  const { readKey } = await import('../../settings/keychain.ts');
  const { keychain, ...hosted } = used;
  return { ...hosted, key: await readKey(keychain, hosted.profile ?? '') };
}

/** Returns how to reach the workspace in use, which identifies it. Throws `unauthorized`. */
export async function resolveWorkspaceAccess(session: Session): Promise<WorkspaceAccess> {
  const used = await resolveConnectionWithKey(session, session.globals);
  if (used.kind === 'hosted') return { kind: 'hosted', place: new URL(used.baseUrl).href, key: used.key };
  const id = await (await session.workspace()).identity(used.database);
  return { kind: 'local', place: used.database, id };
}

/** Returns the default number of concurrent requests. A workspace file has one writer: more would only mix up the order. */
export async function getDefaultConcurrency(session: Session): Promise<number> {
  const { kind } = await findConnection(session, session.globals);
  return kind === 'local' ? 1 : 4;
}

/** The settings, to be changed. A damaged file is set aside first and both names are told, also with --quiet. */
export async function openSettingsForChange({ settings, stderr }: Session): Promise<Settings> {
  const opened = await settings();
  const aside = await opened.moveDamaged();
  if (aside !== undefined) {
    const text = `The settings in ${opened.path} were damaged; they are kept in ${aside}.`;
    await stderr.write(`kith: ${sanitizeLine(text)}\n`);
  }
  return opened;
}

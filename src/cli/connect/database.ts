import { resolve } from 'node:path';
import { profileNotFound } from '../../settings/connection.ts';
import { resolveDefaultDatabase } from '../../settings/paths.ts';
import type { Session, Workspace } from '../context.ts';
import { flag, type OptionValues, text } from '../flags/options.ts';

/** The flags that say which workspace file of this machine is meant. */
export const databaseOptions = {
  database: text('The workspace file', 'FILE', { completion: 'files' }),
  demo: flag('The sample workspace'),
};

/** Where phone numbers without a country code belong. */
export const regionOption = text('Country of phone numbers without a country code (default US)', 'CC');

/** What the flags say. */
type DatabaseFlags = OptionValues<typeof databaseOptions>;

/** The workspace file that is meant: by flag, else that of the profile in use, else the user's own. */
export async function resolveDatabase(
  { env, globals, settings }: Session,
  { database, demo }: DatabaseFlags,
): Promise<string> {
  if (database !== undefined) return resolve(database);
  if (demo) return resolveDefaultDatabase(env, 'demo');
  const { active, profiles } = (await settings()).read();
  const asked = globals.profile || env.KITH_PROFILE;
  const name = asked || active || '';
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (asked && !profile) throw profileNotFound(asked, profiles);
  return profile && 'database' in profile ? profile.database : resolveDefaultDatabase(env);
}

/** The workspace that is meant; the sample is made where it is not there yet, in a region. */
export async function openWorkspaceFile(
  session: Session,
  given: DatabaseFlags,
  region?: string,
): Promise<{ readonly workspace: Workspace; readonly database: string }> {
  const database = await resolveDatabase(session, given);
  const workspace = await session.workspace();
  if (given.demo) await workspace.create(database, { demo: true, region });
  return { workspace, database };
}

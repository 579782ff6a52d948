import { resolve } from 'node:path';
import { noProfile } from '../settings/connection.ts';
import { defaultDatabase } from '../settings/places.ts';
import type { Session } from './context.ts';
import { flag, text } from './options.ts';

/** The flags that say which workspace file of this machine is meant. */
export const databaseOptions = {
  database: text('The workspace file', 'FILE', { completes: 'files' }),
  demo: flag('The sample workspace'),
};

/** Where phone numbers without a country code belong. */
export const regionOption = text('Country of phone numbers without a country code (default US)', 'CC');

/** The workspace file that is meant: by flag, else that of the profile in use, else the user's own. */
export async function databaseFor(
  { env, globals, settings }: Session,
  { database, demo }: { readonly database: string | undefined; readonly demo: boolean },
): Promise<string> {
  if (database !== undefined) return resolve(database);
  if (demo) return defaultDatabase(env, true);
  const { active, profiles } = (await settings()).read();
  const asked = globals.profile || env.KITH_PROFILE;
  const name = asked || active || '';
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (asked && !profile) throw noProfile(asked, profiles);
  return profile && 'database' in profile ? profile.database : defaultDatabase(env, false);
}

import { findProfile } from '../../settings/connection.ts';
import { parseDatabase, readDatabase } from '../../settings/database-location.ts';
import { resolveDatabaseFile } from '../../settings/paths.ts';
import { findDatabasePassword } from '../../values/database-url.ts';
import type { Session, Workspace } from '../command/context.ts';
import { createFlag, createTextOption, type OptionValues } from '../command/options.ts';
import { openEffectiveSettings } from './connection.ts';

/** The flags that choose a local workspace. */
export const databaseOptions = {
  database: createTextOption('Workspace file or PostgreSQL URL', 'FILE|URL', { completion: 'files' }),
  demo: createFlag('Use the sample workspace'),
};

export const regionOption = createTextOption(
  'Country of phone numbers without a country code (default US)',
  'CC',
);

type DatabaseFlags = OptionValues<typeof databaseOptions>;

interface DatabaseUse {
  /** Whether the command writes nothing, so that no notice about the profile of a project file is necessary. */
  readonly isReading?: boolean;
  /** The country of phone numbers in a sample that is created. */
  readonly region?: string | undefined;
}

/** Parses the flag --database, and notes that other users could read a password in it. */
export async function parseDatabaseFlag(session: Session, text: string): Promise<string> {
  const database = parseDatabase(text, '--database');
  if (findDatabasePassword(database) !== undefined) {
    await session.messages.note(
      'Other users of this machine can read the password in --database, for example with ps. Put it in ~/.pgpass, or set PGPASSWORD.',
    );
  }
  return database;
}

/**
 * Returns the location of the workspace from the flags, KITH_DATABASE_URL, the profile in use, or else the default
 * location.
 */
export async function resolveDatabase(
  session: Session,
  { database, demo }: DatabaseFlags,
  { isReading = session.globals.dryRun }: DatabaseUse = {},
): Promise<string> {
  const { globals } = session;
  const { env } = session.runtime;
  if (database !== undefined) return parseDatabaseFlag(session, database);
  if (demo) return resolveDatabaseFile(env, 'demo');
  const location = readDatabase(globals, env);
  if (location !== undefined) return location;
  const settings = await openEffectiveSettings(session);
  const { profile } = findProfile(globals.profile || env.KITH_PROFILE, settings.read());
  if (!profile || !('database' in profile)) return resolveDatabaseFile(env);
  if (!isReading) await session.messages.profileNotice.beforeWrite();
  return profile.database;
}

/** Returns the workspace of the flags and its location; creates the sample for a region if it does not exist. */
export async function openWorkspaceFile(
  session: Session,
  flags: DatabaseFlags,
  use: DatabaseUse = {},
): Promise<{ readonly workspace: Workspace; readonly database: string }> {
  const database = await resolveDatabase(session, flags, use);
  const workspace = await session.services.workspace();
  if (flags.demo) await workspace.create(database, { demo: true, region: use.region });
  return { workspace, database };
}

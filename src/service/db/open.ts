import { existsSync } from 'node:fs';
import { isDatabaseUrl } from '../../values/database-url.ts';
import type { OpenDatabase } from './database.ts';
import { checkFileExists, migrateFile, openDatabase, withFile } from './sqlite/open-workspace.ts';

/** How to open a workspace. */
export interface OpenOptions {
  /** Receives a message with the path of the backup if the schema of a file is updated. */
  readonly log?: ((text: string) => void) | undefined;
  /** Whether a file is only read. Nothing is created next to it. */
  readonly isReadOnly?: boolean | undefined;
  /** Milliseconds that a request waits for another process to unlock a file. */
  readonly lockTimeout?: number | undefined;
  /** The environment, which may contain the variables of libpq. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The maximum number of connections to PostgreSQL. */
  readonly poolSize?: number | undefined;
  /** Seconds that one statement may take on PostgreSQL. */
  readonly statementTimeout?: number | undefined;
}

/** Loads the adapter on demand: a command on a file does not need it. */
const loadPostgres = () => import('./postgres/open-postgres.ts');

/**
 * Opens the workspace at a location: a file, created if missing, or a PostgreSQL database. Updates its schema.
 * @throws {Failure} if it cannot be opened, as `openDatabase` and `openPostgres` do
 */
export async function openWorkspace(location: string, options: OpenOptions = {}): Promise<OpenDatabase> {
  if (isDatabaseUrl(location)) return (await loadPostgres()).openPostgres(location, options);
  return openDatabase(location, options);
}

/** Opens a workspace for one piece of work. @throws {Failure} `busy` if a file is locked */
export async function withWorkspace<T>(
  location: string,
  work: (db: OpenDatabase) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  if (!isDatabaseUrl(location)) return withFile(location, work, options);
  const db = await openWorkspace(location, options);
  try {
    return await work(db);
  } catch (error) {
    throw db.toFailure(error) ?? error;
  } finally {
    await db.close();
  }
}

/** Checks that a workspace file exists, because a mistyped path must not create one. @throws {Failure} `failed` */
export function checkExists(location: string): void {
  if (!isDatabaseUrl(location)) checkFileExists(location);
}

/**
 * Runs work that reads while `writer` writes. Opens a workspace file again, because a write that waits for another
 * process would delay reads on the same connection. A PostgreSQL database has connections for both.
 */
export async function withReader<T>(
  location: string,
  writer: OpenDatabase,
  work: (reader: OpenDatabase) => Promise<T>,
): Promise<T> {
  return isDatabaseUrl(location) ? work(writer) : withFile(location, work);
}

/**
 * Opens a workspace for work that fills it. A missing file is created only if the work succeeds.
 * @throws {Failure} as `withWorkspace` and `fillNewFile` do
 */
export async function fillWorkspace<T>(
  location: string,
  fill: (db: OpenDatabase) => Promise<T>,
  options: OpenOptions,
): Promise<T> {
  if (isDatabaseUrl(location) || existsSync(location)) return withWorkspace(location, fill, options);
  return (await import('./sqlite/fill-file.ts')).fillNewFile(location, fill, options);
}

/**
 * Updates the schema of a workspace, or only finds the missing steps. Returns the steps that it lacked, and whether they
 * were applied. @throws {Failure} as `openWorkspace` does
 */
export async function migrateWorkspace(
  location: string,
  { isDryRun, ...options }: OpenOptions & { readonly isDryRun: boolean },
): Promise<{ version: number; action: 'applied' | 'pending' }[]> {
  const missing = isDatabaseUrl(location)
    ? await (await loadPostgres()).migrateDatabase(location, options, isDryRun)
    : await migrateFile(location, options, isDryRun);
  return missing.map(({ version }) => ({ version, action: isDryRun ? 'pending' : 'applied' }));
}

import { existsSync } from 'node:fs';
import { Failure } from '../../contract/errors.ts';
import { closeDatabase, createLockedFailure, type Database, openDatabase } from './database.ts';
import { isLocked, toStorageFailure } from './sqlite-errors.ts';

/** Throws `failed` without the file. Only what makes a workspace may make it: a path that was mistyped must not. */
export function checkExists(file: string): void {
  if (existsSync(file)) return;
  throw new Failure('failed', `The workspace file ${file} is not there.`, {
    hint: 'Make it with kith auth login --local, or use another profile: kith auth list',
  });
}

/** Opens the workspace in a file, made where there is none, for one piece of work. Throws `busy` where it is locked. */
export async function withWorkspace<T>(
  file: string,
  work: (db: Database) => Promise<T>,
  tell?: (text: string) => void,
): Promise<T> {
  const db = openDatabase(file, tell);
  try {
    return await work(db);
  } catch (error) {
    throw isLocked(error) ? createLockedFailure(file, error) : (toStorageFailure(error, file) ?? error);
  } finally {
    closeDatabase(db);
  }
}

import { existsSync } from 'node:fs';
import { Failure } from '../contract/errors.ts';
import { isLocked } from './connection.ts';
import { closeDatabase, type Database, lockedFile, openDatabase } from './database.ts';
import { isRegion } from './phone.ts';

/** Throws `failed` without the file. Only what makes a workspace may make it: a path that was mistyped must not. */
export function checkExists(file: string): void {
  if (existsSync(file)) return;
  throw new Failure('failed', `The workspace file ${file} is not there.`, {
    hint: 'Make it with kith auth login --local, or use another profile: kith auth list',
  });
}

/** Opens the workspace in a file, made where there is none, for one piece of work. Throws `busy` where it is locked. */
export async function using<T>(file: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(file);
  try {
    return await work(db);
  } catch (error) {
    throw isLocked(error) ? lockedFile(file, error) : error;
  } finally {
    closeDatabase(db);
  }
}

/** Throws `usage` for a region that phone numbers cannot be read in; undefined stands for the one that is stored. */
export async function checkRegion(region: string | undefined): Promise<void> {
  if (region === undefined || (await isRegion(region))) return;
  throw new Failure('usage', `"${region}" is not a country.`, { hint: 'Two letters, such as US, KR or DE.' });
}

/** Stores the region in which phone numbers are read; undefined leaves it as it is. */
export async function storeRegion(db: Database, region: string | undefined): Promise<void> {
  if (region !== undefined) await db.updateTable('workspace').set({ region }).execute();
}

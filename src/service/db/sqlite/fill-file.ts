import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import sql from 'sql-template-tag';
import { Failure } from '../../../contract/errors.ts';
import { createFileFailure } from '../../../files/disk-errors.ts';
import { makeFolder } from '../../../files/permissions.ts';
import type { OpenDatabase } from '../database.ts';
import type { OpenOptions } from '../open.ts';
import { withFile } from './open-workspace.ts';
import { checkUnused, createUnfinishedCopy, syncToDisk } from './unfinished-copy.ts';

/**
 * Runs work that fills a new workspace file, which has a temporary name until the work succeeds.
 * @throws {Failure} `failed` if the file exists or cannot be created, `storage` if the disk is full
 */
export async function fillNewFile<T>(
  path: string,
  fill: (db: OpenDatabase) => Promise<T>,
  options: OpenOptions,
): Promise<T> {
  const copy = createCopy(path);
  try {
    const result = await withFile(
      copy.file,
      async (db) => {
        const filled = await fill(db);
        // The file is renamed without its -wal file, which SQLite may keep until the process ends.
        await db.run(sql`pragma journal_mode = delete`);
        return filled;
      },
      options,
    );
    if (existsSync(path)) throw new Failure('failed', `The file ${path} already exists.`);
    syncToDisk(copy.file);
    copy.finish();
    return result;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, error.message.replaceAll(copy.file, path), error.detail);
  } finally {
    copy.remove();
  }
}

function createCopy(path: string) {
  try {
    checkUnused(path);
    makeFolder(dirname(path), 0o700);
    return createUnfinishedCopy(path);
  } catch (error) {
    throw createFileFailure('write', path, error);
  }
}

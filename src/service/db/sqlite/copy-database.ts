import { closeSync, openSync } from 'node:fs';
import { Failure } from '../../../contract/errors.ts';
import { describeDiskError } from '../../../files/disk-errors.ts';
import { loadSqlite, type Sqlite } from '../../../sqlite/engine.ts';
import { describeStorageError } from './errors.ts';
import { createUnfinishedCopy, syncToDisk } from './unfinished-copy.ts';

/**
 * Writes a copy of one state of a database, even if other processes write to it. The copy is readable by its owner only.
 * It is checked and then renamed into place. @throws {Failure} `storage` if it cannot be read or written
 */
export function copyDatabase(sqlite: Sqlite, from: string, to: string): void {
  try {
    const copy = createUnfinishedCopy(to);
    try {
      writeVacuumedCopy(sqlite, copy.file);
      syncToDisk(copy.file);
      checkIntegrity(copy.file);
      copy.finish();
    } finally {
      copy.remove();
    }
  } catch (error) {
    const reason = describeStorageError(error) ?? describeDiskError(error);
    throw new Failure('storage', `Cannot copy the workspace file ${from} to ${to}: ${reason}.`, {
      cause: error,
    });
  }
}

/** Writes one state of a database to a new file, readable by its owner only. @throws errors of SQLite or the disk */
export function writeVacuumedCopy(sqlite: Sqlite, path: string): void {
  closeSync(openSync(path, 'wx', 0o600)); // SQLite would make it readable by everybody
  sqlite.exec(`vacuum into '${path.replaceAll("'", "''")}'`);
}

function checkIntegrity(path: string): void {
  const sqlite = new (loadSqlite())(path, { readOnly: true });
  try {
    const [first] = sqlite.prepare('pragma integrity_check(1)').all() as { integrity_check: string }[];
    if (first?.integrity_check === 'ok') return;
    throw new Error(`the copy is damaged: ${first?.integrity_check}`);
  } finally {
    sqlite.close();
  }
}

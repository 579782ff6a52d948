import { closeSync, openSync, statSync } from 'node:fs';
import { Failure } from '../../../contract/errors.ts';
import { describeDiskError } from '../../../files/disk-errors.ts';
import { loadSqlite, type Sqlite } from '../../../sqlite/engine.ts';
import { describeStorageError } from './errors.ts';
import { openFile } from './open-file.ts';
import { checkUnused, createUnfinishedCopy, syncToDisk } from './unfinished-copy.ts';

/**
 * Copies one state of a workspace to a file, even while other programs read and write it. Returns its size in bytes.
 * @throws {Failure} `failed` if the file exists and is not to be replaced, `storage` if it cannot be written
 */
export function writeSnapshot(workspace: string, file: string, isReplacing: boolean) {
  const { sqlite } = openFile(workspace);
  try {
    checkTarget(workspace, file, isReplacing);
    copyDatabase(sqlite, workspace, file);
    return { file, workspace, size: statSync(file).size };
  } finally {
    sqlite.close();
  }
}

function checkTarget(workspace: string, file: string, isReplacing: boolean): void {
  const target = statSync(file, { throwIfNoEntry: false });
  const { dev, ino } = statSync(workspace);
  if (target?.dev === dev && target.ino === ino) {
    throw new Failure('usage', `The snapshot cannot replace the workspace file ${workspace} itself.`, {
      hint: 'Name another file.',
    });
  }
  if (target && !target.isFile())
    throw new Failure('failed', `Cannot write the snapshot ${file}: it is not a file.`);
  if (target && !isReplacing) {
    throw new Failure('failed', `The file ${file} already exists.`, { hint: 'Pass --force to replace it.' });
  }
  checkUnused(file);
}

/**
 * Writes a copy of one state of a database, even if other processes write to it. The copy is readable by its owner only.
 * It is checked and then renamed into place. @throws {Failure} `storage` if it cannot be read or written
 */
export function copyDatabase(sqlite: Sqlite, from: string, to: string): void {
  try {
    writeCopy(sqlite, to);
  } catch (error) {
    const reason = describeStorageError(error) ?? describeDiskError(error);
    throw new Failure('storage', `Cannot copy the workspace file ${from} to ${to}: ${reason}.`, {
      cause: error,
    });
  }
}

function writeCopy(sqlite: Sqlite, path: string): void {
  const copy = createUnfinishedCopy(path);
  try {
    copy.removeAbandoned();
    vacuumInto(sqlite, copy.file);
    syncToDisk(copy.file);
    checkIntegrity(copy.file);
    copy.finish();
  } finally {
    copy.remove();
  }
}

/** Writes one state of a database to a new file, readable by its owner only. @throws errors of SQLite or the disk */
export function vacuumInto(sqlite: Sqlite, path: string): void {
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

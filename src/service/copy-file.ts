import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { diskReason } from '../disk/on-disk.ts';
import { engine, type Sqlite } from './engine.ts';
import { storageReason } from './sqlite-errors.ts';

/** The path of a database that is open, and that of its copy. */
interface Paths {
  readonly from: string;
  readonly to: string;
}

/**
 * Writes a copy of a database: one state of it, whoever writes to it meanwhile. The copy is readable by its owner
 * only, and appears whole and checked, or not at all. Throws `storage` if it cannot be read or written.
 */
export function copyDatabase(sqlite: Sqlite, paths: Paths): void {
  try {
    writeCopy(sqlite, paths.to);
  } catch (error) {
    const reason = storageReason(error) ?? diskReason(error);
    throw new Failure('storage', `Cannot copy the workspace file ${paths.from} to ${paths.to}: ${reason}.`, {
      cause: error,
    });
  }
}

function writeCopy(sqlite: Sqlite, path: string): void {
  const folder = mkdtempSync(join(dirname(path), '.kith-'));
  try {
    const copy = join(folder, 'copy.sqlite');
    closeSync(openSync(copy, 'wx', 0o600)); // SQLite would create it for everybody to read
    sqlite.exec(`vacuum into ${quoted(copy)}`);
    syncToDisk(copy);
    checkIntegrity(copy);
    renameSync(copy, path);
    syncToDisk(dirname(path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A text as SQL writes it. */
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } catch {
    // Not every system can do so for a folder, or for a file that is only read.
  } finally {
    closeSync(file);
  }
}

function checkIntegrity(path: string): void {
  const sqlite = new (engine())(path, { readOnly: true });
  try {
    const [first] = sqlite.prepare('pragma integrity_check(1)').all() as { integrity_check: string }[];
    if (first?.integrity_check === 'ok') return;
    throw new Error(`the copy is damaged: ${first?.integrity_check}`);
  } finally {
    sqlite.close();
  }
}

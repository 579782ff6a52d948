import { closeSync, openSync, statSync } from 'node:fs';
import { Failure } from '../../../contract/errors.ts';
import { describeDiskError } from '../../../files/disk-errors.ts';
import { loadSqlite, type Sqlite } from '../../../sqlite/engine.ts';
import { describeStorageError } from './errors.ts';
import { openFile } from './open-file.ts';
import { checkUnused, createUnfinishedCopy, syncToDisk } from './unfinished-copy.ts';

/** Copies a large workspace in another thread, so that its progress can be shown and a signal can end it. */
export interface SnapshotThread {
  /** Runs `copyWorkspaceFile` in the thread. */
  readonly copy: (workspace: string, path: string) => Promise<void>;
  /** Receives the number of written bytes, and the approximate total. */
  readonly report: (done: number, total: number) => void;
  /** The size in bytes from which a workspace is large. If omitted, 32 MB. */
  readonly minSize?: number;
}

const defaultMinSize = 32_000_000;

/** Milliseconds between two reports. */
const reportInterval = 100;

/**
 * Copies one state of a workspace to a file, even while other programs read and write it. Returns its size in bytes.
 * @throws {Failure} `failed` if the file exists and is not to be replaced, `storage` if it cannot be written
 */
export async function writeSnapshot(
  workspace: string,
  file: string,
  isReplacing: boolean,
  thread?: SnapshotThread,
) {
  const { sqlite } = openFile(workspace);
  try {
    checkTarget(workspace, file, isReplacing);
    const { size } = statSync(workspace);
    if (thread && size >= (thread.minSize ?? defaultMinSize))
      await copyInThread(workspace, file, thread, size);
    else copyDatabase(sqlite, workspace, file);
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
    const copy = createUnfinishedCopy(to);
    try {
      writeCheckedCopy(sqlite, copy.file);
      copy.finish();
    } finally {
      copy.remove();
    }
  } catch (error) {
    throw createCopyFailure(from, to, error);
  }
}

async function copyInThread(from: string, to: string, thread: SnapshotThread, total: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const copy = createUnfinishedCopy(to);
    try {
      const report = () => thread.report(statSync(copy.file, { throwIfNoEntry: false })?.size ?? 0, total);
      timer = setInterval(report, reportInterval);
      await thread.copy(from, copy.file);
      copy.finish();
    } finally {
      clearInterval(timer);
      copy.remove();
    }
  } catch (error) {
    throw error instanceof Failure ? error : createCopyFailure(from, to, error);
  }
}

/**
 * Writes one state of a workspace file to a new file, and checks it. This is the slow part of a snapshot.
 * @throws {Failure} `storage` if it cannot be read or written
 */
export function copyWorkspaceFile(from: string, to: string): void {
  const { sqlite } = openFile(from);
  try {
    writeCheckedCopy(sqlite, to);
  } catch (error) {
    throw createCopyFailure(from, to, error);
  } finally {
    sqlite.close();
  }
}

function writeCheckedCopy(sqlite: Sqlite, path: string): void {
  writeVacuumedCopy(sqlite, path);
  syncToDisk(path);
  checkIntegrity(path);
}

function createCopyFailure(from: string, to: string, cause: unknown): Failure {
  const reason = describeStorageError(cause) ?? describeDiskError(cause);
  return new Failure('storage', `Cannot copy the workspace file ${from} to ${to}: ${reason}.`, { cause });
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

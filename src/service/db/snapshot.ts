import { statSync } from 'node:fs';
import { Failure } from '../../contract/errors.ts';
import { pathExists } from '../../files/read-file.ts';
import { lockTimeout } from './connection.ts';
import { copyDatabase } from './copy-file.ts';
import { openFile } from './open-file.ts';
import { readVersion } from './open-workspace.ts';

/** A copy of a workspace file. */
interface Snapshot {
  readonly file: string;
  readonly workspace: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Copies a workspace to a file, exactly as it is at one moment, while any program reads and writes it. Throws `failed`
 * if the file exists and is not to be replaced, or cannot be written.
 */
export function writeSnapshot(workspace: string, file: string, isReplacing: boolean): Snapshot {
  const { sqlite } = openFile(workspace);
  try {
    sqlite.exec(`pragma busy_timeout = ${lockTimeout}; pragma trusted_schema = off`);
    readVersion(sqlite, workspace);
    checkTarget(workspace, file, isReplacing);
    copyDatabase(sqlite, { from: workspace, to: file });
    return { file, workspace, size: statSync(file).size };
  } finally {
    sqlite.close();
  }
}

function checkTarget(workspace: string, file: string, isReplacing: boolean): void {
  const found = statSync(file, { throwIfNoEntry: false });
  const { dev, ino } = statSync(workspace);
  if (found?.dev === dev && found.ino === ino) {
    throw new Failure('usage', `The snapshot cannot replace the workspace file ${workspace} itself.`, {
      hint: 'Name another file.',
    });
  }
  if (found && !found.isFile())
    throw new Failure('failed', `Cannot write the snapshot ${file}: it is not a file.`);
  if (found && !isReplacing) {
    throw new Failure('failed', `The file ${file} already exists.`, { hint: 'Pass --force to replace it.' });
  }
  // SQLite would merge them into the snapshot when it is opened.
  const sidecar = ['-wal', '-shm', '-journal'].map((suffix) => file + suffix).find(pathExists);
  if (sidecar !== undefined) {
    throw new Failure('failed', `A program may be using ${file} as a database: ${sidecar} exists.`, {
      hint: 'Name another file.',
    });
  }
}

import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { temporarySuffix } from './atomic-write.ts';
import { accessFile, describeDiskError } from './disk-errors.ts';

/** A file that receives output. */
export interface OutputFile {
  /** @throws {Failure} failed if the file cannot be written */
  write(content: string | Uint8Array, encoding?: 'utf8' | 'latin1'): void;
  /** Makes the output the content of the file, by an atomic rename. @throws {Failure} failed if that is not possible */
  commit(): void;
  /** Leaves the file as it was; does nothing after a commit. */
  discard(): void;
}

/**
 * Opens a file for output as the redirection of a shell does, but an existing file stays as it is until the commit. It
 * keeps the links to it, and its mode but for the write permission of other users. `mode`: that of a new file. A pipe or a
 * device is written directly.
 * @throws {Failure} usage if the file cannot be written
 */
export function openOutputFile(path: string, pid: number, mode = 0o666): OutputFile {
  const { file, target, temporary } = openTarget(path, pid, mode);
  let isOpen = true;
  const close = () => {
    isOpen = false;
    closeSync(file);
  };
  return {
    write: (content, encoding) => accessFile('write', path, () => writeFileSync(file, content, encoding)),
    commit: () =>
      accessFile('write', path, () => {
        if (temporary !== undefined) fsyncSync(file);
        close();
        if (temporary !== undefined) renameSync(temporary, target);
      }),
    discard: () => {
      if (!isOpen) return;
      close();
      if (temporary !== undefined) rmSync(temporary, { force: true });
    },
  };
}

/** The bits that a mode may have: other users cannot write. */
const modeMask = 0o755;

/** Opens a file, or the temporary file that will replace it. */
function openTarget(path: string, pid: number, mode: number) {
  try {
    const existing = statSync(path, { throwIfNoEntry: false });
    if (existing && !existing.isFile()) return { file: openSync(path, 'w'), target: path };
    if (existing) accessSync(path, constants.W_OK);
    const target = existing ? realpathSync(path) : path;
    const temporary = join(dirname(target), `.${basename(target)}.${pid}${temporarySuffix}`);
    // In a shared folder such as /tmp, another user may have put a link or a file there.
    rmSync(temporary, { force: true });
    const file = openSync(temporary, 'wx', mode & modeMask);
    if (existing) copyMode(file, existing.mode);
    return { file, target, temporary };
  } catch (error) {
    throw new Failure('usage', `Cannot write ${path}: ${describeDiskError(error)}.`, { cause: error });
  }
}

function copyMode(file: number, mode: number): void {
  try {
    fchmodSync(file, mode & modeMask);
  } catch {
    // The file system, such as FAT, has no permissions.
  }
}

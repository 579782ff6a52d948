import { accessSync, chmodSync, constants, existsSync, fchmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getErrorCode } from '../contract/errors.ts';

/** Permissions of the files that a command writes, and of the folders that it creates. They have no effect on Windows. */
export interface Permissions {
  readonly file: number;
  readonly folder: number;
}

/** Returns the permissions of files and folders. Users who may read a file may also list its folder: 0640 gives 0750. */
export function toPermissions(file: number): Permissions {
  return { file, folder: file | ((file & 0o444) >> 2) };
}

/** Permissions that leave the choice to the umask. */
export const defaultPermissions: Permissions = { file: 0o666, folder: 0o777 };

/** Permissions of files and folders that only their owner may read. */
export const privatePermissions: Permissions = { file: 0o600, folder: 0o700 };

/** Sets the permissions of an open file or a folder regardless of the umask, if its file system supports them. */
export function setMode(target: number | string, mode: number): void {
  if (mode === defaultPermissions.file || mode === defaultPermissions.folder) return;
  try {
    if (typeof target === 'number') fchmodSync(target, mode);
    else chmodSync(target, mode);
  } catch {
    // The file system, such as FAT, has no permissions.
  }
}

/**
 * Creates a folder and its missing parents, all with the same mode. Node's own `recursive` never returns if the system
 * refuses to create a folder, as in /proc.
 */
export function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, mode);
    setMode(path, mode);
  } catch (error) {
    if (!isFolder(path)) throw error; // another process may have created it
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whether a folder can be written, or created in its nearest existing parent. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    return getErrorCode(error) === 'ENOENT' && dirname(folder) !== folder && isWritable(dirname(folder));
  }
}

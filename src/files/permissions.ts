import { chmodSync, fchmodSync } from 'node:fs';

/** Permissions of the files that a command writes, and of the folders that it creates. They have no effect on Windows. */
export interface Permissions {
  readonly file: number;
  readonly folder: number;
}

/** Whoever may read a file may also list its folder: 0640 gives folders 0750. */
export function toPermissions(file: number): Permissions {
  return { file, folder: file | ((file & 0o444) >> 2) };
}

/** Permissions that leave the choice to the umask. */
export const defaultPermissions: Permissions = { file: 0o666, folder: 0o777 };

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

import { readFileSync, statSync } from 'node:fs';

/** The code of an error that no system has: something else than a file or folder is in the place of a file. */
export const notFile = 'ENOTFILE';

/**
 * What a file holds. Throws what the disk says, and `ENOTFILE` for a pipe or a device: reading that may never end.
 */
export function bytesOf(path: string): Buffer {
  checkPlain(path);
  return readFileSync(path);
}

/** Throws `ENOTFILE` where something else than a file or folder is; the disk tells of folders itself. */
export function checkPlain(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || found.isFile() || found.isDirectory()) return;
  throw Object.assign(new Error('it is a pipe or a device, not a file'), {
    code: notFile,
    syscall: 'open',
    path,
  });
}

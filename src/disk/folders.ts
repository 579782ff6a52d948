import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../contract/errors.ts';

/**
 * Makes a folder with those above it that are not there, all of one mode. Node's own `recursive` never ends where
 * the system denies that it is there.
 */
export async function madeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await madeIn(path, mode);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await madeFolder(dirname(path), mode);
    await madeIn(path, mode);
  }
}

/** Makes a folder in one that is there. */
async function madeIn(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getErrorCode } from '../values/error-code.ts';

/** Whether a folder can be written, or made in the nearest one that is there. */
export async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    return getErrorCode(error) === 'ENOENT' && dirname(folder) !== folder && isWritable(dirname(folder));
  }
}

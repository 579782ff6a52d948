import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a folder with those above it. Node's own `recursive` never ends where the system denies that it is there. */
export async function madeFolder(path: string): Promise<void> {
  try {
    await madeIn(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws no other
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await madeFolder(dirname(path));
    await madeIn(path);
  }
}

/** Makes a folder in one that is there. */
async function madeIn(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws no other
    if (code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

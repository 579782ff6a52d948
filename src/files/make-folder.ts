import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getErrorCode } from '../values/error-code.ts';
import { setMode } from './permissions.ts';

/**
 * Makes a folder with those above it that are not there, all of one mode. Node's own `recursive` never ends where
 * the system denies that a folder is there, as in /proc.
 */
export function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  try {
    makeIn(path, mode);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path), mode);
    makeIn(path, mode);
  }
}

/** Makes a folder in one that is there. */
function makeIn(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
    setMode(path, mode);
  } catch (error) {
    if (!isFolder(path)) throw error; // another process may have made it
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

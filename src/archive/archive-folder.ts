import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { orderedNouns } from '../contract/singular-nouns.ts';
import { renameFile, syncFolder } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { requireReplaceable } from '../files/durable-file.ts';
import { toRecordFile } from './archive-nouns.ts';
import { manifestFormat, manifestName } from './manifest.ts';

/** The folder of the state that a backup is writing. The rename of its manifest makes this state the current one. */
export const nextName = '.next';

export const olderName = 'older';

/** The journal of an unfinished backup. */
export const progressName = 'progress.ndjson';

export const lockName = '.kith-backup.lock';

const recordFiles = orderedNouns.map(toRecordFile);

export const stateFiles = [manifestName, ...recordFiles];

/**
 * Returns the path of a file of the current state. If a backup was killed after it made its state the current one, some
 * files are still in the folder of the next state.
 */
export function resolveStateFile(folder: string, name: string): string {
  const next = join(folder, nextName);
  const isCurrent = existsSync(join(next, manifestName));
  return isCurrent && existsSync(join(next, name)) ? join(next, name) : join(folder, name);
}

/**
 * Moves the files of a complete next state into the folder, the manifest last.
 * @throws {Failure} failed if a newer version of kith wrote the state, which may have files that this version does not know
 */
export async function rollForward(folder: string): Promise<void> {
  const next = join(folder, nextName);
  if (!existsSync(join(next, manifestName))) return;
  requireReplaceable(manifestFormat, join(next, manifestName));
  for (const name of recordFiles)
    if (existsSync(join(next, name))) renameFile(join(next, name), join(folder, name));
  await syncFolder(folder);
  renameFile(join(next, manifestName), join(folder, manifestName));
  await syncFolder(folder);
  removeFolder(next);
}

/** Removes a folder and its files, but follows no link. */
export function removeFolder(folder: string): void {
  accessFile('write', folder, () => rmSync(folder, { recursive: true, force: true }));
}

/** Returns the names of the subfolders of a folder, sorted; empty if the folder does not exist. */
export function listFolders(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const entries = accessFile('read', folder, () => readdirSync(folder, { withFileTypes: true }));
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

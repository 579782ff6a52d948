import { copyFileSync, existsSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import { renameFile, syncFolder } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { readDocument } from '../../files/durable-file.ts';
import { makeFolder } from '../../files/permissions.ts';
import type { Archive } from '../archive.ts';
import { listFolders, olderName, removeFolder, stateFiles } from '../archive-folder.ts';
import { manifestFormat, manifestName } from '../manifest.ts';

/** An older state that was not complete when the backup was killed. */
const draftName = '.next';

/** Adds the current state to the older ones, under the time when it was completed: `20261128T030000Z`. */
export async function keepOlderState({ folder, manifest }: Archive): Promise<void> {
  const older = join(folder, olderName);
  const name = manifest.completed_at.replace(/[-:]|\.\d+/g, '');
  const isSame = (path: string) =>
    readDocument(manifestFormat, join(path, manifestName))?.completed_at === manifest.completed_at;
  let path = join(older, name);
  for (let count = 2; existsSync(path) && !isSame(path); count += 1) path = join(older, `${name}-${count}`);
  if (existsSync(path)) return;
  const draft = join(older, draftName);
  removeFolder(draft);
  accessFile('write', path, () => {
    makeFolder(draft, 0o700);
    for (const file of stateFiles) linkOrCopy(join(folder, file), join(draft, file));
  });
  await syncFolder(draft);
  renameFile(draft, path);
  await syncFolder(older);
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to); // a file system such as FAT has no links
  }
}

/** Removes all older states except the newest ones, and returns their names. If `keep` is undefined, removes no state. */
export function pruneOlderStates(folder: string, keep: number | undefined): string[] {
  const older = join(folder, olderName);
  const names = listFolders(older).filter((name) => /^\d{8}T\d{6}Z(-\d+)?$/.test(name));
  if (keep === undefined) return names;
  const keptNames = names.slice(Math.max(0, names.length - keep));
  for (const name of names.slice(0, names.length - keptNames.length)) removeFolder(join(older, name));
  return keptNames;
}

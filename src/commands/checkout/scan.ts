import { type Dirent, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { ExportFolder } from '../../export/folder.ts';
import { temporarySuffix } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { topFolders } from './folders.ts';
import { stateFolder } from './state.ts';

/** The deepest folder that can contain a file of a working copy: `organizations/NAME/notes`. */
const maxDepth = 3;

const isRecordFile = (entry: Dirent) =>
  entry.isFile() && /\.(ya?ml|md)$/i.test(entry.name) && !entry.name.endsWith(temporarySuffix);

/** The folders that could be read, with the number of their files, and the links in place of folders or files. */
export interface ScannedFolders {
  readonly folders: Map<string, number>;
  readonly links: Set<string>;
}

/**
 * Yields the paths of the files in the folders of a working copy, in NFC. Ignores hidden files, links, and files that are
 * neither YAML nor Markdown, such as the backup of an editor. Adds names that differ on the disk to `folder`.
 */
export function* scanFiles(
  folder: ExportFolder,
  scanned: ScannedFolders,
  path = '',
  depth = 0,
): Generator<string> {
  const isOwn = (name: string) =>
    path === '' ? topFolders.some((top) => top === name) : !name.startsWith('.');
  const entries = readEntries(folder.resolve(path)).filter(({ name }) => isOwn(name));
  const names = new Set(entries.map(({ name }) => name));
  scanned.folders.set(path, entries.filter(isRecordFile).length);
  for (const entry of entries) {
    const normalized = entry.name.normalize('NFC');
    // On a file system that tells the two forms apart, both may exist.
    const isKnown = names.has(normalized);
    const name = posix.join(path, isKnown ? entry.name : normalized);
    if (!isKnown) folder.diskNames.set(name, entry.name);
    if (entry.isSymbolicLink()) scanned.links.add(name);
    else if (isRecordFile(entry)) yield name;
    else if (entry.isDirectory() && depth <= maxDepth) yield* scanFiles(folder, scanned, name, depth + 1);
  }
}

/** Yields the paths of all YAML and Markdown files in and next to the folders of a working copy, with their names on the disk. */
export function* scanEverywhere(root: string, prefix = ''): Generator<string> {
  for (const entry of readEntries(join(root, prefix))) {
    if (isRecordFile(entry)) yield prefix + entry.name;
    else if (entry.isDirectory() && ![stateFolder, '.git'].includes(entry.name))
      yield* scanEverywhere(root, `${prefix}${entry.name}/`);
  }
}

const readEntries = (path: string): Dirent[] =>
  accessFile('read', path, () => readdirSync(path, { withFileTypes: true }));

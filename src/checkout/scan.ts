import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporarySuffix } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { topFolders } from './folders.ts';

/** The deepest folder that can contain a file of a working copy: `organizations/NAME/notes`. */
const maxDepth = 3;

/**
 * Yields the paths of the files in the folders of a working copy. Ignores hidden files, links, and files that are neither
 * YAML nor Markdown, such as the backup of an editor.
 */
export function* scanFiles(root: string): Generator<string> {
  for (const folder of topFolders) yield* scanFolder(root, folder, 1);
}

function* scanFolder(root: string, folder: string, depth: number): Generator<string> {
  const path = join(root, folder);
  const entries = accessFile('read', path, () => {
    try {
      return readdirSync(path, { withFileTypes: true });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  });
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || entry.name.endsWith(temporarySuffix)) continue;
    if (entry.isDirectory() && depth < maxDepth + 1) yield* scanFolder(root, name, depth + 1);
    else if (entry.isFile() && /\.(ya?ml|md)$/i.test(entry.name)) yield name;
  }
}

import { createHash } from 'node:crypto';
import { existsSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { renameFile, syncFolder, temporarySuffix, writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile, createFileFailure, isPathFailure } from '../files/disk-errors.ts';
import { defaultPermissions, makeFolder, type Permissions } from '../files/permissions.ts';
import { readFileIfExists } from '../files/read-file.ts';
import { normalizeLineEnds } from '../values/text.ts';

/** An export folder. The names of its files are relative to it. */
export class ExportFolder {
  readonly path: string;
  readonly permissions: Permissions;
  /** The names on the disk of files and folders, by their paths in NFC. Another system may have renamed them to NFD. */
  readonly diskNames = new Map<string, string>();
  readonly #changedFolders = new Set<string>();

  constructor(path: string, permissions = defaultPermissions) {
    this.path = path;
    this.permissions = permissions;
  }

  /** Returns the path of a file or folder on the disk. */
  resolve(name: string): string {
    if (this.diskNames.size === 0 || name === '.') return join(this.path, name);
    return join(this.resolve(posix.dirname(name)), this.diskNames.get(name) ?? posix.basename(name));
  }

  /** Returns the hash of a file; undefined if it does not exist. */
  hash(name: string): string | undefined {
    const path = this.resolve(name);
    const bytes = accessFile('read', path, () => readFileIfExists(path));
    return bytes && hashContent(bytes);
  }

  /** Returns the text of a file; undefined if it does not exist. */
  read(name: string): string | undefined {
    const path = this.resolve(name);
    return accessFile('read', path, () => readFileIfExists(path))?.toString('utf8');
  }

  /** Returns when a file was last changed or renamed, in milliseconds since 1970; undefined if it does not exist. */
  readChangeTime(name: string): number | undefined {
    // A program that copies files can set back mtime, but not ctime.
    return statSync(this.resolve(name), { throwIfNoEntry: false })?.ctimeMs;
  }

  has(name: string): boolean {
    const path = this.resolve(name);
    return existsSync(path) && !statSync(path).isDirectory();
  }

  write(name: string, text: string): Promise<void> {
    const { file, folder } = this.permissions;
    const path = this.resolve(name);
    this.#changedFolders.add(dirname(path));
    return writeFileAtomically(path, [text], file, folder);
  }

  /** Renames a file, creates its new subfolder, and removes its old one if it is empty. */
  move(from: string, to: string): void {
    const path = this.resolve(to);
    // In one tick, because another meeting may remove the empty subfolder.
    accessFile('write', dirname(path), () => makeFolder(dirname(path), this.permissions.folder));
    renameFile(this.resolve(from), path);
    this.#changedFolders.add(dirname(path));
    if (dirname(from) !== dirname(to)) this.removeEmptyParent(from);
  }

  /** Removes a file, and its subfolder if that is empty. */
  remove(name: string): void {
    const path = this.resolve(name);
    accessFile('write', path, () => rmSync(path, { force: true }));
    this.removeEmptyParent(name);
  }

  /** Removes the subfolder of a file if it is empty. */
  removeEmptyParent(name: string): void {
    if (dirname(name) === '.') return;
    try {
      rmdirSync(dirname(this.resolve(name)));
    } catch {
      // The folder is not empty.
    }
  }

  /** Flushes the names of new files to the disk. */
  async sync(): Promise<void> {
    await Promise.all(Array.from(this.#changedFolders, syncFolder));
  }

  /** Removes the temporary files of a killed run from the folder and its readable subfolders. There may be a million. */
  async removeTemporaryFiles(subfolder = ''): Promise<void> {
    const path = join(this.path, subfolder);
    try {
      for await (const entry of await opendir(path, { bufferSize: 1000 })) {
        const name = posix.join(subfolder, entry.name);
        if (!entry.isDirectory() && name.endsWith(temporarySuffix)) this.remove(name);
        else if (entry.isDirectory() && subfolder === '') await this.removeTemporaryFiles(name);
      }
    } catch (error) {
      const failure = createFileFailure('read', path, error);
      // An unreadable subfolder may not be ours.
      if (subfolder === '' || !isPathFailure(failure)) throw failure;
    }
  }
}

/** Returns the hash by which the content of a file is recognized, whatever its line endings. */
export function hashContent(content: string | Uint8Array): string {
  const hasReturn = typeof content === 'string' ? content.includes('\r') : content.includes(13);
  // As Latin-1, bytes that are not UTF-8 stay as they are.
  const normalize = () => Buffer.from(normalizeLineEnds(Buffer.from(content).toString('latin1')), 'latin1');
  return createHash('sha256')
    .update(hasReturn ? normalize() : content)
    .digest('base64url');
}

import { chmod, readdir, readlink, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Conf from 'conf';
import { Failure } from '../contract/errors.ts';
import { syncFolder, writeFileAtomically } from '../files/atomic-write.ts';
import { type LockHolder, withLock } from '../files/lock.ts';
import { makeFolder } from '../files/permissions.ts';
import { nameDamagedFile } from '../files/read-file.ts';
import type { SettingsWriter } from './settings.ts';
import { DamagedSettings, isDamaged, readStoredSettings, type StoredSettings } from './stored.ts';

/** The settings file. */
interface SettingsFile {
  readonly path: string;
  /** Whether the folder is only for kith. */
  readonly ownsFolder: boolean;
}

/** Time to wait for another process, in milliseconds. */
const lockTimeout = 10_000;

/** Changes the settings. @throws {Failure} busy, {DamagedSettings}, or an error of the file system. */
export function writeSettings(
  file: SettingsFile,
  writer: SettingsWriter,
  edit: (stored: StoredSettings) => void,
): Promise<void> {
  return lockSettings(file, writer, async () => {
    const stored = readStoredSettings(file.path);
    edit(stored);
    // A symbolic link stays one, even if its target does not exist yet.
    const target = await realpath(file.path).catch(() => readTarget(file.path));
    await rename(await writeTemporary(target, stored), target);
    await syncFolder(dirname(target));
  });
}

async function readTarget(path: string): Promise<string> {
  const target = await readlink(path).catch(() => path);
  return resolve(dirname(path), target);
}

/**
 * Writes settings with conf to a temporary file beside `target`, and returns its path. On a full disk conf reports no
 * error and leaves half a file, so the temporary file is read back before it replaces the settings.
 */
async function writeTemporary(target: string, stored: StoredSettings): Promise<string> {
  const folder = dirname(target);
  const [name, extension] = ['.config', 'kith-tmp'];
  const path = join(folder, `${name}.${extension}`);
  // Killed processes may have left this file, and the one that conf writes first.
  for (const file of await readdir(folder))
    if (file.startsWith(basename(path))) await rm(join(folder, file), { force: true });
  const noSpace = new Failure('failed', `Cannot use the settings in ${target}: no space left on the disk.`);
  try {
    new Conf<StoredSettings>({
      cwd: folder,
      configName: name,
      fileExtension: extension,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    }).store = stored;
    if (!isDeepStrictEqual(readStoredSettings(path), stored)) throw noSpace;
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw error instanceof DamagedSettings ? noSpace : error;
  }
}

/** Renames a damaged settings file and returns its new path; undefined if another process has done so meanwhile. */
export function moveDamagedSettings(file: SettingsFile, writer: SettingsWriter): Promise<string | undefined> {
  return lockSettings(file, writer, async () => {
    if (!isDamaged(file.path)) return undefined;
    const newPath = nameDamagedFile(file.path, writer.now());
    await chmod(file.path, 0o600); // it may hold keys
    await rename(file.path, newPath);
    await syncFolder(dirname(file.path));
    return newPath;
  });
}

/** Writes the cache of list names. @throws {Failure} busy if another process is writing it. */
export async function writeListCache(path: string, holder: LockHolder, text: () => string): Promise<void> {
  const lock = { path: `${path}.lock`, work: `is writing ${path}` };
  await withLock(lock, holder, () => writeFileAtomically(path, [text()], 0o600));
}

/** Works while no other process writes settings. Creates the folder if it is missing. */
async function lockSettings<T>(
  { path, ownsFolder }: SettingsFile,
  writer: SettingsWriter,
  work: () => Promise<T>,
): Promise<T> {
  const folder = dirname(path);
  makeFolder(folder, 0o700);
  if (ownsFolder) await chmod(folder, 0o700);
  const lock = { path: `${path}.lock`, work: `is changing the settings in ${path}` };
  return withLock(lock, writer, work, lockTimeout);
}

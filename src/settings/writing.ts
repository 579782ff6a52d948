import { chmod, readdir, readlink, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Conf from 'conf';
import { Failure } from '../contract/errors.ts';
import { syncFolder, writeFileAtomically } from '../files/atomic-write.ts';
import { type LockHolder, waitForLock, withLock } from '../files/lock.ts';
import { makeFolder } from '../files/permissions.ts';
import { nameDamagedFile } from '../files/read-file.ts';
import {
  DamagedSettings,
  isDamaged,
  readStoredSettings,
  type SettingsWriter,
  type StoredSettings,
} from './settings.ts';

/** Where settings are. */
interface SettingsFile {
  readonly path: string;
  /** The folder is ours alone. */
  readonly isOwn: boolean;
}

/** Milliseconds that another run may take; one writes in a few. */
const patience = 10_000;

/** Writes a change of the settings. Throws `busy`, `Damaged`, or what the disk says. */
export function writeSettings(
  place: SettingsFile,
  writer: SettingsWriter,
  edit: (stored: StoredSettings) => void,
): Promise<void> {
  return whileOurs(place, writer, async () => {
    const stored = readStoredSettings(place.path);
    edit(stored);
    // A link to a file that is kept elsewhere stays one.
    const file = await realpath(place.path).catch(() => linked(place.path));
    await rename(await drafted(file, stored), file);
    await syncFolder(dirname(file));
  });
}

/** Where a link leads, though nothing is there yet; a path that is no link is itself. */
async function linked(path: string): Promise<string> {
  const to = await readlink(path).catch(() => path);
  return resolve(dirname(path), to);
}

/**
 * Settings in conf storage, beside the file that they are for: on a full disk conf puts half of what it has to write
 * in its place and says nothing, so it is read again before it counts.
 */
async function drafted(file: string, stored: StoredSettings): Promise<string> {
  const [name, ending] = ['.config', 'kith-tmp'];
  const path = join(dirname(file), `${name}.${ending}`);
  await removeDrafts(path);
  try {
    new Conf<StoredSettings>({
      cwd: dirname(file),
      configName: name,
      fileExtension: ending,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    }).store = stored;
    if (!isDeepStrictEqual(readStoredSettings(path), stored)) throw noSpace(file);
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw error instanceof DamagedSettings ? noSpace(file) : error;
  }
}

/** Removes what runs that were killed have left: a draft, and what conf writes it in first. */
async function removeDrafts(path: string): Promise<void> {
  const folder = dirname(path);
  const names = (await readdir(folder)).filter((name) => name.startsWith(basename(path)));
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
}

/** A limit on the size of files cuts what is written as a full disk does. */
function noSpace(file: string): Failure {
  return new Failure('failed', `Cannot use the settings in ${file}: there is no space left.`);
}

/** Gives a damaged file another name; undefined if another run has done so meanwhile. */
export function moveDamagedSettings(
  place: SettingsFile,
  writer: SettingsWriter,
): Promise<string | undefined> {
  return whileOurs(place, writer, async () => {
    if (!isDamaged(place.path)) return undefined;
    const aside = nameDamagedFile(place.path, writer.now());
    await chmod(place.path, 0o600); // keys may be in it
    await rename(place.path, aside);
    await syncFolder(dirname(place.path));
    return aside;
  });
}

/** Writes what lists are called. Throws `busy` where another run does so. */
export async function writeListCache(path: string, holder: LockHolder, text: () => string): Promise<void> {
  const lock = { path: `${path}.lock`, work: `is writing ${path}` };
  await withLock(lock, holder, () => writeFileAtomically(path, [Buffer.from(text())], 0o600));
}

/** Works while no other run writes settings, in a folder that is there. */
async function whileOurs<T>(
  { path, isOwn }: SettingsFile,
  writer: SettingsWriter,
  work: () => Promise<T>,
): Promise<T> {
  const folder = dirname(path);
  makeFolder(folder, 0o700);
  if (isOwn) await chmod(folder, 0o700);
  const lock = { path: `${path}.lock`, work: `is changing the settings in ${path}` };
  return waitForLock(lock, writer, patience, work);
}

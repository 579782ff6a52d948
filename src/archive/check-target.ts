import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, relative, resolve } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { accessFile } from '../files/disk-errors.ts';
import { readDocument } from '../files/durable-file.ts';
import { isWritable } from '../files/permissions.ts';
import { compareWorkspace, type WorkspaceIdentity } from '../files/workspace-identity.ts';
import { readArchiveManifest } from './archive-file.ts';
import { nextName, olderName, resolveStateFile } from './archive-folder.ts';
import { type Manifest, manifestFormat, manifestName } from './manifest.ts';

interface BackupTarget {
  readonly workspace: WorkspaceIdentity;
  /** Whether to write to the target in spite of its other contents. */
  readonly force: boolean;
}

/**
 * Checks that a folder may become, or is, the archive of a workspace.
 * @throws {Failure} usage if a backup would mix with other files, or replace the archive of another workspace
 */
export function checkArchiveFolder(
  folder: string,
  { workspace, force, home }: BackupTarget & { readonly home: string },
): void {
  const path = resolve(folder);
  checkNotInside(path);
  const stats = accessFile('write', path, () => statSync(path, { throwIfNoEntry: false }));
  if (force || !stats?.isDirectory()) return;
  const real = realpathSync(path);
  const otherUse =
    describeOtherUse(real, home) ??
    (existsSync(join(real, '.git')) ? 'the root of a Git repository' : undefined);
  if (otherUse)
    throw new Failure('usage', `A backup needs its own folder, but ${folder} is ${otherUse}.`, {
      hint: `Use a subfolder: kith workspace backup ${join(folder, 'kith-backup')}`,
    });
  const manifest = readDocument(manifestFormat, resolveStateFile(path, manifestName));
  if (manifest) checkManifest(manifest, folder, workspace);
  else checkNames(path, folder);
}

/** Describes the use of a folder that must not become an archive or a working copy; undefined if it has no other use. */
export function describeOtherUse(real: string, home: string): string | undefined {
  if (real === parse(real).root) return 'the root of the file system';
  return existsSync(home) && real === realpathSync(home) ? 'your home folder' : undefined;
}

/** Later backups remove the folders that an archive has for its states. */
function checkNotInside(path: string): void {
  for (let folder = path; dirname(folder) !== folder; folder = dirname(folder)) {
    const parent = dirname(folder);
    if (![nextName, olderName].includes(basename(folder))) continue;
    if (!existsSync(resolveStateFile(parent, manifestName)) && basename(folder) !== nextName) continue;
    throw new Failure('usage', `${path} is inside the archive ${parent}. Later backups remove this folder.`, {
      hint: 'Pass a folder outside of the archive.',
    });
  }
}

/**
 * Checks a folder without a manifest. Its files are not from a backup, even if they have the names of an archive's files.
 * Allows hidden files, such as .DS_Store. `.next` is the folder of an interrupted backup.
 */
function checkNames(path: string, folder: string): void {
  const names = accessFile('read', path, () => readdirSync(path));
  const otherName = names.find((name) => !name.startsWith('.') && name !== olderName);
  if (otherName === undefined) return;
  throw new Failure('usage', `${folder} is not empty and not an archive: it has ${otherName}.`, {
    hint: 'Pass another folder, or --force to write the archive next to the other files.',
  });
}

/** @throws {Failure} usage if an archive is, or may be, of another workspace */
function checkManifest(manifest: Manifest, place: string, workspace: WorkspaceIdentity): void {
  const comparison = compareWorkspace(manifest, workspace);
  if (comparison === 'same') return;
  const isOtherKey = comparison === 'other_key';
  const problem = isOtherKey
    ? `${place} was backed up with another key, which may belong to another workspace.`
    : `${place} is the archive of another workspace: ${manifest.workspace}.`;
  throw new Failure('usage', problem, {
    hint: isOtherKey
      ? 'Pass --force if both keys belong to the same workspace, or pass another folder.'
      : 'Pass another folder, or --force to replace the archive.',
  });
}

/**
 * Checks that a backup may write a .tar.gz file.
 * @throws {Failure} usage if it would replace another file, or be inside the archive folder
 */
export async function checkArchiveFile(
  file: string,
  { workspace, force, folder }: BackupTarget & { readonly folder: string | undefined },
): Promise<void> {
  const parent = dirname(file);
  if (!isWritable(parent) || !existsSync(parent)) {
    const problem = existsSync(parent) ? 'permission denied' : 'the folder does not exist';
    throw new Failure('usage', `--archive: cannot write ${file}: ${problem}.`);
  }
  if (folder !== undefined && !relative(folder, file).startsWith('..'))
    throw new Failure('usage', `--archive: ${file} is inside the archive folder.`, {
      hint: 'Pass a file outside of DIR.',
    });
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || force) return;
  const manifest = stats.isFile() ? await readArchiveManifest(file) : undefined;
  if (!manifest)
    throw new Failure('usage', `--archive: ${file} exists and is not a kith archive.`, {
      hint: 'Pass another file, or --force to replace it.',
    });
  checkManifest(manifest, file, workspace);
}

import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Archive } from '../../archive/archive.ts';
import { createArchiveReader } from '../../archive/archive-reader.ts';
import type { Session } from '../../cli/command/context.ts';
import { findSearchIndex } from '../../cli/connect/search-index.ts';
import { Failure } from '../../contract/errors.ts';
import type { DroppedValues } from '../../contract/workspace.ts';
import { renameFile, syncFolder } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { replaceDocument } from '../../files/durable-file.ts';
import { makeFolder } from '../../files/permissions.ts';
import { type MirrorFiles, type MirrorState, mirrorFormat, readMirrorState } from '../../settings/mirror.ts';
import { backUpTo, restoreArchive } from './place.ts';

/** Updates the archive, then the workspace file if the archive has changed, then the search index. */
export async function pullWorkspace(session: Session, files: MirrorFiles) {
  // Before any file is removed: the copy of a newer version may have files that this version does not know.
  const before = readMirrorState(files);
  accessFile('write', files.folder, () => {
    makeFolder(files.folder, 0o700);
    removeUnfinishedFiles(files);
  });
  session.references.names.collectAll();
  await backUpTo(session, files.archive);
  const archive = Archive.open(files.archive);
  try {
    const { manifest } = archive;
    const { version: kith_version } = session.runtime;
    const sums = Object.fromEntries(
      Object.entries(manifest.files).map(([noun, { sha256 }]) => [noun, sha256]),
    );
    // Another version of kith may write another workspace file.
    const isChanged =
      before?.kith_version !== kith_version || JSON.stringify(before.sums) !== JSON.stringify(sums);
    const dropped = isChanged ? await replaceDatabase(session, archive, files) : [];
    const state: MirrorState = {
      kith_mirror: 1,
      kith_version,
      sums,
      bytes: statSync(files.database).size,
      read_at: manifest.started_at,
    };
    await replaceDocument(mirrorFormat, files.state, state, 2);
    await updateIndex(session, archive);
    return { manifest, isChanged, dropped };
  } finally {
    archive.close();
  }
}

/** Milliseconds to wait for another run that updates the search index. */
const indexTimeout = 60_000;

/** Updates the search index. The copy is complete without it. */
async function updateIndex(session: Session, archive: Archive): Promise<void> {
  const index = await findSearchIndex(session);
  try {
    await index.refresh({ timeout: indexTimeout, reader: createArchiveReader(archive) });
  } catch (error) {
    if (!(error instanceof Failure) || !['busy', 'failed', 'storage'].includes(error.code)) throw error;
    await session.messages.warn(`The search index was not updated: ${error.message}`);
  }
}

/** Writes a new workspace file and renames it into place. A program that has the earlier file open keeps reading it. */
async function replaceDatabase(
  session: Session,
  archive: Archive,
  files: MirrorFiles,
): Promise<readonly DroppedValues[]> {
  const next = `${files.database}.next`;
  const { dropped } = await restoreArchive(session, archive, next);
  renameFile(next, files.database);
  await syncFolder(files.folder);
  return dropped;
}

/** Removes the files of a killed run. */
function removeUnfinishedFiles({ folder, ...files }: MirrorFiles): void {
  const known = new Set(Object.values(files).map((path) => basename(path)));
  for (const name of readdirSync(folder))
    if (!known.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

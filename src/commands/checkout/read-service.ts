import { Archive } from '../../archive/archive.ts';
import type { Session } from '../../cli/command/context.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { Failure } from '../../contract/errors.ts';
import { createUnreadFailure } from '../workspace/backup.ts';
import { backUpTo } from '../workspace/place.ts';
import { findLocalChanges } from './local-changes.ts';
import { createFileFailure, LocalFiles } from './local-files.ts';
import type { TopFolder } from './places.ts';
import type { EditedRecord } from './push/read-edited.ts';
import { readChanges } from './read-changes.ts';
import { readDefinitions } from './record-files.ts';
import { readReferenceWords } from './reference-words.ts';
import { toKey } from './state-format.ts';
import { FolderUpdate, type UpdateResult } from './update-folder.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Reads all records of the workspace in use to the archive of a working copy, and passes it to `work`. */
export async function withCurrentArchive<T>(
  session: Session,
  { archiveFolder }: WorkingCopy,
  work: (archive: Archive) => Promise<T>,
): Promise<T> {
  await backUpTo(session, archiveFolder);
  const archive = Archive.open(archiveFolder);
  try {
    return await work(archive);
  } finally {
    archive.close();
  }
}

/** Passes the archive that the last checkout read to `work`; undefined if it did not read any. */
export async function withLastArchive<T>(
  { archiveFolder }: WorkingCopy,
  work: (archive: Archive | undefined) => Promise<T>,
): Promise<T> {
  let archive: Archive | undefined;
  try {
    archive = Archive.open(archiveFolder);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
  }
  return work(archive).finally(() => archive?.close());
}

/** Brings the files of a working copy up to date with the service. @throws {Failure} usage if a folder is missing */
export function updateWorkingCopy(
  session: Session,
  copy: WorkingCopy,
  { only, overwrite }: { readonly only: readonly TopFolder[]; readonly overwrite: boolean },
): Promise<UpdateResult & { readonly failure: Failure | undefined }> {
  const { folder, state } = copy;
  const { signal } = session;
  return withCurrentArchive(session, copy, async (archive) => {
    await folder.removeTemporaryFiles();
    const files = await LocalFiles.scan(folder, state, signal);
    const edited = new Map<string, EditedRecord>();
    if (!overwrite) {
      const local = await findLocalChanges(copy, files, signal);
      // A new file would create a missing folder.
      if (local.missingFolders.length > 0)
        throw createFileFailure(local.missingFolders, 'No file was written');
      const changes = await readChanges(session, copy, local, readDefinitions(archive));
      for (const record of changes.edited) edited.set(toKey(record.entry), record);
    }
    const words = await readReferenceWords(archive, signal);
    const definitions = readDefinitions(archive);
    const { files: counts, unread } = archive.manifest;
    const total = Object.values(counts).reduce((sum, { records }) => sum + records, 0);
    const result = await withProgress(session, (update) =>
      new FolderUpdate({
        ...{ archive, folder, state, files, edited, definitions, words, only, overwrite, signal },
        onProgress: (done) => update({ verb: 'Writing files', done, total, unit: 'file' }),
      }).run(),
    );
    const hint = 'The files of these records did not change. The next checkout requests the records again.';
    return { ...result, failure: createUnreadFailure(unread, hint) };
  });
}

import { Failure } from '../contract/errors.ts';
import { flattenFiles, resolveFiles } from './file-plan.ts';
import type { ExportFolder } from './folder.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerMeeting, WrittenFile } from './ledger-format.ts';

/** The number of files that were deleted: of meetings deleted upstream, and unused files of other meetings. */
export type PrunedFiles = ReturnType<typeof prune>;

/** The share of a folder's files that may be deleted without confirmation. More looks like a mistake. */
const maxUnconfirmedShare = 0.1;

/**
 * Deletes the files of meetings no longer on the service, and unused files. Keeps edited files.
 * @throws {Failure} failed if that is more than a tenth of all files, unless `isConfirmed`; then nothing is deleted
 */
export function prune(folder: ExportFolder, ledger: Ledger, isConfirmed: boolean) {
  if (!isConfirmed) checkShare(folder, ledger);
  const pruned = { files: 0, meetings: 0, unused: 0 };
  for (const meeting of ledger.meetings()) {
    const { left = [], files, gone, ...rest } = resolveDeleted(folder, meeting);
    if (!gone && left.length === 0) continue;
    const own = gone ? deleteFiles(folder, files) : { count: 0, kept: files };
    const unused = deleteFiles(folder, left);
    const count = own.count + unused.count;
    if (gone) pruned.files += count;
    else pruned.unused += count;
    if (gone && count > 0) pruned.meetings += 1;
    const keptUnused = unused.kept.length > 0 && { left: unused.kept };
    const remaining = { ...rest, files: own.kept, ...(gone && { gone }), ...keptUnused };
    ledger.save(gone && own.kept.length === 0 ? { forgotten: meeting.id } : { meeting: remaining });
  }
  return pruned;
}

function checkShare(folder: ExportFolder, ledger: Ledger): void {
  let all = 0;
  let deletable = 0;
  for (const meeting of ledger.meetings()) {
    const { left = [], files, gone } = resolveDeleted(folder, meeting);
    all += flattenFiles([...files, ...left]).length;
    const states = inspectFiles(folder, gone ? [...files, ...left] : left);
    deletable += states.filter(({ state }) => state === 'unedited').length;
  }
  if (deletable <= maxUnconfirmedShare * all) return;
  throw new Failure('failed', `--prune would delete ${deletable} of ${all} files; nothing was deleted.`, {
    hint: 'To delete them anyway, also pass --yes.',
  });
}

/** A later run completes the files of an interrupted meeting, unless the meeting was deleted upstream. */
const resolveDeleted = (folder: ExportFolder, meeting: LedgerMeeting) =>
  meeting.gone ? resolveFiles(folder, meeting) : meeting;

/** Deletes files and the new texts next to them. `kept` are the edited ones. */
function deleteFiles(folder: ExportFolder, files: readonly WrittenFile[]) {
  const inspected = inspectFiles(folder, files);
  for (const { file, state } of inspected) {
    // Even if the file is missing, a killed run may have left its folder empty.
    if (state !== 'edited') folder.remove(file.name);
  }
  return {
    count: inspected.filter(({ state }) => state === 'unedited').length,
    kept: inspected.filter(({ state }) => state === 'edited').map(({ file }) => file),
  };
}

/** Returns the state of files and of the new texts next to them. */
function inspectFiles(folder: ExportFolder, files: readonly WrittenFile[]) {
  return files.flatMap((written) =>
    flattenFiles([written]).map((file) => {
      const hash = folder.hash(file.name);
      // Someone may have moved the new text over the file.
      const isUnedited = hash === written.hash || hash === written.beside?.hash;
      return { file, state: hash === undefined ? 'missing' : isUnedited ? 'unedited' : 'edited' };
    }),
  );
}

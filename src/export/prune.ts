import { Failure } from '../contract/errors.ts';
import { createOwnershipCheck, listAllFiles } from './file-plan.ts';
import type { ExportFolder } from './folder.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerMeeting } from './ledger-format.ts';

/** The number of files that were deleted: of meetings deleted upstream, and unused files of other meetings. */
export type PrunedFiles = ReturnType<typeof prune>;

/** The share of a folder's files that may be deleted without confirmation. More looks like a mistake. */
const maxUnconfirmedShare = 0.1;

/**
 * Deletes the files of meetings no longer on the service, and unused files. Keeps edited files.
 * @throws {Failure} failed, without deletions, if the files are more than a tenth of all files and `isConfirmed` is
 * false
 */
export function prune(folder: ExportFolder, ledger: Ledger, isConfirmed: boolean) {
  if (!isConfirmed) checkShare(folder, ledger);
  const pruned = { files: 0, meetings: 0, unused: 0 };
  for (const meeting of ledger.listMeetings()) {
    const { isDeleted, unusedFiles } = meeting;
    if (!isDeleted && unusedFiles.length === 0) continue;
    const { own, edited, missing } = sortUnusedFiles(folder, meeting);
    // Even if a file is missing, a killed run may have left its folder empty.
    for (const name of [...own, ...missing]) folder.remove(name);
    const remainingFiles = listAllFiles(meeting).filter(({ name }) => edited.includes(name));
    if (isDeleted) {
      pruned.files += own.length;
      if (own.length > 0) pruned.meetings += 1;
      const remainingMeeting = { ...meeting, files: remainingFiles, plannedFiles: [], unusedFiles: [] };
      ledger.save(remainingFiles.length === 0 ? { forgotten: meeting.id } : { meeting: remainingMeeting });
    } else {
      pruned.unused += own.length;
      ledger.save({ meeting: { ...meeting, unusedFiles: remainingFiles } });
    }
  }
  return pruned;
}

function checkShare(folder: ExportFolder, ledger: Ledger): void {
  let all = 0;
  let deletable = 0;
  for (const meeting of ledger.listMeetings()) {
    all += new Set(listAllFiles(meeting).map(({ name }) => name)).size;
    deletable += sortUnusedFiles(folder, meeting).own.length;
  }
  if (deletable <= maxUnconfirmedShare * all) return;
  throw new Failure('failed', `--prune would delete ${deletable} of ${all} files; nothing was deleted.`, {
    hint: 'To delete them anyway, also pass --yes.',
  });
}

/** Sorts the files that a meeting no longer needs. A deleted meeting needs none of its files. */
function sortUnusedFiles(folder: ExportFolder, meeting: LedgerMeeting) {
  const isOwn = createOwnershipCheck(meeting);
  const files = meeting.isDeleted ? listAllFiles(meeting) : meeting.unusedFiles;
  const names: Record<'own' | 'edited' | 'missing', string[]> = { own: [], edited: [], missing: [] };
  for (const name of new Set(files.map(({ name }) => name))) {
    const hash = folder.hash(name);
    names[hash === undefined ? 'missing' : isOwn(hash) ? 'own' : 'edited'].push(name);
  }
  return names;
}

import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { resolveFiles } from './file-plan.ts';
import { hashFile, removeFile } from './folder.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerMeeting, WrittenFile } from './ledger-format.ts';

/** The number of files that were deleted. */
export interface PrunedFiles {
  /** Files of meetings that were deleted upstream, and the number of these meetings. */
  readonly files: number;
  readonly meetings: number;
  /** Files of other meetings that the current options no longer produce. */
  readonly unused: number;
}

/** The share of a folder's files that may be deleted without confirmation. More looks like a mistake. */
const maxUnconfirmedShare = 0.1;

/**
 * Deletes the files of meetings no longer on the service, and unused files. Keeps edited files.
 * @throws {Failure} failed if that is more than a tenth of all files, unless `isConfirmed`; then nothing is deleted
 */
export async function prune(folder: string, ledger: Ledger, isConfirmed: boolean): Promise<PrunedFiles> {
  if (!isConfirmed) await checkShare(folder, ledger);
  const pruned = { files: 0, meetings: 0, unused: 0 };
  for (const meeting of ledger.meetings()) {
    const { left = [], files, gone, ...rest } = await resolveDeleted(folder, meeting);
    if (!gone && left.length === 0) continue;
    const own = gone ? await deleteFiles(folder, files) : { count: 0, kept: files };
    const unused = await deleteFiles(folder, left);
    const count = own.count + unused.count;
    if (gone) pruned.files += count;
    else pruned.unused += count;
    if (gone && count > 0) pruned.meetings += 1;
    if (gone && own.kept.length === 0) ledger.save({ forgotten: meeting.id });
    else {
      const keptUnused = unused.kept.length > 0 && { left: unused.kept };
      ledger.save({ meeting: { ...rest, files: own.kept, ...(gone && { gone }), ...keptUnused } });
    }
  }
  return pruned;
}

async function checkShare(folder: string, ledger: Ledger): Promise<void> {
  let all = 0;
  let deletable = 0;
  for (const meeting of ledger.meetings()) {
    const { left = [], files, gone } = await resolveDeleted(folder, meeting);
    for (const { beside } of [...files, ...left]) all += beside ? 2 : 1;
    for await (const { state } of inspectFiles(folder, gone ? [...files, ...left] : left)) {
      if (state === 'unedited') deletable += 1;
    }
  }
  if (deletable <= maxUnconfirmedShare * all) return;
  throw new Failure('failed', `--prune would delete ${deletable} of ${all} files; nothing was deleted.`, {
    hint: 'To delete them anyway, also pass --yes.',
  });
}

/** A later run completes the files of an interrupted meeting, unless the meeting was deleted upstream. */
const resolveDeleted = async (folder: string, meeting: LedgerMeeting) =>
  meeting.gone ? resolveFiles(folder, meeting) : meeting;

/** Deletes files and the new texts next to them. `kept` are the edited ones. */
async function deleteFiles(
  folder: string,
  files: readonly WrittenFile[],
): Promise<{ count: number; kept: readonly WrittenFile[] }> {
  const kept: WrittenFile[] = [];
  let count = 0;
  for await (const { file, state } of inspectFiles(folder, files)) {
    // Even if the file is missing, a killed run may have left its folder empty.
    if (state !== 'edited') await removeFile(join(folder, file.name), folder);
    if (state === 'edited') kept.push(file);
    if (state === 'unedited') count += 1;
  }
  return { count, kept };
}

interface InspectedFile {
  readonly file: WrittenFile;
  readonly state: 'unedited' | 'edited' | 'missing';
}

/** Yields the state of files and of the new texts next to them. */
async function* inspectFiles(folder: string, files: readonly WrittenFile[]): AsyncGenerator<InspectedFile> {
  for (const { beside, ...file } of files) {
    // Somebody may have moved the new text over the file.
    const hashes = [file.hash, beside?.hash];
    for (const written of beside ? [file, beside] : [file]) {
      const hash = await hashFile(join(folder, written.name));
      const state = hash === undefined ? 'missing' : hashes.includes(hash) ? 'unedited' : 'edited';
      yield { file: written, state };
    }
  }
}

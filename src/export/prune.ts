import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { catchFileFailure } from '../files/disk-errors.ts';
import { type Fields, plain } from '../render/fields.ts';
import type { EventList } from './event-list.ts';
import { resolveFiles } from './file-plan.ts';
import { hashBytes, hashFile, readBytes, removeFile } from './folder.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerMeeting, LedgerRecording, WrittenFile } from './ledger-format.ts';
import { findSuffix, type MeetingFile, type MeetingFiles } from './meeting-files.ts';
import { hasUnavailableRecording, isInterrupted, listRecordings } from './meeting-state.ts';

/** Whether a file of a meeting is not where it was written. */
export function hasMissingFile(folder: string, { files }: LedgerMeeting): boolean {
  return files.some(({ name }) => !existsSync(join(folder, name)));
}

/**
 * The files of a meeting that is as the service has it, from here: another layout takes no more. Undefined where one
 * is not as it was written, or a recording may have come back.
 */
export async function readExportedFiles(
  folder: string,
  event: Fields,
  known: LedgerMeeting,
): Promise<MeetingFiles | undefined> {
  if (hasUnavailableRecording(known, event)) return undefined;
  const files: MeetingFile[] = [];
  for (const { name, hash } of known.files) {
    const bytes = await catchFileFailure(() => readBytes(join(folder, name)));
    if (!bytes || bytes instanceof Failure || hashBytes(bytes) !== hash) return undefined;
    files.push({ suffix: findSuffix(name), bytes });
  }
  const times = new Map(known.recordings.map(({ id, updated_at }) => [id, updated_at]));
  const recordings = listRecordings(event).map(({ id, status }) => ({
    id: plain(id),
    status: plain(status),
    updated_at: times.get(plain(id)) ?? null,
  }));
  return { files, recordings, skipped: [], versions: [] };
}

/** How meetings are looked for that a list did not hold. */
export interface UnlistedQuery {
  readonly folder: string;
  /** Days for which a recording is waited for. */
  readonly settle: number;
  readonly now: Date;
  /** The list was that of all meetings, read to its end: what it did not hold may be gone. */
  readonly isAll: boolean;
}

/** The meetings that the list of a run did not hold, and that are to be asked for all the same. */
export function* findUnlisted(
  { meetings }: Ledger,
  seen: EventList['ids'],
  { folder, settle, now, isAll }: UnlistedQuery,
): Generator<LedgerMeeting> {
  for (const meeting of meetings.entries((id) => !seen.has(id))) {
    if (meeting.gone) continue;
    const isWaiting = meeting.recordings.some((recording) => isPending(recording, settle, now));
    const isOpen = isAll || isWaiting || meeting.failed !== undefined || isInterrupted(meeting);
    if (isOpen || hasMissingFile(folder, meeting)) yield meeting;
  }
}

const day = 86_400_000;

/** Whether a recording is not done and still waited for. */
export function isPending(recording: LedgerRecording, settle: number, now: Date): boolean {
  return recording.state === 'pending' && !isLate(recording, settle, now);
}

/** Whether a recording was not done for too long. */
export function isLate({ state, since }: LedgerRecording, settle: number, now: Date): boolean {
  return state === 'pending' && now.getTime() - Date.parse(since ?? '') > settle * day;
}

/** The share of a folder's files that may be removed without confirmation: more looks like a mistake. */
const smallPart = 0.1;

/**
 * Removes the files of meetings no longer on the service, and files of no meeting. Keeps edited files.
 * @throws {Failure} failed if that is more than a tenth of all files, unless `isConfirmed`; then nothing is removed
 */
export async function prune(folder: string, ledger: Ledger, isConfirmed: boolean): Promise<void> {
  if (!isConfirmed) await checkShare(folder, ledger);
  for (const meeting of ledger.meetings.entries()) {
    const { left = [], files, gone, ...kept } = meeting.gone ? await resolveFiles(folder, meeting) : meeting;
    if (!gone && left.length === 0) continue;
    const stays = gone ? await deleteFiles(folder, files) : files;
    const leftStays = await deleteFiles(folder, left);
    if (gone && stays.length === 0) await ledger.removeMeeting(meeting.id);
    else {
      const rest = leftStays.length > 0 && { left: leftStays };
      await ledger.saveMeeting({ ...kept, files: stays, ...(gone && { gone }), ...rest });
    }
  }
}

async function checkShare(folder: string, { meetings }: Ledger): Promise<void> {
  let all = 0;
  let removable = 0;
  for (const meeting of meetings.entries()) {
    const { left = [], files, gone } = meeting.gone ? await resolveFiles(folder, meeting) : meeting;
    for (const { beside } of [...files, ...left]) all += beside ? 2 : 1;
    for await (const { state } of inspectFiles(folder, gone ? [...files, ...left] : left)) {
      if (state === 'unedited') removable += 1;
    }
  }
  if (removable <= smallPart * all) return;
  throw new Failure('failed', `--prune would delete ${removable} of ${all} files; nothing was deleted.`, {
    hint: 'To delete them anyway, also pass --yes.',
  });
}

/** Removes files and the texts beside them. Keeps and returns the edited ones. */
async function deleteFiles(folder: string, files: readonly WrittenFile[]): Promise<WrittenFile[]> {
  const stayed: WrittenFile[] = [];
  for await (const { file, state } of inspectFiles(folder, files)) {
    // Even if the file is missing, a killed run may have left its folder empty.
    if (state === 'edited') stayed.push(file);
    else await removeFile(join(folder, file.name), folder);
  }
  return stayed;
}

interface InspectedFile {
  readonly file: WrittenFile;
  readonly state: 'unedited' | 'edited' | 'missing';
}

/** Returns the state of files and of the texts beside them. */
async function* inspectFiles(folder: string, files: readonly WrittenFile[]): AsyncGenerator<InspectedFile> {
  for (const { beside, ...file } of files) {
    // Somebody may have moved the text beside the file over it.
    const hashes = [file.hash, beside?.hash];
    for (const written of beside ? [file, beside] : [file]) {
      const hash = await hashFile(join(folder, written.name));
      const state = hash === undefined ? 'missing' : hashes.includes(hash) ? 'unedited' : 'edited';
      yield { file: written, state };
    }
  }
}

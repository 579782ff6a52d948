import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { unlessOwn } from '../files/disk-errors.ts';
import { type Fields, plain } from '../render/fields.ts';
import { bytesAt, hashAt, hashOf, removed } from './folder.ts';
import { hasGone, isBegun, recordingsIn } from './kept.ts';
import type { Ledger } from './ledger.ts';
import type { KeptMeeting, KeptRecording, Written } from './ledger-lines.ts';
import type { List } from './list.ts';
import { resolveFiles } from './place.ts';
import { endOf, type FilesOf, type MeetingFile } from './texts.ts';

/** Whether a file of a meeting is not where it was written. */
export function isMissing(folder: string, { files }: KeptMeeting): boolean {
  return files.some(({ name }) => !existsSync(join(folder, name)));
}

/**
 * The files of a meeting that is as the service has it, from here: another layout takes no more. Undefined where one
 * is not as it was written, or a recording may have come back.
 */
export async function filesHere(
  folder: string,
  event: Fields,
  known: KeptMeeting,
): Promise<FilesOf | undefined> {
  if (hasGone(known, event)) return undefined;
  const files: MeetingFile[] = [];
  for (const { name, hash } of known.files) {
    const bytes = await unlessOwn(() => bytesAt(join(folder, name)));
    if (!bytes || bytes instanceof Failure || hashOf(bytes) !== hash) return undefined;
    files.push({ end: endOf(name), bytes });
  }
  const times = new Map(known.recordings.map(({ id, updated_at }) => [id, updated_at]));
  const recordings = recordingsIn(event).map(({ id, status }) => ({
    id: plain(id),
    status: plain(status),
    updated_at: times.get(plain(id)) ?? null,
  }));
  return { files, recordings, refused: [], versions: [] };
}

/** How meetings are looked for that a list did not hold. */
export interface Looking {
  readonly folder: string;
  /** Days for which a recording is waited for. */
  readonly settle: number;
  readonly now: Date;
  /** The list was that of all meetings, read to its end: what it did not hold may be gone. */
  readonly isAll: boolean;
}

/** The meetings that the list of a run did not hold, and that are to be asked for all the same. */
export function* unlisted(
  { meetings }: Ledger,
  seen: List['seen'],
  { folder, settle, now, isAll }: Looking,
): Generator<KeptMeeting> {
  for (const meeting of meetings.all((id) => !seen.has(id))) {
    if (meeting.gone) continue;
    const isPending = meeting.recordings.some((recording) => isWaited(recording, settle, now));
    const isOpen = isAll || isPending || meeting.failed !== undefined || isBegun(meeting);
    if (isOpen || isMissing(folder, meeting)) yield meeting;
  }
}

const day = 86_400_000;

/** Whether a recording is not done and still waited for. */
export function isWaited(recording: KeptRecording, settle: number, now: Date): boolean {
  return recording.state === 'pending' && !isLate(recording, settle, now);
}

/** Whether a recording was not done for too long. */
export function isLate({ state, since }: KeptRecording, settle: number, now: Date): boolean {
  return state === 'pending' && now.getTime() - Date.parse(since ?? '') > settle * day;
}

/** The share of a folder's files that may be removed without confirmation: more looks like a mistake. */
const smallPart = 0.1;

/**
 * Removes the files of meetings no longer on the service, and files of no meeting. Keeps edited files.
 * @throws {Failure} failed if that is more than a tenth of all files, unless `isConfirmed`; then nothing is removed
 */
export async function prune(folder: string, ledger: Ledger, isConfirmed: boolean): Promise<void> {
  if (!isConfirmed) await checkPart(folder, ledger);
  for (const meeting of ledger.meetings.all()) {
    const { left = [], files, gone, ...kept } = meeting.gone ? await resolveFiles(folder, meeting) : meeting;
    if (!gone && left.length === 0) continue;
    const stays = gone ? await pruned(folder, files) : files;
    const leftStays = await pruned(folder, left);
    if (gone && stays.length === 0) await ledger.forget(meeting.id);
    else {
      const rest = leftStays.length > 0 && { left: leftStays };
      await ledger.keep({ ...kept, files: stays, ...(gone && { gone }), ...rest });
    }
  }
}

async function checkPart(folder: string, { meetings }: Ledger): Promise<void> {
  let all = 0;
  let removable = 0;
  for (const meeting of meetings.all()) {
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
async function pruned(folder: string, files: readonly Written[]): Promise<Written[]> {
  const stayed: Written[] = [];
  for await (const { file, state } of inspectFiles(folder, files)) {
    // Even if the file is missing, a killed run may have left its folder empty.
    if (state === 'edited') stayed.push(file);
    else await removed(join(folder, file.name), folder);
  }
  return stayed;
}

interface InspectedFile {
  readonly file: Written;
  readonly state: 'unedited' | 'edited' | 'missing';
}

/** Returns the state of files and of the texts beside them. */
async function* inspectFiles(folder: string, files: readonly Written[]): AsyncGenerator<InspectedFile> {
  for (const { beside, ...file } of files) {
    // Somebody may have moved the text beside the file over it.
    const hashes = [file.hash, beside?.hash];
    for (const written of beside ? [file, beside] : [file]) {
      const hash = await hashAt(join(folder, written.name));
      const state = hash === undefined ? 'missing' : hashes.includes(hash) ? 'unedited' : 'edited';
      yield { file: written, state };
    }
  }
}

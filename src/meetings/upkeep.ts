import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { hashAt, removed } from './folder.ts';
import type { KeptFile, KeptMeeting, KeptRecording, Ledger } from './ledger.ts';

/** Whether a file of a meeting is not where it was written. */
export async function isMissing(folder: string, { files }: KeptMeeting): Promise<boolean> {
  for (const { name } of files) {
    const isThere = await access(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (!isThere) return true;
  }
  return false;
}

/** The meetings that the list of a run did not hold, and that are to be asked for all the same. */
export async function unlisted(
  ledger: Ledger,
  seen: ReadonlySet<string>,
  { folder, settle, now, isListed }: Looking,
): Promise<KeptMeeting[]> {
  const open: KeptMeeting[] = [];
  for (const meeting of ledger.meetings.values()) {
    if (seen.has(meeting.id) || meeting.gone) continue;
    const isPending = meeting.recordings.some((recording) => isWaited(recording, settle, now));
    const isOpen = isListed || isPending || meeting.failed !== undefined;
    if (isOpen || (await isMissing(folder, meeting))) open.push(meeting);
  }
  return open;
}

interface Looking {
  readonly folder: string;
  /** Days for which a recording is waited for. */
  readonly settle: number;
  readonly now: Date;
  /** The run read the whole list: what it did not hold may be gone. */
  readonly isListed: boolean;
}

const day = 86_400_000;

/** Whether a recording is not done and still waited for. */
export function isWaited({ state, since }: KeptRecording, settle: number, now: Date): boolean {
  return state === 'pending' && !isLate({ state, since }, settle, now);
}

/** Whether a recording was not done for too long. */
export function isLate(
  { state, since }: Pick<KeptRecording, 'state'> & { readonly since?: string | undefined },
  settle: number,
  now: Date,
): boolean {
  return state === 'pending' && since !== undefined && now.getTime() - Date.parse(since) > settle * day;
}

/** A meeting that the service has no more; its files stay. */
export function goneNow(meeting: KeptMeeting): KeptMeeting {
  const recordings = meeting.recordings.map((recording) => ({ ...recording, state: 'gone' as const }));
  const { failed: _, ...rest } = meeting;
  return { ...rest, recordings, gone: true };
}

/** Removes the files of meetings that are gone, and those that other options made; none that a person edited. */
export async function prune(folder: string, ledger: Ledger): Promise<void> {
  for (const meeting of ledger.meetings.values()) {
    const { left, ...kept } = meeting;
    if (left) await ledger.keep({ ...kept, ...leftOf(await pruned(folder, left)) });
    if (!meeting.gone) continue;
    const files = await pruned(folder, meeting.files);
    if (files.length === 0) ledger.meetings.delete(meeting.id);
  }
}

const leftOf = (left: readonly KeptFile[]) => (left.length > 0 ? { left } : {});

/** Removes files; gives those that a person edited, which stay. */
async function pruned(folder: string, files: readonly KeptFile[]): Promise<KeptFile[]> {
  const stayed: KeptFile[] = [];
  for (const file of files) {
    const there = await hashAt(join(folder, file.name));
    if (there === file.hash) await removed(join(folder, file.name), folder);
    else if (there !== undefined) stayed.push(file);
  }
  return stayed;
}

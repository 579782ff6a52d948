import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import { TextSet } from '../dense/text-set.ts';
import type { WorkspaceAccess } from '../files/workspace-identity.ts';
import { fieldsOf, plain } from '../render/fields.ts';
import { quoteShellWord } from '../values/text.ts';
import { inspectFile } from './file-plan.ts';
import { filterKey, type LedgerReader, readLedger } from './ledger.ts';
import type { ExportFilter, LedgerMeeting, LedgerRecording } from './ledger-format.ts';
import { isInterrupted, isUpToDate } from './meeting-state.ts';
import { checkOwner } from './ownership.ts';
import { isLate, isPending } from './prune.ts';

/** A meeting, or a recording of it, that is not as it should be. */
interface StatusItem {
  readonly id: string;
  readonly title: string;
  readonly reason?: string;
}

/** How a folder stands by its ledger. */
export interface FolderStatus {
  /** Meetings that are exported. */
  readonly exported: number;
  /** Recordings that are waited for. */
  readonly pending: readonly StatusItem[];
  /** Recordings that are waited for no more. */
  readonly late: readonly StatusItem[];
  /** Meetings that could not be exported, or not to the end. */
  readonly failed: readonly StatusItem[];
  /** Meetings that the service has no more. */
  readonly gone: number;
  /** Files that are not as they were written. */
  readonly edited: readonly string[];
  /** Files that are not there; a run brings them back. */
  readonly missing: readonly string[];
}

/** How a folder stands, without the service: files are compared with what was written. Throws `not_found`. */
export function readFolderStatus(folder: string, settle: number, now: Date): Promise<FolderStatus> {
  return withLedger(folder, (known) => collectStatus(known, folder, settle, now));
}

/** How a folder stands against the service. */
export interface Verification extends FolderStatus {
  /** Meetings that have changed since they were exported. */
  readonly changed: readonly StatusItem[];
  /** Meetings that were never exported. */
  readonly new: readonly StatusItem[];
  /** Meetings with files here that the service does not list. */
  readonly unlisted: readonly StatusItem[];
}

/**
 * Compares a folder with what the service lists of the meetings that are exported to it; no recording is asked
 * for. Throws `not_found`, and `usage` for the folder of another workspace.
 */
export function verifyFolder(
  client: Client,
  workspace: WorkspaceAccess,
  folder: string,
  settle: number,
  now: Date,
): Promise<Verification> {
  return withLedger(folder, async (known) => {
    checkOwner(known, folder, workspace);
    const compared = await compareWithService(client, known);
    return { ...(await collectStatus(known, folder, settle, now)), ...compared };
  });
}

async function compareWithService(
  client: Client,
  known: LedgerReader,
): Promise<Pick<Verification, 'changed' | 'new' | 'unlisted'>> {
  const changed = new Map<string, StatusItem>();
  const added = new Map<string, StatusItem>();
  const seen = new TextSet();
  for (const filter of listFilters(known)) {
    for await (const { records } of client.pages(calendarEvents.list, filter)) {
      for (const { value } of records) {
        const event = fieldsOf(value);
        const { id, title } = event;
        const told = { id: plain(id), title: plain(title) };
        const kept = known.meetings.get(told.id);
        seen.add(told.id);
        if (!kept) added.set(told.id, told);
        else if (!kept.failed && !isUpToDate(kept, event, kept.made)) changed.set(told.id, told);
      }
    }
  }
  const unlisted: StatusItem[] = [];
  for (const meeting of known.meetings.entries((id) => !seen.has(id))) {
    if (!meeting.gone) unlisted.push(toStatusItem(meeting));
  }
  return { changed: [...changed.values()], new: [...added.values()], unlisted };
}

/** What the folder was exported with: all meetings, or those that passed one filter or another. */
function listFilters({ watermarks }: LedgerReader): ExportFilter[] {
  const isAll = watermarks.size === 0 || watermarks.has(filterKey({}));
  return isAll ? [{}] : [...watermarks.values()].map(({ filter }) => filter);
}

async function withLedger<T>(folder: string, work: (known: LedgerReader) => Promise<T>): Promise<T> {
  const known = await readLedger(folder);
  if (!known) {
    throw new Failure('not_found', `Nothing was exported to ${folder}.`, {
      hint: `kith events export --out ${quoteShellWord(folder)}`,
    });
  }
  try {
    return await work(known);
  } finally {
    known.close();
  }
}

async function collectStatus(
  { meetings }: LedgerReader,
  folder: string,
  settle: number,
  now: Date,
): Promise<FolderStatus> {
  let exported = 0;
  let gone = 0;
  const pending: StatusItem[] = [];
  const late: StatusItem[] = [];
  const failed: StatusItem[] = [];
  const edited: string[] = [];
  const missing: string[] = [];
  for (const meeting of meetings.entries()) {
    for (const kept of meeting.files) {
      const { file, there } = await inspectFile(folder, kept);
      if (there !== undefined && there !== file.hash) edited.push(file.name);
      // Nothing would bring back the file of a meeting that is gone.
      if (there === undefined && !meeting.gone) missing.push(file.name);
    }
    if (meeting.gone) {
      gone += 1;
      continue;
    }
    if (!meeting.failed && !isInterrupted(meeting)) exported += 1;
    pending.push(...listUnfinished(meeting, (recording) => isPending(recording, settle, now)));
    late.push(...listUnfinished(meeting, (recording) => isLate(recording, settle, now)));
    failed.push(...listFailures(meeting));
  }
  return { exported, pending, late, failed, gone, edited, missing };
}

function listFailures(meeting: LedgerMeeting): StatusItem[] {
  const reason =
    meeting.failed ?? (isInterrupted(meeting) ? 'a run was killed in the middle of it' : undefined);
  return reason === undefined ? [] : [{ ...toStatusItem(meeting), reason }];
}

const toStatusItem = ({ id, title }: LedgerMeeting): StatusItem => ({ id, title });

/** The recordings of a meeting that are not done, and of which something else is so. */
function listUnfinished(
  { title, recordings }: LedgerMeeting,
  is: (recording: LedgerRecording) => boolean,
): StatusItem[] {
  return recordings.filter(is).map(({ id, since }) => ({ id, title, reason: `not done since ${since}` }));
}

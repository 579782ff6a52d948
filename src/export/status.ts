import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import type { WorkspaceAccess } from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import { inspectFile } from './file-plan.ts';
import { filterKey, type Ledger, readLedger } from './ledger.ts';
import type { ExportFilter, LedgerMeeting, LedgerRecording } from './ledger-format.ts';
import { isInterrupted, isLate, isPending, isUpToDate } from './meeting-state.ts';
import { checkOwner } from './ownership.ts';

/** A meeting or a recording that needs attention. `id` is its own id, `title` that of the meeting. */
interface StatusItem {
  readonly id: string;
  readonly title: string;
  readonly reason?: string;
}

/** The status of an export folder. */
export interface FolderStatus {
  /** Exported meetings. */
  readonly exported: number;
  /** Unfinished recordings that later runs check again. */
  readonly pending: readonly StatusItem[];
  /** Unfinished recordings that runs no longer check. */
  readonly late: readonly StatusItem[];
  /** Meetings whose export failed or was interrupted. */
  readonly failed: readonly StatusItem[];
  /** Meetings that were deleted upstream. */
  readonly deleted_upstream: number;
  /** Files that were changed since they were written. */
  readonly edited: readonly string[];
  /** Missing files. The next run writes them again. */
  readonly missing: readonly string[];
}

/**
 * Reads the status of a folder, without the service.
 * @throws {Failure} not_found if nothing was exported to the folder
 */
export function readFolderStatus(folder: string, settle: number, now: Date): Promise<FolderStatus> {
  return useLedger(folder, (ledger) => collectStatus(ledger, folder, settle, now));
}

/** The status of an export folder, and its differences from the service. */
export interface Verification extends FolderStatus {
  /** Meetings that have changed since they were exported. */
  readonly changed: readonly StatusItem[];
  /** Meetings that were never exported. */
  readonly new: readonly StatusItem[];
  /** Exported meetings that the service does not list. */
  readonly unlisted: readonly StatusItem[];
}

/**
 * Compares a folder with the meetings that the service lists. Downloads no recordings.
 * @throws {Failure} not_found if nothing was exported to the folder
 * @throws {Failure} usage if the folder belongs to another workspace
 */
export function verifyFolder(
  client: Client,
  workspace: WorkspaceAccess,
  folder: string,
  settle: number,
  now: Date,
): Promise<Verification> {
  return useLedger(folder, async (ledger) => {
    checkOwner(ledger, folder, workspace);
    const compared = await compareWithService(client, ledger);
    return { ...(await collectStatus(ledger, folder, settle, now)), ...compared };
  });
}

async function compareWithService(
  client: Client,
  ledger: Ledger,
): Promise<Pick<Verification, 'changed' | 'new' | 'unlisted'>> {
  const changed = new Map<string, StatusItem>();
  const added = new Map<string, StatusItem>();
  const listedIds = new Set<string>();
  for (const filter of listFilters(ledger)) {
    for await (const { records } of client.pages(calendarEvents.list, filter)) {
      for (const { value } of records) {
        const item = { id: value.id ?? '', title: value.title ?? '' };
        const exported = ledger.getMeeting(item.id);
        listedIds.add(item.id);
        if (!exported) added.set(item.id, item);
        else if (!exported.failed && !isUpToDate(exported, value, exported.made)) changed.set(item.id, item);
      }
    }
  }
  const unlisted: StatusItem[] = [];
  for (const meeting of ledger.meetings((id) => !listedIds.has(id))) {
    if (!meeting.gone) unlisted.push(toStatusItem(meeting));
  }
  return { changed: [...changed.values()], new: [...added.values()], unlisted };
}

/** Returns the filters of the folder's exports. */
function listFilters({ watermarks }: Ledger): ExportFilter[] {
  const isAll = watermarks.size === 0 || watermarks.has(filterKey({}));
  return isAll ? [{}] : [...watermarks.values()].map(({ filter }) => filter);
}

async function useLedger<T>(folder: string, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await readLedger(folder);
  if (!ledger) {
    throw new Failure('not_found', `Nothing was exported to ${folder}.`, {
      hint: `kith events export --out ${quoteShellWord(folder)}`,
    });
  }
  try {
    return await work(ledger);
  } finally {
    ledger.close();
  }
}

async function collectStatus(
  ledger: Ledger,
  folder: string,
  settle: number,
  now: Date,
): Promise<FolderStatus> {
  let exported = 0;
  let deleted = 0;
  const pending: StatusItem[] = [];
  const late: StatusItem[] = [];
  const failed: StatusItem[] = [];
  const edited: string[] = [];
  const missing: string[] = [];
  for (const meeting of ledger.meetings()) {
    for (const written of meeting.files) {
      const { file, hash } = await inspectFile(folder, written);
      if (hash !== undefined && hash !== file.hash) edited.push(file.name);
      // No run writes the files of a deleted meeting again.
      if (hash === undefined && !meeting.gone) missing.push(file.name);
    }
    if (meeting.gone) {
      deleted += 1;
      continue;
    }
    if (!meeting.failed && !isInterrupted(meeting)) exported += 1;
    pending.push(...listUnfinished(meeting, (recording) => isPending(recording, settle, now)));
    late.push(...listUnfinished(meeting, (recording) => isLate(recording, settle, now)));
    failed.push(...listFailures(meeting));
  }
  return { exported, pending, late, failed, deleted_upstream: deleted, edited, missing };
}

function listFailures(meeting: LedgerMeeting): StatusItem[] {
  const reason =
    meeting.failed ??
    (isInterrupted(meeting) ? 'a run was interrupted while it exported this meeting' : undefined);
  return reason === undefined ? [] : [{ ...toStatusItem(meeting), reason }];
}

const toStatusItem = ({ id, title }: LedgerMeeting): StatusItem => ({ id, title });

/** Returns the recordings of a meeting for which a condition holds. */
function listUnfinished(
  { title, recordings }: LedgerMeeting,
  isSelected: (recording: LedgerRecording) => boolean,
): StatusItem[] {
  return recordings
    .filter(isSelected)
    .map(({ id, since }) => ({ id, title, reason: `not done since ${since}` }));
}

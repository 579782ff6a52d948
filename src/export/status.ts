import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import type { WorkspaceAccess } from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import { inspectFile, isInterrupted } from './file-plan.ts';
import { ExportFolder } from './folder.ts';
import { filterKey, type Ledger, readLedger } from './ledger.ts';
import { isLate, isPending, isUpToDate } from './meeting-state.ts';
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

/** The differences of an export folder from the service. */
interface Differences {
  /** Meetings that have changed since they were exported. */
  readonly changed: readonly StatusItem[];
  /** Meetings that were never exported. */
  readonly new: readonly StatusItem[];
  /** Exported meetings that the service does not list. */
  readonly unlisted: readonly StatusItem[];
}

/**
 * Reads the status of a folder, without the service.
 * @throws {Failure} not_found if nothing was exported to the folder
 */
export function readFolderStatus(folder: string, settle: number, now: Date): Promise<FolderStatus> {
  return useLedger(folder, async (ledger) => collectStatus(ledger, folder, settle, now));
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
): Promise<FolderStatus & Differences> {
  return useLedger(folder, async (ledger) => {
    checkOwner(ledger, folder, workspace);
    const differences = await compareWithService(client, ledger);
    return { ...collectStatus(ledger, folder, settle, now), ...differences };
  });
}

async function compareWithService(client: Client, ledger: Ledger): Promise<Differences> {
  const changed = new Map<string, StatusItem>();
  const added = new Map<string, StatusItem>();
  const listedIds = new Set<string>();
  // The filters of the folder's exports.
  const isAll = ledger.watermarks.size === 0 || ledger.watermarks.has(filterKey({}));
  for (const { filter } of isAll ? [{ filter: {} }] : ledger.watermarks.values()) {
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
  for (const { id, title, gone } of ledger.meetings((id) => !listedIds.has(id))) {
    if (!gone) unlisted.push({ id, title });
  }
  return { changed: [...changed.values()], new: [...added.values()], unlisted };
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

function collectStatus(ledger: Ledger, path: string, settle: number, now: Date): FolderStatus {
  const folder = new ExportFolder(path);
  let exported = 0;
  let deleted = 0;
  const pending: StatusItem[] = [];
  const late: StatusItem[] = [];
  const failed: StatusItem[] = [];
  const edited: string[] = [];
  const missing: string[] = [];
  for (const meeting of ledger.meetings()) {
    const { id, title, gone, recordings } = meeting;
    for (const written of meeting.files) {
      const { file, hash } = inspectFile(folder, written);
      if (hash !== undefined && hash !== file.hash) edited.push(file.name);
      // No run writes the files of a deleted meeting again.
      if (hash === undefined && !gone) missing.push(file.name);
    }
    if (gone) {
      deleted += 1;
      continue;
    }
    const interruption = isInterrupted(meeting)
      ? 'a run was interrupted while it exported this meeting'
      : undefined;
    const reason = meeting.failed ?? interruption;
    if (reason === undefined) exported += 1;
    else failed.push({ id, title, reason });
    for (const recording of recordings) {
      const item = { id: recording.id, title, reason: `not done since ${recording.since}` };
      if (isPending(recording, settle, now)) pending.push(item);
      if (isLate(recording, settle, now)) late.push(item);
    }
  }
  return { exported, pending, late, failed, deleted_upstream: deleted, edited, missing };
}

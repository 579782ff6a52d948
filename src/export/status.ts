import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import type { Result } from '../contract/documents/results.ts';
import type { WorkspaceIdentity } from '../files/workspace-identity.ts';
import { hasOnlyChangedBoxes } from './action-boxes.ts';
import { createOwnershipCheck } from './file-plan.ts';
import { ExportFolder } from './folder.ts';
import { type Ledger, toFilterKey, useLedger } from './ledger.ts';
import { findDelay, isInterrupted, isUpToDate, listMainFiles } from './meeting-state.ts';
import { checkOwner } from './ownership.ts';

/** A meeting or a recording that needs attention. `title` is the title of the meeting. */
type StatusItem = Result<'export-status'>['failed'][number];

/** The status of an export folder. */
export type FolderStatus = Result<'export-status'>;

/** Reads the status of a folder, without the service. @throws {Failure} not_found if nothing was exported to it */
export function readFolderStatus(folder: string, settle: number, now: Date) {
  return useLedger(folder, (ledger) => collectStatus(ledger, folder, settle, now));
}

/**
 * Compares a folder with the meetings that the service lists. Downloads no recordings.
 * @throws {Failure} not_found if nothing was exported to the folder, usage if it belongs to another workspace
 */
export function verifyFolder(
  client: Client,
  workspace: WorkspaceIdentity,
  folder: string,
  settle: number,
  now: Date,
) {
  return useLedger(folder, async (ledger) => {
    checkOwner(ledger, folder, workspace);
    const differences = await compareWithService(client, ledger);
    return { ...collectStatus(ledger, folder, settle, now), ...differences };
  });
}

async function compareWithService(client: Client, ledger: Ledger) {
  const changed = new Map<string, StatusItem>();
  const itemsById = new Map<string, StatusItem>();
  const listedIds = new Set<string>();
  // The filters of the folder's exports.
  const isAll = ledger.watermarks.size === 0 || ledger.watermarks.has(toFilterKey({}));
  for (const { filter } of isAll ? [{ filter: {} }] : ledger.watermarks.values()) {
    for await (const { value } of client.records(calendarEvents.list, filter)) {
      const item = { id: value.id, title: value.title };
      const exportedMeeting = ledger.getMeeting(item.id);
      listedIds.add(item.id);
      if (!exportedMeeting) itemsById.set(item.id, item);
      else if (
        exportedMeeting.failure === undefined &&
        !isUpToDate(exportedMeeting, value, exportedMeeting.contents)
      )
        changed.set(item.id, item);
    }
  }
  const unlisted: StatusItem[] = [];
  for (const { id, title, isDeleted } of ledger.listMeetings((id) => !listedIds.has(id))) {
    if (!isDeleted) unlisted.push({ id, title });
  }
  return {
    changed: [...changed.values()],
    /** Meetings that were never exported. */
    new: [...itemsById.values()],
    /** Exported meetings that the service does not list. */
    unlisted,
  };
}

function collectStatus(ledger: Ledger, path: string, settle: number, now: Date): FolderStatus {
  const folder = new ExportFolder(path);
  let exported = 0;
  let deleted = 0;
  /** Unfinished recordings: `pending` ones are checked again by later runs, `late` ones are too old. */
  const unfinished: Record<'pending' | 'late', StatusItem[]> = { pending: [], late: [] };
  const failed: StatusItem[] = [];
  const edited: string[] = [];
  const missing: string[] = [];
  for (const meeting of ledger.listMeetings()) {
    const { id, title, isDeleted, recordings } = meeting;
    const isOwn = createOwnershipCheck(meeting);
    for (const { name } of listMainFiles(meeting)) {
      const hash = folder.hash(name);
      if (hash !== undefined && !isOwn(hash) && !hasOnlyChangedBoxes(folder, meeting, name))
        edited.push(name);
      // No run writes the files of a deleted meeting again.
      if (hash === undefined && !isDeleted) missing.push(name);
    }
    if (isDeleted) {
      deleted += 1;
      continue;
    }
    if (meeting.failure !== undefined || isInterrupted(meeting)) {
      const reason = meeting.failure ?? 'a run was interrupted while it exported this meeting';
      failed.push({ id, title, reason });
    } else exported += 1;
    for (const recording of recordings) {
      const delay = findDelay(recording, settle, now);
      if (delay)
        unfinished[delay].push({ id: recording.id, title, reason: `not done since ${recording.since}` });
    }
  }
  return {
    exported,
    ...unfinished,
    /** Meetings whose export failed or was interrupted. */
    failed,
    deleted_upstream: deleted,
    /** Files that were changed since they were written. */
    edited,
    missing,
  };
}

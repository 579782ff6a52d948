import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import type { WorkspaceAccess } from '../contract/workspace-identity.ts';
import { TextSet } from '../dense/text-set.ts';
import { fieldsOf, plain } from '../render/fields.ts';
import { shellWord } from '../values/shell-word.ts';
import { isBegun, isCurrent } from './kept.ts';
import { type Known, keyOf, readLedger } from './ledger.ts';
import type { Filter, KeptMeeting, KeptRecording } from './ledger-lines.ts';
import { checkOwner } from './ownership.ts';
import { standing } from './place.ts';
import { isLate, isWaited } from './upkeep.ts';

/** A meeting, or a recording of it, that is not as it should be. */
interface Told {
  readonly id: string;
  readonly title: string;
  readonly reason?: string;
}

/** How a folder stands by its ledger. */
export interface FolderStatus {
  /** Meetings that are exported. */
  readonly exported: number;
  /** Recordings that are waited for. */
  readonly pending: readonly Told[];
  /** Recordings that are waited for no more. */
  readonly late: readonly Told[];
  /** Meetings that could not be exported, or not to the end. */
  readonly failed: readonly Told[];
  /** Meetings that the service has no more. */
  readonly gone: number;
  /** Files that are not as they were written. */
  readonly edited: readonly string[];
  /** Files that are not there; a run brings them back. */
  readonly missing: readonly string[];
}

/** How a folder stands, without the service: files are compared with what was written. Throws `not_found`. */
export function folderStatus(folder: string, settle: number, now: Date): Promise<FolderStatus> {
  return withLedger(folder, (known) => statusOf(known, folder, settle, now));
}

/** How a folder stands against the service. */
export interface Verified extends FolderStatus {
  /** Meetings that have changed since they were exported. */
  readonly changed: readonly Told[];
  /** Meetings that were never exported. */
  readonly new: readonly Told[];
  /** Meetings with files here that the service does not list. */
  readonly unlisted: readonly Told[];
}

/**
 * Compares a folder with what the service lists of the meetings that are exported to it; no recording is asked
 * for. Throws `not_found`, and `usage` for the folder of another workspace.
 */
export function verified(
  client: Client,
  workspace: WorkspaceAccess,
  folder: string,
  settle: number,
  now: Date,
): Promise<Verified> {
  return withLedger(folder, async (known) => {
    checkOwner(known, folder, workspace);
    const compared = await comparedWith(client, known);
    return { ...(await statusOf(known, folder, settle, now)), ...compared };
  });
}

async function comparedWith(
  client: Client,
  known: Known,
): Promise<Pick<Verified, 'changed' | 'new' | 'unlisted'>> {
  const changed = new Map<string, Told>();
  const added = new Map<string, Told>();
  const seen = new TextSet();
  for (const filter of filtersOf(known)) {
    for await (const { records } of client.pages(calendarEvents.list, filter)) {
      for (const { value } of records) {
        const event = fieldsOf(value);
        const { id, title } = event;
        const told = { id: plain(id), title: plain(title) };
        const kept = known.meetings.get(told.id);
        seen.add(told.id);
        if (!kept) added.set(told.id, told);
        else if (!kept.failed && !isCurrent(kept, event, kept.made)) changed.set(told.id, told);
      }
    }
  }
  const unlisted: Told[] = [];
  for (const meeting of known.meetings.all((id) => !seen.has(id))) {
    if (!meeting.gone) unlisted.push(toldOf(meeting));
  }
  return { changed: [...changed.values()], new: [...added.values()], unlisted };
}

/** What the folder was exported with: all meetings, or those that passed one filter or another. */
function filtersOf({ watermarks }: Known): Filter[] {
  const isAll = watermarks.size === 0 || watermarks.has(keyOf({}));
  return isAll ? [{}] : [...watermarks.values()].map(({ filter }) => filter);
}

async function withLedger<T>(folder: string, work: (known: Known) => Promise<T>): Promise<T> {
  const known = await readLedger(folder);
  if (!known) {
    throw new Failure('not_found', `Nothing was exported to ${folder}.`, {
      hint: `kith events export --out ${shellWord(folder)}`,
    });
  }
  try {
    return await work(known);
  } finally {
    known.close();
  }
}

async function statusOf(
  { meetings }: Known,
  folder: string,
  settle: number,
  now: Date,
): Promise<FolderStatus> {
  let exported = 0;
  let gone = 0;
  const pending: Told[] = [];
  const late: Told[] = [];
  const failed: Told[] = [];
  const edited: string[] = [];
  const missing: string[] = [];
  for (const meeting of meetings.all()) {
    for (const kept of meeting.files) {
      const { file, there } = await standing(folder, kept);
      if (there !== undefined && there !== file.hash) edited.push(file.name);
      // Nothing would bring back the file of a meeting that is gone.
      if (there === undefined && !meeting.gone) missing.push(file.name);
    }
    if (meeting.gone) {
      gone += 1;
      continue;
    }
    if (!meeting.failed && !isBegun(meeting)) exported += 1;
    pending.push(...notDone(meeting, (recording) => isWaited(recording, settle, now)));
    late.push(...notDone(meeting, (recording) => isLate(recording, settle, now)));
    failed.push(...failuresOf(meeting));
  }
  return { exported, pending, late, failed, gone, edited, missing };
}

function failuresOf(meeting: KeptMeeting): Told[] {
  const reason = meeting.failed ?? (isBegun(meeting) ? 'a run was killed in the middle of it' : undefined);
  return reason === undefined ? [] : [{ ...toldOf(meeting), reason }];
}

const toldOf = ({ id, title }: KeptMeeting): Told => ({ id, title });

/** The recordings of a meeting that are not done, and of which something else is so. */
function notDone({ title, recordings }: KeptMeeting, is: (recording: KeptRecording) => boolean): Told[] {
  return recordings.filter(is).map(({ id, since }) => ({ id, title, reason: `not done since ${since}` }));
}

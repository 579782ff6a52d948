import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import { fieldsOf, plain } from '../output/fields.ts';
import { isBegun, isCurrent } from './kept.ts';
import {
  type Filter,
  type KeptMeeting,
  type KeptRecording,
  type Known,
  keyOf,
  readLedger,
} from './ledger.ts';
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
export async function folderStatus(folder: string, settle: number, now: Date): Promise<FolderStatus> {
  return statusOf(await ledgerOf(folder), folder, settle, now);
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
 * for. Throws `not_found`.
 */
export async function verified(client: Client, folder: string, settle: number, now: Date): Promise<Verified> {
  const known = await ledgerOf(folder);
  const changed = new Map<string, Told>();
  const added = new Map<string, Told>();
  const seen = new Set<string>();
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
  const unlisted = [...known.meetings.values()].filter(({ id, gone }) => !gone && !seen.has(id)).map(toldOf);
  return {
    ...(await statusOf(known, folder, settle, now)),
    changed: [...changed.values()],
    new: [...added.values()],
    unlisted,
  };
}

/** What the folder was exported with: all meetings, or those that passed one filter or another. */
function filtersOf({ watermarks }: Known): Filter[] {
  const isAll = watermarks.size === 0 || watermarks.has(keyOf({}));
  return isAll ? [{}] : [...watermarks.values()].map(({ filter }) => filter);
}

async function ledgerOf(folder: string): Promise<Known> {
  const known = await readLedger(folder);
  if (known) return known;
  throw new Failure('not_found', `Nothing was exported to ${folder}.`, {
    hint: `kith events export --out ${folder}`,
  });
}

async function statusOf(known: Known, folder: string, settle: number, now: Date): Promise<FolderStatus> {
  const all = [...known.meetings.values()];
  const meetings = all.filter(({ gone }) => !gone);
  const edited: string[] = [];
  const missing: string[] = [];
  for (const meeting of all) {
    for (const kept of meeting.files) {
      const { file, there } = await standing(folder, kept);
      if (there !== undefined && there !== file.hash) edited.push(file.name);
      // Nothing would bring back the file of a meeting that is gone.
      if (there === undefined && !meeting.gone) missing.push(file.name);
    }
  }
  const waiting = (is: typeof isWaited) =>
    meetings.flatMap(({ title, recordings }) =>
      recordings.filter((one) => is(one, settle, now)).map((recording) => notDone(recording, title)),
    );
  return {
    exported: meetings.filter((meeting) => !meeting.failed && !isBegun(meeting)).length,
    pending: waiting(isWaited),
    late: waiting(isLate),
    failed: meetings.flatMap((meeting) => failureOf(meeting) ?? []),
    gone: all.length - meetings.length,
    edited,
    missing,
  };
}

function failureOf(meeting: KeptMeeting): Told | undefined {
  const reason = meeting.failed ?? (isBegun(meeting) ? 'a run was killed in the middle of it' : undefined);
  return reason === undefined ? undefined : { ...toldOf(meeting), reason };
}

const toldOf = ({ id, title }: KeptMeeting): Told => ({ id, title });

function notDone({ id, since }: KeptRecording, title: string): Told {
  return { id, title, reason: `not done since ${since}` };
}

import { join } from 'node:path';
import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import { fieldsOf } from '../output/columns.ts';
import { hashAt } from './folder.ts';
import { type KeptMeeting, type Known, readLedger } from './ledger.ts';
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
  readonly failed: readonly Told[];
  /** Meetings that the service has no more. */
  readonly gone: number;
  /** Files that are not as they were written. */
  readonly edited: readonly string[];
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

/** Compares a folder with the list of the service; no recording is asked for. Throws `not_found`. */
export async function verified(client: Client, folder: string, settle: number, now: Date): Promise<Verified> {
  const known = await ledgerOf(folder);
  const changed: Told[] = [];
  const added: Told[] = [];
  const seen = new Set<string>();
  const reading = { size: 100, limit: undefined, sideBySide: 2 };
  for await (const { records } of client.pages(calendarEvents.list, {}, reading)) {
    for (const { value } of records) {
      const { id, title, updated_at } = fieldsOf(value);
      const told = { id: String(id), title: String(title ?? '') };
      const kept = known.meetings.get(told.id);
      seen.add(told.id);
      if (!kept) added.push(told);
      else if (kept.updated_at !== String(updated_at)) changed.push(told);
    }
  }
  const unlisted = [...known.meetings.values()].filter(({ id, gone }) => !gone && !seen.has(id)).map(toldOf);
  return { ...(await statusOf(known, folder, settle, now)), changed, new: added, unlisted };
}

async function ledgerOf(folder: string): Promise<Known> {
  const known = await readLedger(folder);
  if (known) return known;
  throw new Failure('not_found', `Nothing was exported to ${folder}.`, {
    hint: `kith events export --out ${folder}`,
  });
}

async function statusOf(known: Known, folder: string, settle: number, now: Date): Promise<FolderStatus> {
  const meetings = [...known.meetings.values()];
  const edited: string[] = [];
  const missing: string[] = [];
  for (const { files } of meetings) {
    for (const { name, hash } of files) {
      const there = await hashAt(join(folder, name));
      if (there === undefined) missing.push(name);
      else if (there !== hash) edited.push(name);
    }
  }
  const recordings = meetings.flatMap((meeting) =>
    meeting.recordings.map((recording) => ({ recording, title: meeting.title })),
  );
  const where = (is: (recording: KeptMeeting['recordings'][number]) => boolean) =>
    recordings.flatMap(({ recording, title }) =>
      is(recording) ? [{ id: recording.id, title, reason: `not done since ${recording.since}` }] : [],
    );
  return {
    exported: meetings.filter(({ failed, gone, files }) => !failed && !gone && files.length > 0).length,
    pending: where((recording) => isWaited(recording, settle, now)),
    late: where((recording) => isLate(recording, settle, now)),
    failed: meetings.flatMap(({ id, title, failed }) => (failed ? [{ id, title, reason: failed }] : [])),
    gone: meetings.filter(({ gone }) => gone).length,
    edited,
    missing,
  };
}

const toldOf = ({ id, title }: KeptMeeting): Told => ({ id, title });

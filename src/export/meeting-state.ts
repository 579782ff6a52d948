import { listRecordings, type ReceivedEvent } from './event-list.ts';
import { isNewFile } from './layout.ts';
import { type LedgerFile, type LedgerMeeting, type LedgerRecording, noBoxes } from './ledger-format.ts';
import { type RecordingVersion, unavailable } from './meeting-files.ts';

/** Whether the ledger has the current version of a meeting. */
export function isUpToDate(ledgerMeeting: LedgerMeeting, event: ReceivedEvent, contentKey: string): boolean {
  const statesById = new Map(listRecordings(event).map(({ id, status }) => [id, toState(status)]));
  const before = new Map(ledgerMeeting.recordings.map(({ id, state }) => [id, state]));
  return (
    ledgerMeeting.failure === undefined &&
    !ledgerMeeting.isDeleted &&
    !isInterrupted(ledgerMeeting) &&
    ledgerMeeting.contents === contentKey &&
    ledgerMeeting.updated_at === event.updated_at &&
    [...statesById].every(([id, state]) => [state, 'unavailable'].includes(before.get(id) ?? '')) &&
    [...before].every(([id, state]) => state === 'unavailable' || statesById.has(id))
  );
}

/** Whether a run was killed while it wrote the files of a meeting. */
export const isInterrupted = ({ plannedFiles }: LedgerMeeting) => plannedFiles.length > 0;

/** Returns a meeting's files without the `.new` files, which the user may delete. */
export const listMainFiles = ({ files }: LedgerMeeting) => files.filter(({ name }) => !isNewFile(name));

const millisecondsPerDay = 86_400_000;

/**
 * Returns the delay of an unfinished recording: `pending` for up to `settle` days, during which runs check it again,
 * then `late`.
 */
export function findDelay(
  { state, since }: LedgerRecording,
  settle: number,
  now: Date,
): 'pending' | 'late' | undefined {
  if (state !== 'pending') return undefined;
  return now.getTime() - Date.parse(since ?? '') > settle * millisecondsPerDay ? 'late' : 'pending';
}

/** Returns a meeting whose files are written. */
export function toExportedMeeting(
  event: ReceivedEvent,
  ledgerMeeting: LedgerMeeting,
  recordings: readonly RecordingVersion[],
  now: Date,
  written: Pick<LedgerMeeting, 'contents' | 'layout' | 'files' | 'unusedFiles' | 'boxes'>,
): LedgerMeeting {
  const before = new Map(ledgerMeeting.recordings.map((recording) => [recording.id, recording]));
  const current = recordings.map(({ id, status, updated_at }): LedgerRecording => {
    const state = toState(status);
    const since = state === 'pending' ? (before.get(id)?.since ?? now.toISOString()) : undefined;
    return { id, updated_at, state, since, isListed: state === 'unavailable' };
  });
  const ids = new Set(current.map(({ id }) => id));
  const unlistedRecordings = ledgerMeeting.recordings.filter(({ id }) => !ids.has(id));
  return {
    ...createMeeting(event),
    updated_at: event.updated_at,
    ...written,
    recordings: [...current, ...markUnlisted(unlistedRecordings)],
  };
}

/**
 * Returns a meeting whose files are about to be moved or written. Keeps the planned files of earlier runs, because a
 * killed run may have written them.
 */
export function toPlannedMeeting(ledgerMeeting: LedgerMeeting, files: readonly LedgerFile[]): LedgerMeeting {
  const { plannedFiles } = ledgerMeeting;
  const isPlanned = ({ name, hash }: LedgerFile) =>
    plannedFiles.some((plannedFile) => plannedFile.name === name && plannedFile.hash === hash);
  return { ...ledgerMeeting, plannedFiles: [...plannedFiles, ...files.filter((file) => !isPlanned(file))] };
}

/** Returns a meeting that was deleted upstream. Its files stay. */
export function toDeletedMeeting(ledgerMeeting: LedgerMeeting): LedgerMeeting {
  return {
    ...ledgerMeeting,
    recordings: markUnlisted(ledgerMeeting.recordings),
    failure: undefined,
    isDeleted: true,
  };
}

/** Returns a meeting that could not be exported. Its earlier files stay. */
export function toFailedMeeting(
  event: ReceivedEvent,
  ledgerMeeting: LedgerMeeting,
  failure: string,
): LedgerMeeting {
  const recordings = new Map(ledgerMeeting.recordings.map((recording) => [recording.id, recording]));
  for (const { id } of listRecordings(event)) {
    const unknownVersion = { id, updated_at: null, since: undefined, isListed: false };
    recordings.set(id, { ...unknownVersion, ...recordings.get(id), state: 'failed' });
  }
  return {
    ...ledgerMeeting,
    title: event.title,
    recordings: [...recordings.values()],
    failure,
    isDeleted: false,
  };
}

/** Returns a meeting without files. */
export function createMeeting({ id, title }: ReceivedEvent): LedgerMeeting {
  return {
    id,
    title,
    updated_at: '',
    contents: '',
    layout: '',
    files: [],
    unusedFiles: [],
    plannedFiles: [],
    recordings: [],
    boxes: noBoxes,
    failure: undefined,
    isDeleted: false,
  };
}

function markUnlisted(recordings: readonly LedgerRecording[]): LedgerRecording[] {
  return recordings.map((recording) => ({
    ...recording,
    state: 'unavailable',
    since: undefined,
    isListed: false,
  }));
}

/**
 * Returns the state of a recording. A failed recording counts as exported, so that it is not requested again until its
 * meeting changes.
 */
function toState(status: string): 'exported' | 'pending' | 'unavailable' {
  if (status === unavailable) return 'unavailable';
  return status === 'done' || status === 'failed' ? 'exported' : 'pending';
}

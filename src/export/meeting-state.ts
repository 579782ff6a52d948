import { listRecordings, type ReceivedEvent } from './event-list.ts';
import { collectNames, type FilePlan, isInterrupted } from './file-plan.ts';
import type { LedgerFile, LedgerMeeting, LedgerRecording, WrittenFile } from './ledger-format.ts';
import { type RecordingVersion, unavailable } from './meeting-files.ts';

/** Returns whether the ledger has a meeting as the service has it. */
export function isUpToDate(known: LedgerMeeting, event: ReceivedEvent, contentKey: string): boolean {
  const statesById = new Map(listRecordings(event).map(({ id, status }) => [id, toState(status)]));
  const before = new Map(known.recordings.map(({ id, state }) => [id, state]));
  return (
    known.failed === undefined &&
    !known.gone &&
    !isInterrupted(known) &&
    known.made === contentKey &&
    known.updated_at === event.updated_at &&
    [...statesById].every(([id, state]) => [state, 'gone'].includes(before.get(id) ?? '')) &&
    [...before].every(([id, state]) => state === 'gone' || statesById.has(id))
  );
}

/** Returns whether an event lists a recording that was unavailable before. It may be available again. */
export function hasUnavailableRecording(known: LedgerMeeting, event: ReceivedEvent): boolean {
  const listedIds = new Set(listRecordings(event).map(({ id }) => id));
  return known.recordings.some(({ id, state }) => state === 'gone' && listedIds.has(id));
}

const millisecondsPerDay = 86_400_000;

/** Returns whether a recording is unfinished: `pending` for up to `settle` days, in which runs check it again, then `late`. */
export function findDelay(
  { state, since }: LedgerRecording,
  settle: number,
  now: Date,
): 'pending' | 'late' | undefined {
  if (state !== 'pending') return undefined;
  return now.getTime() - Date.parse(since ?? '') > settle * millisecondsPerDay ? 'late' : 'pending';
}

/** Returns a meeting whose files are about to change. If the run is killed, each file has its old or its new name. */
export function toStartedMeeting(known: LedgerMeeting, plans: readonly FilePlan[]): LedgerMeeting {
  const files = plans.map(
    ({ from, file }): LedgerFile => ({ name: file.name, hash: '', ...from, next: file }),
  );
  const { left: _, ...rest } = known;
  return { ...rest, files, ...findUnusedFiles(known, plans) };
}

/** The exported files of a meeting, and the options of the export. */
interface WrittenMeeting extends Pick<LedgerMeeting, 'made' | 'layout'> {
  readonly plans: readonly FilePlan[];
  readonly recordings: readonly RecordingVersion[];
  readonly now: Date;
}

/** Returns a meeting whose files are written. */
export function toExportedMeeting(
  event: ReceivedEvent,
  known: LedgerMeeting,
  { plans, recordings, now, made, layout }: WrittenMeeting,
): LedgerMeeting {
  const before = new Map(known.recordings.map((recording) => [recording.id, recording]));
  const current = recordings.map(({ id, status, updated_at }): LedgerRecording => {
    const state = toState(status);
    const since = state === 'pending' && { since: before.get(id)?.since ?? now.toISOString() };
    return { id, updated_at, state, ...since, ...(state === 'gone' && { listed: true }) };
  });
  const ids = new Set(current.map(({ id }) => id));
  const unlisted = known.recordings.filter(({ id }) => !ids.has(id));
  return {
    ...createMeeting(event),
    updated_at: event.updated_at ?? '',
    made,
    layout,
    files: plans.map(({ file }) => file),
    ...findUnusedFiles(known, plans),
    recordings: [...current, ...markUnlisted(unlisted)],
  };
}

/** Returns a meeting that was deleted upstream. Its files stay. */
export function toDeletedMeeting({ failed: _, ...known }: LedgerMeeting): LedgerMeeting {
  return { ...known, recordings: markUnlisted(known.recordings), gone: true };
}

/** Returns a meeting that could not be exported. Its earlier files stay. */
export function toFailedMeeting(event: ReceivedEvent, known: LedgerMeeting, reason: string): LedgerMeeting {
  const recordings = new Map(known.recordings.map((recording) => [recording.id, recording]));
  for (const { id } of listRecordings(event)) {
    recordings.set(id, { updated_at: null, ...recordings.get(id), id, state: 'failed' });
  }
  const { gone: _, ...rest } = known;
  return { ...rest, title: event.title ?? '', recordings: [...recordings.values()], failed: reason };
}

/** Returns a meeting without files. */
export function createMeeting({ id, title }: ReceivedEvent): LedgerMeeting {
  const unwritten = { updated_at: '', made: '', layout: '', files: [], recordings: [] };
  return { id: id ?? '', title: title ?? '', ...unwritten };
}

/** Returns the files of a meeting that no plan covers. They stay until they are pruned. */
function findUnusedFiles(
  known: LedgerMeeting,
  plans: readonly FilePlan[],
): { readonly left?: readonly WrittenFile[] } {
  const planned = collectNames(plans.flatMap(({ from, file }) => (from ? [from, file] : [file])));
  const before = [...(known.left ?? []), ...known.files.map(({ next: _, ...file }) => file)];
  const unused = before
    .flatMap((file) => (!planned.has(file.name) ? [file] : file.beside ? [file.beside] : []))
    .filter(({ name }) => !planned.has(name));
  const left = [...unused, ...plans.flatMap((plan) => plan.unused)];
  return left.length > 0 ? { left } : {};
}

function markUnlisted(recordings: readonly LedgerRecording[]): LedgerRecording[] {
  return recordings.map(({ since: _, listed: __, ...recording }) => ({ ...recording, state: 'gone' }));
}

/** A recording that failed on the service is exported as failed, and not requested again until its meeting changes. */
function toState(status: string): 'exported' | 'pending' | 'gone' {
  if (status === unavailable) return 'gone';
  return status === 'done' || status === 'failed' ? 'exported' : 'pending';
}

import { type Fields, itemsOf, plain } from '../render/fields.ts';
import { collectNames, type FilePlan } from './file-plan.ts';
import type { LedgerFile, LedgerMeeting, LedgerRecording, WrittenFile } from './ledger-format.ts';
import { type RecordingVersion, unavailable } from './meeting-files.ts';

/** Whether the ledger has a meeting as the service has it. */
export function isUpToDate(known: LedgerMeeting, event: Fields, made: string): boolean {
  const listed = new Map(listRecordings(event).map(({ id, status }) => [plain(id), toState(plain(status))]));
  const kept = new Map(known.recordings.map(({ id, state }) => [id, state]));
  return (
    known.failed === undefined &&
    !known.gone &&
    !isInterrupted(known) &&
    known.made === made &&
    known.updated_at === plain(event.updated_at) &&
    [...listed].every(([id, state]) => [state, 'gone'].includes(kept.get(id) ?? '')) &&
    [...kept].every(([id, state]) => state === 'gone' || listed.has(id))
  );
}

/** Whether a recording was gone that an event lists. It may have come back. */
export function hasUnavailableRecording(known: LedgerMeeting, event: Fields): boolean {
  const listed = new Set(listRecordings(event).map(({ id }) => plain(id)));
  return known.recordings.some(({ id, state }) => state === 'gone' && listed.has(id));
}

/** Whether a run was killed in the middle of its files. */
export function isInterrupted({ files }: LedgerMeeting): boolean {
  return files.some(({ next }) => next);
}

/** A meeting whose files are about to change. If the run is killed, each file has its old or its new name. */
export function toStartedMeeting(
  event: Fields,
  known: LedgerMeeting | undefined,
  plans: readonly FilePlan[],
): LedgerMeeting {
  const files = plans.map(
    ({ from, file }): LedgerFile => ({ name: file.name, hash: '', ...from, next: file }),
  );
  const { left: _, ...rest } = known ?? createMeeting(event);
  return { ...rest, files, ...findUnusedFiles(known, plans) };
}

/** What was done for a meeting, and with which options. */
interface ExportOutcome extends Pick<LedgerMeeting, 'made' | 'layout'> {
  readonly plans: readonly FilePlan[];
  readonly recordings: readonly RecordingVersion[];
  readonly now: Date;
}

/** A meeting whose files are as the service has them. */
export function toExportedMeeting(
  event: Fields,
  known: LedgerMeeting | undefined,
  { plans, recordings, now, made, layout }: ExportOutcome,
): LedgerMeeting {
  const files = plans.map(({ file }) => file);
  const [markdown] = files;
  const before = new Map(known?.recordings.map((recording) => [recording.id, recording]));
  const read = recordings.map((recording) =>
    toLedgerRecording(recording, markdown, before.get(recording.id), now),
  );
  const listed = new Set(read.map(({ id }) => id));
  return {
    ...createMeeting(event),
    updated_at: plain(event.updated_at),
    made,
    layout,
    files,
    ...findUnusedFiles(known, plans),
    recordings: [...read, ...markUnavailable(known?.recordings.filter(({ id }) => !listed.has(id)))],
  };
}

/** A meeting that the service has no more; its files stay. */
export function toDeletedMeeting({ failed: _, ...known }: LedgerMeeting): LedgerMeeting {
  return { ...known, recordings: markUnavailable(known.recordings), gone: true };
}

/** A meeting that could not be exported; what there was of it is still there. */
export function toFailedMeeting(
  event: Fields,
  known: LedgerMeeting | undefined,
  reason: string,
): LedgerMeeting {
  const before = new Map(known?.recordings.map((recording) => [recording.id, recording]));
  for (const { id } of listRecordings(event)) {
    const none = { updated_at: null, file: null, hash: null };
    before.set(plain(id), { ...none, ...before.get(plain(id)), id: plain(id), state: 'failed' });
  }
  const recordings = [...before.values()];
  const { gone: _, ...rest } = known ?? createMeeting(event);
  return { ...rest, title: plain(event.title), recordings, failed: reason };
}

/** The recordings of an event, as it lists them. */
export function listRecordings({ recordings }: Fields): Fields[] {
  return itemsOf(recordings);
}

/** Returns a meeting without files. */
export function createMeeting({ id, title }: Fields): LedgerMeeting {
  const unwritten = { updated_at: '', made: '', layout: '', files: [], recordings: [] };
  return { id: plain(id), title: plain(title), ...unwritten };
}

/** Returns the files of a meeting that no plan covers. They stay until they are pruned. */
function findUnusedFiles(
  known: LedgerMeeting | undefined,
  plans: readonly FilePlan[],
): { readonly left?: readonly WrittenFile[] } {
  const planned = collectNames(plans.flatMap(({ from, file }) => (from ? [from, file] : [file])));
  const before = [...(known?.left ?? []), ...(known?.files ?? []).map(({ next: _, ...file }) => file)];
  const unused = before
    .flatMap((file) => (!planned.has(file.name) ? [file] : file.beside ? [file.beside] : []))
    .filter(({ name }) => !planned.has(name));
  const left = [...unused, ...plans.flatMap((plan) => plan.left)];
  return left.length > 0 ? { left } : {};
}

function markUnavailable(recordings: readonly LedgerRecording[] | undefined): LedgerRecording[] {
  return (recordings ?? []).map(({ since: _, listed: __, ...recording }) => ({
    ...recording,
    state: 'gone',
  }));
}

function toLedgerRecording(
  { id, status, updated_at }: RecordingVersion,
  markdown: WrittenFile | undefined,
  before: LedgerRecording | undefined,
  now: Date,
): LedgerRecording {
  const state = toState(status);
  return {
    id,
    updated_at,
    file: markdown?.name ?? null,
    hash: markdown?.hash ?? null,
    state,
    ...(state === 'pending' && { since: before?.since ?? now.toISOString() }),
    ...(state === 'gone' && { listed: true }),
  };
}

/** One that failed at the service is written as such, and not asked for again until its meeting changes. */
function toState(status: string): 'exported' | 'pending' | 'gone' {
  if (status === unavailable) return 'gone';
  return status === 'done' || status === 'failed' ? 'exported' : 'pending';
}

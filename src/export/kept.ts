import { type Fields, itemsOf, plain } from '../render/fields.ts';
import type { KeptFile, KeptMeeting, KeptRecording, Written } from './ledger-lines.ts';
import { namesOf, type Plan } from './place.ts';
import { gone, type Read } from './texts.ts';

/** Whether the ledger has a meeting as the service has it. */
export function isCurrent(known: KeptMeeting, event: Fields, made: string): boolean {
  const listed = new Map(recordingsIn(event).map(({ id, status }) => [plain(id), stateOf(plain(status))]));
  const kept = new Map(known.recordings.map(({ id, state }) => [id, state]));
  return (
    known.failed === undefined &&
    !known.gone &&
    !isBegun(known) &&
    known.made === made &&
    known.updated_at === plain(event.updated_at) &&
    [...listed].every(([id, state]) => [state, 'gone'].includes(kept.get(id) ?? '')) &&
    [...kept].every(([id, state]) => state === 'gone' || listed.has(id))
  );
}

/** Whether a recording was gone that an event lists. It may have come back. */
export function hasGone(known: KeptMeeting, event: Fields): boolean {
  const listed = new Set(recordingsIn(event).map(({ id }) => plain(id)));
  return known.recordings.some(({ id, state }) => state === 'gone' && listed.has(id));
}

/** Whether a run was killed in the middle of its files. */
export function isBegun({ files }: KeptMeeting): boolean {
  return files.some(({ next }) => next);
}

/** A meeting whose files are about to change. If the run is killed, each file has its old or its new name. */
export function begun(event: Fields, known: KeptMeeting | undefined, plans: readonly Plan[]): KeptMeeting {
  const files = plans.map(({ from, file }): KeptFile => ({ name: file.name, hash: '', ...from, next: file }));
  const { left: _, ...rest } = known ?? nothingOf(event);
  return { ...rest, files, ...unusedFiles(known, plans) };
}

/** What was done for a meeting, and with which options. */
interface Settling extends Pick<KeptMeeting, 'made' | 'layout'> {
  readonly plans: readonly Plan[];
  readonly recordings: readonly Read[];
  readonly now: Date;
}

/** A meeting whose files are as the service has them. */
export function settledNow(
  event: Fields,
  known: KeptMeeting | undefined,
  { plans, recordings, now, made, layout }: Settling,
): KeptMeeting {
  const files = plans.map(({ file }) => file);
  const [markdown] = files;
  const before = new Map(known?.recordings.map((recording) => [recording.id, recording]));
  const read = recordings.map((recording) =>
    keptRecording(recording, markdown, before.get(recording.id), now),
  );
  const listed = new Set(read.map(({ id }) => id));
  return {
    ...nothingOf(event),
    updated_at: plain(event.updated_at),
    made,
    layout,
    files,
    ...unusedFiles(known, plans),
    recordings: [...read, ...goneOf(known?.recordings.filter(({ id }) => !listed.has(id)))],
  };
}

/** A meeting that the service has no more; its files stay. */
export function goneNow({ failed: _, ...known }: KeptMeeting): KeptMeeting {
  return { ...known, recordings: goneOf(known.recordings), gone: true };
}

/** A meeting that could not be exported; what there was of it is still there. */
export function failedNow(event: Fields, known: KeptMeeting | undefined, reason: string): KeptMeeting {
  const before = new Map(known?.recordings.map((recording) => [recording.id, recording]));
  for (const { id } of recordingsIn(event)) {
    const none = { updated_at: null, file: null, hash: null };
    before.set(plain(id), { ...none, ...before.get(plain(id)), id: plain(id), state: 'failed' });
  }
  const recordings = [...before.values()];
  const { gone: _, ...rest } = known ?? nothingOf(event);
  return { ...rest, title: plain(event.title), recordings, failed: reason };
}

/** The recordings of an event, as it lists them. */
export function recordingsIn({ recordings }: Fields): Fields[] {
  return itemsOf(recordings);
}

/** Returns a meeting without files. */
export function nothingOf({ id, title }: Fields): KeptMeeting {
  const unwritten = { updated_at: '', made: '', layout: '', files: [], recordings: [] };
  return { id: plain(id), title: plain(title), ...unwritten };
}

/** Returns the files of a meeting that no plan covers. They stay until they are pruned. */
function unusedFiles(
  known: KeptMeeting | undefined,
  plans: readonly Plan[],
): { readonly left?: readonly Written[] } {
  const planned = namesOf(plans.flatMap(({ from, file }) => (from ? [from, file] : [file])));
  const before = [...(known?.left ?? []), ...(known?.files ?? []).map(({ next: _, ...file }) => file)];
  const unused = before
    .flatMap((file) => (!planned.has(file.name) ? [file] : file.beside ? [file.beside] : []))
    .filter(({ name }) => !planned.has(name));
  const left = [...unused, ...plans.flatMap((plan) => plan.left)];
  return left.length > 0 ? { left } : {};
}

function goneOf(recordings: readonly KeptRecording[] | undefined): KeptRecording[] {
  return (recordings ?? []).map(({ since: _, listed: __, ...recording }) => ({
    ...recording,
    state: 'gone',
  }));
}

function keptRecording(
  { id, status, updated_at }: Read,
  markdown: Written | undefined,
  before: KeptRecording | undefined,
  now: Date,
): KeptRecording {
  const state = stateOf(status);
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
function stateOf(status: string): 'exported' | 'pending' | 'gone' {
  if (status === gone) return 'gone';
  return status === 'done' || status === 'failed' ? 'exported' : 'pending';
}

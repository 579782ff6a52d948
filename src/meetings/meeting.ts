import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { Sent } from '../contract/json-text.ts';
import { type Fields, fieldsOf } from '../output/columns.ts';
import type { PlaceOf } from './layout.ts';
import type { KeptFile, KeptMeeting, KeptRecording, Ledger } from './ledger.ts';
import { type Placed, placed } from './place.ts';
import { type Contents, filesOf, type Read } from './texts.ts';
import { isMissing } from './upkeep.ts';

/** What became of one meeting. */
export type Outcome =
  | { readonly kind: 'new' | 'updated' | 'unchanged' }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly told: { readonly id: string; readonly title: string; readonly reason: string };
    };

/** What the export of one meeting needs. */
interface Work {
  readonly client: Client;
  readonly folder: string;
  readonly ledger: Ledger;
  readonly contents: Contents;
  readonly made: string;
  readonly full: boolean;
  readonly holder: { readonly now: () => Date };
  readonly placeOf: PlaceOf;
  /** Gets the names of files that a person edited and that would have another text now. */
  readonly edited: string[];
}

/** Failures of one meeting, which stop no other; any other failure would meet them all. */
const ownFailures = new Set(['not_found', 'refused', 'invalid', 'malformed', 'failed', 'unavailable']);

/** Exports one meeting after the other: fetches what is new of it, writes its files, and keeps it in the ledger. */
export function meetingExporter(work: Work): (event: Sent) => Promise<Outcome> {
  return async (sent) => {
    const event = fieldsOf(sent.value);
    const known = work.ledger.meetings.get(String(event.id));
    const isKept = known && !work.full && isCurrent(known, event, work.made);
    if (isKept && !(await isMissing(work.folder, known))) return { kind: 'unchanged' };
    const read = await fetchedFor(work, sent).catch((error: unknown) => {
      if (error instanceof Failure && ownFailures.has(error.code)) return error;
      throw error;
    });
    if (read instanceof Failure) return failed(work, event, known, read);
    return written(work, event, known, read);
  };
}

/** Whether the ledger has a meeting as the service has it. */
function isCurrent(known: KeptMeeting, event: Fields, made: string): boolean {
  const states = recordingsIn(event).map(({ id, status }) => `${id} ${stateOf(String(status))}`);
  return (
    known.failed === undefined &&
    !known.gone &&
    known.made === made &&
    known.updated_at === String(event.updated_at) &&
    known.recordings.map(({ id, state }) => `${id} ${state}`).join() === states.join()
  );
}

async function fetchedFor({ client, contents, placeOf }: Work, sent: Sent) {
  const place = await placeOf(fieldsOf(sent.value));
  return { place, ...(await filesOf(client, sent, contents)) };
}

async function written(
  { folder, ledger, made, holder, edited }: Work,
  event: Fields,
  known: KeptMeeting | undefined,
  { place, files, recordings }: Awaited<ReturnType<typeof fetchedFor>>,
): Promise<Outcome> {
  const results: Placed[] = [];
  const kept: KeptFile[] = [];
  const used = new Set<KeptFile>();
  for (const { end, bytes } of files) {
    const name = place.replace(/\.md$/, end);
    const before = known?.files.find((file) => endOf(file.name, known) === end);
    if (before) used.add(before);
    const result = await placed(folder, name, bytes, before);
    if (result.placed === 'edited') edited.push(name);
    results.push(result.placed);
    kept.push(result.file);
  }
  const names = new Set(kept.map(({ name }) => name));
  const left = [...(known?.files ?? []).filter((file) => !used.has(file)), ...(known?.left ?? [])].filter(
    ({ name }) => !names.has(name),
  );
  await ledger.keep({
    ...meetingOf(event, made),
    files: kept,
    ...(left.length > 0 && { left }),
    recordings: recordings.map((read) => keptRecording(read, kept[0], known, holder.now())),
  });
  if (!known && results.includes('new')) return { kind: 'new' };
  return { kind: results.every((result) => result === 'unchanged') ? 'unchanged' : 'updated' };
}

async function failed(
  { ledger, made }: Work,
  event: Fields,
  known: KeptMeeting | undefined,
  failure: Failure,
): Promise<Outcome> {
  const reason = failure.message;
  const { id, title } = meetingOf(event, made);
  const recordings = recordingsIn(event).map(({ id }): KeptRecording => {
    const before = known?.recordings.find((recording) => recording.id === String(id));
    return { updated_at: null, file: null, hash: null, ...before, id: String(id), state: 'failed' };
  });
  await ledger.keep({ ...meetingOf(event, made), files: known?.files ?? [], recordings, failed: reason });
  return { kind: 'failed', failure, told: { id, title, reason } };
}

function meetingOf({ id, title, updated_at }: Fields, made: string) {
  return { id: String(id), title: String(title ?? ''), updated_at: String(updated_at), made };
}

function keptRecording(
  { id, status, updated_at }: Read,
  file: KeptFile | undefined,
  known: KeptMeeting | undefined,
  now: Date,
): KeptRecording {
  const state = stateOf(status);
  const since = known?.recordings.find((recording) => recording.id === id)?.since ?? now.toISOString();
  return {
    id,
    updated_at,
    file: file?.name ?? null,
    hash: file?.hash ?? null,
    state,
    ...(state === 'pending' && { since }),
  };
}

/** One that failed at the service is written as such, and not asked for again until its meeting changes. */
function stateOf(status: string): 'exported' | 'pending' {
  return status === 'done' || status === 'failed' ? 'exported' : 'pending';
}

function recordingsIn({ recordings }: Fields): Fields[] {
  return Array.isArray(recordings) ? recordings.map(fieldsOf) : [];
}

/** What a file's name ends with after the name that all files of its meeting share. */
function endOf(name: string, { files }: KeptMeeting): string {
  const stem = files[0]?.name.replace(/\.md$/, '') ?? '';
  return name.slice(stem.length);
}

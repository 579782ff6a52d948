import { dirname, join } from 'node:path';
import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { catchFileFailure } from '../files/disk-errors.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import type { Semaphore } from '../values/concurrency.ts';
import type { RawJson } from '../values/raw-json.ts';
import { type FilePlan, type OutputFolder, planFile, resolveFiles, type Step } from './file-plan.ts';
import { hashFile } from './folder.ts';
import type { PathBuilder } from './layout.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerFile, LedgerMeeting } from './ledger-format.ts';
import {
  allContents,
  buildMeetingFiles,
  type ExportContents,
  findSuffix,
  type MeetingFiles,
  type RecordingVersion,
  unavailable,
  unlessNotFound,
} from './meeting-files.ts';
import {
  createMeeting,
  hasUnavailableRecording,
  isUpToDate,
  listRecordings,
  toDeletedMeeting,
  toExportedMeeting,
  toFailedMeeting,
  toStartedMeeting,
} from './meeting-state.ts';
import { hasMissingFile, readExportedFiles } from './prune.ts';
import { type EarlierFiles, getEarlierNames, recognizeFiles } from './recovery.ts';

/** What became of one meeting. */
export type Outcome =
  | { readonly kind: 'new' | 'updated' | 'unchanged' | 'gone' }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** It failed the last time too. */
      readonly again: boolean;
      readonly told: { readonly id: string; readonly title: string; readonly reason: string };
    };

/** What the export of meetings needs. */
export interface ExporterOptions extends OutputFolder {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly contents: ExportContents;
  /** What the files hold, as the ledger tells it. */
  readonly contentKey: string;
  readonly layout: string;
  readonly full: boolean;
  /** The whole list is read: what is gone of a meeting that it holds may have come back. */
  readonly isRelist: boolean;
  readonly holder: { readonly now: () => Date };
  readonly buildPath: PathBuilder;
  /** Files that the ledger may have lost. */
  readonly earlierFiles: EarlierFiles;
  /** Does what asks the service when it has its turn. */
  readonly limit: Semaphore;
  /** Gets the folders in which files were written or renamed. */
  readonly touched: Set<string>;
  /** Told of each file that was left as it is because a person edited it. */
  readonly onEdited: (name: string) => void;
  /** Told of each file that could not be made, with the reason. */
  readonly onSkipped: (name: string, reason: string) => void;
  /** Told of each recording that is found to be gone. */
  readonly onUnavailable: (id: string) => void;
}

/** Exports one meeting: fetches what is new of it, writes its files, and keeps it in the ledger. */
export interface MeetingExporter {
  /** One that the list holds. */
  exportListed(event: RawJson): Promise<Outcome>;
  /** One that the list does not hold: it is asked for, and may be gone. */
  exportUnlisted(known: LedgerMeeting): Promise<Outcome>;
}

/** Failures that would meet every meeting, and end the run. Any other stops no other meeting. */
const fatalCodes = new Set<FailureCode>([
  'unauthorized',
  'rate_limited',
  'unverified',
  'interrupted',
  'terminated',
]);

/** Exports meetings one by one, as `work` says. */
export function createMeetingExporter(work: ExporterOptions): MeetingExporter {
  const { client, folder, ledger, contentKey: made, layout, full, isRelist } = work;
  const listed = async (sent: RawJson): Promise<Outcome> => {
    const event = fieldsOf(sent.value);
    if (event.id === undefined || event.id === null) return reportMissingId(event);
    const known = ledger.meetings.get(plain(event.id));
    const isKept =
      known &&
      !full &&
      isUpToDate(known, event, made) &&
      !(isRelist && hasUnavailableRecording(known, event));
    if (!isKept || hasMissingFile(folder, known)) return exportEvent(work, sent, known);
    if (known.layout === layout) return { kind: 'unchanged' };
    return exportEvent(work, sent, known, await readExportedFiles(folder, event, known));
  };
  return {
    exportListed: listed,
    async exportUnlisted(known) {
      const sent = await readFromService(work, () => fetchEvent(client, known.id));
      if (sent instanceof Failure) return markFailed(work, { ...known, failed: sent.message }, known, sent);
      return sent ? listed(sent) : markDeleted(work, known);
    },
  };
}

/** Exports a meeting from its files that are here, or from its recordings, which are fetched. */
async function exportEvent(
  work: ExporterOptions,
  sent: RawJson,
  known: LedgerMeeting | undefined,
  here?: MeetingFiles,
): Promise<Outcome> {
  const event = fieldsOf(sent.value);
  const isUnknown = !hasFiles(known) && getEarlierNames(work.earlierFiles, event.id).length > 0;
  const read = await readFromService(work, async () => ({
    place: await work.buildPath(event),
    ...(here ?? (await buildMeetingFiles(work.client, sent, work.contents, isUnknown ? allContents : []))),
  }));
  if (read instanceof Failure)
    return markFailed(work, toFailedMeeting(event, known, read.message), known, read);
  if (read.recordings.every(({ status }) => status !== unavailable))
    return writeMeeting(work, event, known, read);
  // What the list told may be over by now: the meeting, or a recording of it, may be gone.
  const now = await readFromService(work, () => fetchEvent(work.client, plain(event.id)));
  if (now instanceof Failure) return markFailed(work, toFailedMeeting(event, known, now.message), known, now);
  if (now && formatStatuses(now) === formatStatuses(sent)) return writeMeeting(work, event, known, read);
  if (now) return exportEvent(work, now, known);
  if (known) return markDeleted(work, known);
  // A new one that was listed a moment ago is asked for once more by the next run.
  await work.ledger.saveMeeting(toFailedMeeting(event, undefined, 'The service has it no more.'));
  return { kind: 'gone' };
}

const formatStatuses = ({ value }: RawJson) =>
  JSON.stringify(listRecordings(fieldsOf(value)).map(({ id, status }) => [id, status]));

/** What is read of the service, or the failure of it that is this meeting's own. */
async function readFromService<T>(
  { limit: inTurn }: ExporterOptions,
  read: () => Promise<T>,
): Promise<T | Failure> {
  try {
    return await inTurn(read);
  } catch (error) {
    if (error instanceof Failure && !fatalCodes.has(error.code)) return error;
    // Values of a kind that nobody thought of: an object for a title, a summary of 100,000 levels.
    if (error instanceof TypeError || error instanceof RangeError)
      return new Failure('failed', `It is not as it should be: ${error.message}.`);
    throw error;
  }
}

/** A meeting as the service has it now; undefined for one that is gone. */
function fetchEvent(client: Client, id: string): Promise<RawJson | undefined> {
  return unlessNotFound(client.record(calendarEvents.get, { id }));
}

/** Puts the files of a meeting where they belong. The ledger knows of it before the first and after the last step. */
async function writeMeeting(
  work: ExporterOptions,
  event: Fields,
  before: LedgerMeeting | undefined,
  read: MeetingFiles & { readonly place: string },
): Promise<Outcome> {
  const {
    ledger,
    contentKey: made,
    layout,
    holder,
    touched,
    onEdited,
    onSkipped: onRefused,
    onUnavailable: onGone,
  } = work;
  const { place, recordings, skipped: refused } = read;
  const known = await catchFileFailure(() =>
    hasFiles(before) ? resolveFiles(work.folder, before) : withEarlierFiles(work, event, before, read),
  );
  if (known instanceof Failure)
    return markFailed(work, toFailedMeeting(event, before, known.message), before, known);
  const plans = await catchFileFailure(() => planFiles(work, known, read));
  if (plans instanceof Failure)
    return markFailed(work, toFailedMeeting(event, before, plans.message), before, plans);
  const steps = plans.flatMap((plan) => plan.steps);
  if (steps.length > 0) {
    const meeting = toStartedMeeting(event, known, plans);
    await ledger.saveMeeting(meeting);
    touched.add(dirname(place));
    const unwritten = await catchFileFailure(() => runSteps(steps));
    if (unwritten)
      return markFailed(work, toFailedMeeting(event, meeting, unwritten.message), known, unwritten);
  }
  await ledger.saveMeeting(
    toExportedMeeting(event, known, { plans, recordings, made, layout, now: holder.now() }),
  );
  for (const { placed, file } of plans) if (placed === 'edited') onEdited(file.name);
  for (const reason of new Set(refused)) onRefused(place, reason);
  for (const id of findNewlyUnavailable(recordings, known)) onGone(id);
  const isNew = plans.some(({ placed }) => placed === 'new') && plans.every(({ from }) => !from?.hash);
  if (isNew) return { kind: 'new' };
  return { kind: plans.every(({ placed }) => placed === 'unchanged') ? 'unchanged' : 'updated' };
}

const hasFiles = (known: LedgerMeeting | undefined): known is LedgerMeeting =>
  known !== undefined && known.files.length > 0;

/** Adds the files that the ledger has lost to a meeting. */
async function withEarlierFiles(
  { folder, earlierFiles }: ExporterOptions,
  event: Fields,
  known: LedgerMeeting | undefined,
  { versions }: MeetingFiles,
): Promise<LedgerMeeting | undefined> {
  const names = getEarlierNames(earlierFiles, event.id);
  const files = await recognizeFiles(folder, names, plain(event.id), versions);
  return files.length > 0 ? { ...(known ?? createMeeting(event)), files } : known;
}

async function planFiles(
  output: OutputFolder,
  known: LedgerMeeting | undefined,
  { place, files }: MeetingFiles & { readonly place: string },
): Promise<FilePlan[]> {
  const own = [...(known?.files ?? []), ...(known?.left ?? [])];
  const plans: FilePlan[] = [];
  for (const { suffix: end, bytes } of files) {
    const name = place.replace(/\.md$/, end);
    const candidates = own.filter((file) => findSuffix(file.name) === end);
    plans.push(await planFile(output, name, bytes, await findOwnFile(output.folder, name, candidates)));
  }
  return plans;
}

/** Returns the file to update: the one that already has the name, or the one used last. */
async function findOwnFile(
  folder: string,
  name: string,
  candidates: readonly LedgerFile[],
): Promise<LedgerFile | undefined> {
  const [first, ...others] = candidates;
  const namesake = others.find((file) => file.name === name);
  return namesake && (await hashFile(join(folder, name))) !== undefined ? namesake : first;
}

async function runSteps(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await step();
}

async function markDeleted({ ledger }: ExporterOptions, known: LedgerMeeting): Promise<Outcome> {
  await ledger.saveMeeting(toDeletedMeeting(known));
  return { kind: 'gone' };
}

async function markFailed(
  { ledger }: ExporterOptions,
  kept: LedgerMeeting,
  known: LedgerMeeting | undefined,
  failure: Failure,
): Promise<Outcome> {
  await ledger.saveMeeting(kept);
  const told = { id: kept.id, title: kept.title, reason: failure.message };
  return { kind: 'failed', failure, again: known?.failed !== undefined, told };
}

/** The recordings that are gone, and were not the last time. */
function findNewlyUnavailable(
  recordings: readonly RecordingVersion[],
  known: LedgerMeeting | undefined,
): string[] {
  const before = new Set(known?.recordings.filter(({ state }) => state === unavailable).map(({ id }) => id));
  return recordings.filter(({ id, status }) => status === unavailable && !before.has(id)).map(({ id }) => id);
}

/** A meeting that cannot be told from another: nothing can be kept of it. */
function reportMissingId({ title }: Fields): Outcome {
  const failure = new Failure('failed', 'The service gives it no id.');
  const told = { id: '', title: plain(title), reason: failure.message };
  return { kind: 'failed', failure, again: false, told };
}

import { dirname, join } from 'node:path';
import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { catchFileFailure } from '../files/disk-errors.ts';
import type { Semaphore } from '../values/concurrency.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { ReceivedEvent } from './event-list.ts';
import { type FilePlan, type OutputFolder, planFile, resolveFiles } from './file-plan.ts';
import { hashBytes, hashFile, hasMissingFile, readBytes } from './folder.ts';
import type { PathBuilder } from './layout.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerFile, LedgerMeeting } from './ledger-format.ts';
import {
  allContents,
  buildMeetingFiles,
  catchNotFound,
  type ExportContents,
  findSuffix,
  type MeetingFile,
  type MeetingFiles,
  type RecordingVersion,
  unavailable,
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
import { type EarlierFiles, getEarlierNames, recognizeFiles } from './recovery.ts';

/** The outcome of one meeting. */
export type Outcome =
  | { readonly kind: 'new' | 'updated' | 'unchanged' | 'deleted' }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** The meeting also failed in the last run. */
      readonly isRepeated: boolean;
      readonly item: { readonly id: string; readonly title: string; readonly reason: string };
    };

export interface ExporterOptions extends OutputFolder {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly contents: ExportContents;
  /** Identifies the contents in the ledger. */
  readonly contentKey: string;
  readonly layout: string;
  /** Exports every meeting again. */
  readonly full: boolean;
  /** The run lists all meetings and also checks unavailable recordings again. */
  readonly isRelist: boolean;
  readonly holder: { readonly now: () => Date };
  readonly buildPath: PathBuilder;
  /** Files that the ledger may have lost. */
  readonly earlierFiles: EarlierFiles;
  /** Limits concurrent reads from the service. */
  readonly limit: Semaphore;
  /** Collects the folders in which files were written or renamed. */
  readonly changedFolders: Set<string>;
  /** Called with each file that stays because a person edited it. */
  readonly onEdited: (name: string) => void;
  readonly onSkipped: (name: string, reason: string) => void;
  /** Called with each recording that is newly unavailable. */
  readonly onUnavailable: (id: string) => void;
}

/** Exports meetings: downloads what is new, writes the files, and saves the state in the ledger. */
export interface MeetingExporter {
  exportListed(event: RawJson<ReceivedEvent>): Promise<Outcome>;
  /** Exports a meeting that the list did not contain. It may have been deleted upstream. */
  exportUnlisted(known: LedgerMeeting): Promise<Outcome>;
}

/** Failures that every meeting would have. They end the run; any other concerns one meeting. */
const fatalCodes = new Set<FailureCode>([
  'unauthorized',
  'rate_limited',
  'unverified',
  'interrupted',
  'terminated',
]);

export function createMeetingExporter(options: ExporterOptions): MeetingExporter {
  const { client, folder, ledger, contentKey, layout, full, isRelist } = options;
  const exportListed = async (record: RawJson<ReceivedEvent>): Promise<Outcome> => {
    const event = record.value;
    if (event.id === undefined || event.id === null) return reportMissingId(event);
    const known = ledger.meetings.get(event.id);
    const isCurrent =
      known &&
      !full &&
      isUpToDate(known, event, contentKey) &&
      !(isRelist && hasUnavailableRecording(known, event));
    if (!isCurrent || hasMissingFile(folder, known.files)) return exportEvent(options, record, known);
    if (known.layout === layout) return { kind: 'unchanged' };
    return exportEvent(options, record, known, await readExportedFiles(folder, event, known));
  };
  return {
    exportListed,
    async exportUnlisted(known) {
      const record = await readFromService(options, () => fetchEvent(client, known.id));
      if (record instanceof Failure)
        return saveFailure(options, { ...known, failed: record.message }, known, record);
      return record ? exportListed(record) : saveDeletion(options, known);
    },
  };
}

/** Reads the unedited files of an unchanged meeting; undefined if one was edited or a recording may be available again. */
async function readExportedFiles(
  folder: string,
  event: ReceivedEvent,
  known: LedgerMeeting,
): Promise<MeetingFiles | undefined> {
  if (hasUnavailableRecording(known, event)) return undefined;
  const files: MeetingFile[] = [];
  for (const { name, hash } of known.files) {
    const bytes = await catchFileFailure(() => readBytes(join(folder, name)));
    if (!bytes || bytes instanceof Failure || hashBytes(bytes) !== hash) return undefined;
    files.push({ suffix: findSuffix(name), bytes });
  }
  const times = new Map(known.recordings.map(({ id, updated_at }) => [id, updated_at]));
  const recordings = listRecordings(event).map(({ id, status }) => ({
    id,
    status,
    updated_at: times.get(id) ?? null,
  }));
  return { files, recordings, skipped: [], versions: [] };
}

/** Exports a meeting from its files on disk if given, or else from its recordings on the service. */
async function exportEvent(
  options: ExporterOptions,
  record: RawJson<ReceivedEvent>,
  known: LedgerMeeting | undefined,
  filesOnDisk?: MeetingFiles,
): Promise<Outcome> {
  const { client, contents, earlierFiles, ledger } = options;
  const event = record.value;
  const mayHaveLostFiles = !hasFiles(known) && getEarlierNames(earlierFiles, event).length > 0;
  const content = await readFromService(options, async () => ({
    path: await options.buildPath(event),
    ...(filesOnDisk ??
      (await buildMeetingFiles(client, record, contents, mayHaveLostFiles ? allContents : []))),
  }));
  if (content instanceof Failure)
    return saveFailure(options, toFailedMeeting(event, known, content.message), known, content);
  if (content.recordings.every(({ status }) => status !== unavailable))
    return writeMeeting(options, event, known, content);
  // The list may be outdated: the meeting or one of its recordings may have been deleted since.
  const current = await readFromService(options, () => fetchEvent(client, event.id ?? ''));
  if (current instanceof Failure)
    return saveFailure(options, toFailedMeeting(event, known, current.message), known, current);
  if (current && formatStatuses(current) === formatStatuses(record))
    return writeMeeting(options, event, known, content);
  if (current) return exportEvent(options, current, known);
  if (known) return saveDeletion(options, known);
  // It was listed a moment ago, so the next run requests it once more.
  await ledger.saveMeeting(toFailedMeeting(event, undefined, 'The service no longer has this meeting.'));
  return { kind: 'deleted' };
}

const formatStatuses = ({ value }: RawJson<ReceivedEvent>) =>
  JSON.stringify(listRecordings(value).map(({ id, status }) => [id, status]));

/** Reads from the service, and returns a failure that concerns only this meeting. */
async function readFromService<T>({ limit }: ExporterOptions, read: () => Promise<T>): Promise<T | Failure> {
  try {
    return await limit(read);
  } catch (error) {
    if (error instanceof Failure && !fatalCodes.has(error.code)) return error;
    // Values of unexpected types: an object as a title, a summary with 100,000 levels.
    if (error instanceof TypeError || error instanceof RangeError)
      return new Failure('failed', `The service sent malformed data: ${error.message}.`);
    throw error;
  }
}

/** Fetches a meeting; undefined if it was deleted upstream. */
function fetchEvent(client: Client, id: string): Promise<RawJson<ReceivedEvent> | undefined> {
  return catchNotFound(client.record(calendarEvents.get, { id }));
}

/** Writes the files of a meeting. The ledger is updated before the first and after the last step. */
async function writeMeeting(
  options: ExporterOptions,
  event: ReceivedEvent,
  before: LedgerMeeting | undefined,
  content: MeetingFiles & { readonly path: string },
): Promise<Outcome> {
  const { folder, ledger, contentKey, layout, holder, changedFolders } = options;
  const { path, recordings, skipped } = content;
  const known = await catchFileFailure(() =>
    hasFiles(before) ? resolveFiles(folder, before) : addEarlierFiles(options, event, before, content),
  );
  if (known instanceof Failure)
    return saveFailure(options, toFailedMeeting(event, before, known.message), before, known);
  const plans = await catchFileFailure(() => planFiles(options, known, content));
  if (plans instanceof Failure)
    return saveFailure(options, toFailedMeeting(event, before, plans.message), before, plans);
  const steps = plans.flatMap((plan) => plan.steps);
  if (steps.length > 0) {
    const started = toStartedMeeting(event, known, plans);
    await ledger.saveMeeting(started);
    changedFolders.add(dirname(path));
    const failure = await catchFileFailure(async () => {
      for (const step of steps) await step();
    });
    if (failure)
      return saveFailure(options, toFailedMeeting(event, started, failure.message), known, failure);
  }
  const written = { plans, recordings, made: contentKey, layout, now: holder.now() };
  await ledger.saveMeeting(toExportedMeeting(event, known, written));
  for (const { change, file } of plans) if (change === 'edited') options.onEdited(file.name);
  for (const reason of new Set(skipped)) options.onSkipped(path, reason);
  for (const id of findNewlyUnavailable(recordings, known)) options.onUnavailable(id);
  const isNew = plans.some(({ change }) => change === 'new') && plans.every(({ from }) => !from?.hash);
  if (isNew) return { kind: 'new' };
  return { kind: plans.every(({ change }) => change === 'unchanged') ? 'unchanged' : 'updated' };
}

const hasFiles = (known: LedgerMeeting | undefined): known is LedgerMeeting =>
  known !== undefined && known.files.length > 0;

/** Adds the files that the ledger has lost to a meeting. */
async function addEarlierFiles(
  { folder, earlierFiles }: ExporterOptions,
  event: ReceivedEvent,
  known: LedgerMeeting | undefined,
  { versions }: MeetingFiles,
): Promise<LedgerMeeting | undefined> {
  const names = getEarlierNames(earlierFiles, event);
  const files = await recognizeFiles(folder, names, event.id ?? '', versions);
  return files.length > 0 ? { ...(known ?? createMeeting(event)), files } : known;
}

async function planFiles(
  output: OutputFolder,
  known: LedgerMeeting | undefined,
  { path, files }: MeetingFiles & { readonly path: string },
): Promise<FilePlan[]> {
  const knownFiles = [...(known?.files ?? []), ...(known?.left ?? [])];
  const plans: FilePlan[] = [];
  for (const { suffix, bytes } of files) {
    const name = path.replace(/\.md$/, suffix);
    const candidates = knownFiles.filter((file) => findSuffix(file.name) === suffix);
    plans.push(await planFile(output, name, bytes, await chooseFile(output.folder, name, candidates)));
  }
  return plans;
}

/** Returns the file to update: the one that already has the name, or the one used last. */
async function chooseFile(
  folder: string,
  name: string,
  [first, ...others]: readonly LedgerFile[],
): Promise<LedgerFile | undefined> {
  const namesake = others.find((file) => file.name === name);
  return namesake && (await hashFile(join(folder, name))) !== undefined ? namesake : first;
}

async function saveDeletion({ ledger }: ExporterOptions, known: LedgerMeeting): Promise<Outcome> {
  await ledger.saveMeeting(toDeletedMeeting(known));
  return { kind: 'deleted' };
}

async function saveFailure(
  { ledger }: ExporterOptions,
  meeting: LedgerMeeting,
  known: LedgerMeeting | undefined,
  failure: Failure,
): Promise<Outcome> {
  await ledger.saveMeeting(meeting);
  const item = { id: meeting.id, title: meeting.title, reason: failure.message };
  return { kind: 'failed', failure, isRepeated: known?.failed !== undefined, item };
}

function findNewlyUnavailable(
  recordings: readonly RecordingVersion[],
  known: LedgerMeeting | undefined,
): string[] {
  const before = new Set(known?.recordings.filter(({ state }) => state === 'gone').map(({ id }) => id));
  return recordings.filter(({ id, status }) => status === unavailable && !before.has(id)).map(({ id }) => id);
}

/** Without an id, nothing about the meeting can be saved. */
function reportMissingId({ title }: ReceivedEvent): Outcome {
  const failure = new Failure('failed', 'The service sent no id for it.');
  const item = { id: '', title: title ?? '', reason: failure.message };
  return { kind: 'failed', failure, isRepeated: false, item };
}

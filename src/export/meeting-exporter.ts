import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { isPathFailure } from '../files/disk-errors.ts';
import { createSemaphore } from '../values/concurrency.ts';
import type { RawJson } from '../values/raw-json.ts';
import { listRecordings, type ReceivedEvent } from './event-list.ts';
import type { Outcome } from './export-result.ts';
import { findKind, planFiles, resolveFiles } from './file-plan.ts';
import { type ExportFolder, hashContent } from './folder.ts';
import { createPathBuilder, findSuffix, type Layout } from './layout.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerMeeting } from './ledger-format.ts';
import {
  allContents,
  catchNotFound,
  downloadRecordings,
  type ExportContents,
  formatContentKey,
  type MeetingFile,
  type RecordingVersion,
  type RenderedFiles,
  renderFiles,
  unavailable,
} from './meeting-files.ts';
import {
  createMeeting,
  hasUnavailableRecording,
  isUpToDate,
  toDeletedMeeting,
  toExportedMeeting,
  toFailedMeeting,
  toStartedMeeting,
} from './meeting-state.ts';
import { type EarlierFiles, getEarlierNames, recognizeFiles } from './recovery.ts';

/** The options and the state of a run. */
interface ExporterOptions {
  readonly client: Client;
  readonly folder: ExportFolder;
  readonly ledger: Ledger;
  readonly contents: ExportContents;
  readonly layout: Layout;
  readonly full: boolean;
  /** The run lists all meetings and also checks unavailable recordings again. */
  readonly isRelist: boolean;
  readonly now: Date;
  /** Files that the ledger may have lost. */
  readonly earlierFiles: EarlierFiles;
  readonly concurrency: number;
}

/** The new files of a meeting. */
interface MeetingContent extends RenderedFiles {
  readonly recordings: readonly RecordingVersion[];
  /** The same files with other options. */
  readonly versions: readonly MeetingFile[];
}

/** Failures that every meeting would have. They end the run; any other concerns one meeting. */
const fatalCodes: readonly FailureCode[] = [
  'unauthorized',
  'rate_limited',
  'unverified',
  'interrupted',
  'terminated',
];

/** A failure that concerns only one meeting. The run continues. */
class MeetingFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Creates the functions that export meetings: download new recordings, write the files, and update the ledger. */
export function createMeetingExporter(options: ExporterOptions) {
  const { client, folder, ledger, contents, layout, full, isRelist, now, earlierFiles } = options;
  const contentKey = formatContentKey(contents);
  const buildPath = createPathBuilder(layout, client);
  const limit = createSemaphore(options.concurrency);

  const request = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await limit(work);
    } catch (error) {
      if (error instanceof Failure && !fatalCodes.includes(error.code)) throw new MeetingFailure(error);
      // Values of unexpected types: an object as a title, a summary with 100,000 levels.
      if (error instanceof TypeError || error instanceof RangeError) {
        const message = `The service sent malformed data: ${error.message}.`;
        throw new MeetingFailure(new Failure('failed', message));
      }
      throw error;
    }
  };
  /** Fetches a meeting; undefined if it was deleted upstream. */
  const fetchEvent = (id: string) => request(() => catchNotFound(client.record(calendarEvents.get, { id })));
  const saveDeletion = (known: LedgerMeeting): Outcome => {
    ledger.save({ meeting: toDeletedMeeting(known) });
    return { kind: 'deleted' };
  };
  const saveFailure = (error: unknown, known: LedgerMeeting, event?: ReceivedEvent): Outcome => {
    if (!(error instanceof MeetingFailure)) throw error;
    const latest = ledger.getMeeting(known.id) ?? known;
    const reason = error.message;
    const meeting = event ? toFailedMeeting(event, latest, reason) : { ...latest, failed: reason };
    ledger.save({ meeting });
    const { id, title } = meeting;
    return { kind: 'failed', failure: error.failure, isRepeated: latest.failed !== undefined, id, title };
  };
  const download = async (record: RawJson<ReceivedEvent>, known: LedgerMeeting): Promise<MeetingContent> => {
    const recordings = await downloadRecordings(client, record.value);
    const mayHaveLostFiles =
      known.files.length === 0 && getEarlierNames(earlierFiles, record.value).length > 0;
    const otherContents = mayHaveLostFiles ? allContents : [];
    const versions = otherContents.flatMap((other) => renderFiles(record, recordings, other).files);
    return { ...renderFiles(record, recordings, contents), recordings, versions };
  };
  /** Writes the files of a meeting. The ledger is updated before the first and after the last step. */
  const writeMeeting = async (
    event: ReceivedEvent,
    before: LedgerMeeting,
    { path, files, recordings, skipped, versions }: MeetingContent & { readonly path: string },
  ): Promise<Outcome> => {
    const known = await useFiles(() => {
      if (before.files.length > 0) return resolveFiles(folder, before);
      const names = getEarlierNames(earlierFiles, event);
      return { ...before, files: recognizeFiles(folder, names, before.id, versions) };
    });
    const plans = await useFiles(() => planFiles(folder, known, path, files));
    const steps = plans.flatMap((plan) => plan.steps);
    if (steps.length > 0) {
      ledger.save({ meeting: toStartedMeeting(known, plans) });
      await useFiles(async () => {
        for (const step of steps) await step();
      });
    }
    const exportState = { plans, recordings, made: contentKey, layout, now };
    ledger.save({ meeting: toExportedMeeting(event, known, exportState) });
    const unavailableBefore = known.recordings.filter(({ state }) => state === 'gone').map(({ id }) => id);
    return {
      kind: findKind(plans),
      edited: plans.filter(({ change }) => change === 'edited').map(({ file }) => file.name),
      skipped: Array.from(new Set(skipped), (reason) => ({ name: path, reason })),
      newlyUnavailable: recordings
        .filter(({ id, status }) => status === unavailable && !unavailableBefore.includes(id))
        .map(({ id }) => id),
    };
  };
  /** Exports a meeting from its files on disk if given, or else from its recordings on the service. */
  const exportMeeting = async (
    record: RawJson<ReceivedEvent>,
    known: LedgerMeeting,
    filesOnDisk?: MeetingContent,
  ): Promise<Outcome> => {
    const event = record.value;
    const content = await request(async () => ({
      path: await buildPath(event),
      ...(filesOnDisk ?? (await download(record, known))),
    }));
    if (content.recordings.every(({ status }) => status !== unavailable))
      return writeMeeting(event, known, content);
    // The list may be outdated: the meeting or one of its recordings may have been deleted since.
    const current = await fetchEvent(event.id ?? '');
    if (current && formatStatuses(current) === formatStatuses(record))
      return writeMeeting(event, known, content);
    if (current) return exportMeeting(current, known);
    if (ledger.getMeeting(known.id)) return saveDeletion(known);
    // It was listed a moment ago, so the next run requests it once more.
    ledger.save({ meeting: toFailedMeeting(event, known, 'The service no longer has this meeting.') });
    return { kind: 'deleted' };
  };
  const exportIfChanged = async (record: RawJson<ReceivedEvent>, known: LedgerMeeting): Promise<Outcome> => {
    const event = record.value;
    if (full || !isUpToDate(known, event, contentKey) || folder.hasMissing(known.files))
      return exportMeeting(record, known);
    const mayBeAvailable = hasUnavailableRecording(known, event);
    if (isRelist && mayBeAvailable) return exportMeeting(record, known);
    if (known.layout === layout) return { kind: 'unchanged' };
    return exportMeeting(record, known, mayBeAvailable ? undefined : readExportedFiles(folder, event, known));
  };
  /** Exports a meeting that the list contained. */
  const exportListed = async (record: RawJson<ReceivedEvent>): Promise<Outcome> => {
    const { id, title } = record.value;
    if (id === undefined || id === null) {
      // Without an id, nothing about the meeting can be saved.
      const failure = new Failure('failed', 'The service sent no id for it.');
      return { kind: 'failed', failure, isRepeated: false, id: '', title: title ?? '' };
    }
    const known = ledger.getMeeting(id) ?? createMeeting(record.value);
    try {
      return await exportIfChanged(record, known);
    } catch (error) {
      return saveFailure(error, known, record.value);
    }
  };
  /** Exports a meeting that the list did not contain. It may have been deleted upstream. */
  const exportUnlisted = async (known: LedgerMeeting): Promise<Outcome> => {
    try {
      const record = await fetchEvent(known.id);
      return record ? await exportListed(record) : saveDeletion(known);
    } catch (error) {
      return saveFailure(error, known);
    }
  };
  return { exportListed, exportUnlisted };
}

async function useFiles<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isPathFailure(error) ? new MeetingFailure(error) : error;
  }
}

const formatStatuses = ({ value }: RawJson<ReceivedEvent>) => JSON.stringify(listRecordings(value));

/** Reads the files of an unchanged meeting; undefined if one was edited. */
function readExportedFiles(
  folder: ExportFolder,
  event: ReceivedEvent,
  known: LedgerMeeting,
): MeetingContent | undefined {
  const files: MeetingFile[] = [];
  for (const { name, hash } of known.files) {
    const bytes = folder.tryRead(name);
    if (!bytes || hashContent(bytes) !== hash) return undefined;
    files.push({ suffix: findSuffix(name), text: bytes.toString() });
  }
  const times = new Map(known.recordings.map(({ id, updated_at }) => [id, updated_at]));
  const recordings = listRecordings(event).map((recording) => ({
    ...recording,
    updated_at: times.get(recording.id) ?? null,
  }));
  return { files, recordings, skipped: [], versions: [] };
}

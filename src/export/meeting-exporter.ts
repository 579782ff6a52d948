import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { isPathFailure } from '../files/disk-errors.ts';
import { createSemaphore, type Semaphore } from '../values/concurrency.ts';
import type { RawJson } from '../values/raw-json.ts';
import { listRecordings, type ReceivedEvent } from './event-list.ts';
import type { Outcome } from './export-result.ts';
import { findKind, planFiles, resolveFiles } from './file-plan.ts';
import { type ExportFolder, hashContent } from './folder.ts';
import { createPathBuilder, findSuffix, type Layout, type PathBuilder } from './layout.ts';
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

/** What an export of meetings needs. */
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

/** What to write for a meeting. */
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

/** Exports meetings: downloads what is new, writes the files, and saves the state in the ledger. */
export class MeetingExporter {
  readonly #options: ExporterOptions;
  readonly #contentKey: string;
  readonly #buildPath: PathBuilder;
  readonly #limit: Semaphore;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#contentKey = formatContentKey(options.contents);
    this.#buildPath = createPathBuilder(options.layout, options.client);
    this.#limit = createSemaphore(options.concurrency);
  }

  /** Exports a meeting that the list contained. */
  async exportListed(record: RawJson<ReceivedEvent>): Promise<Outcome> {
    const { id, title } = record.value;
    if (id === undefined || id === null) {
      // Without an id, nothing about the meeting can be saved.
      const failure = new Failure('failed', 'The service sent no id for it.');
      return { kind: 'failed', failure, isRepeated: false, id: '', title: title ?? '' };
    }
    const known = this.#options.ledger.getMeeting(id) ?? createMeeting(record.value);
    try {
      return await this.#exportIfChanged(record, known);
    } catch (error) {
      return this.#saveFailure(error, known, record.value);
    }
  }

  /** Exports a meeting that the list did not contain. It may have been deleted upstream. */
  async exportUnlisted(known: LedgerMeeting): Promise<Outcome> {
    try {
      const record = await this.#fetchEvent(known.id);
      return record ? await this.exportListed(record) : this.#saveDeletion(known);
    } catch (error) {
      return this.#saveFailure(error, known);
    }
  }

  #saveFailure(error: unknown, known: LedgerMeeting, event?: ReceivedEvent): Outcome {
    if (!(error instanceof MeetingFailure)) throw error;
    const { ledger } = this.#options;
    const latest = ledger.getMeeting(known.id) ?? known;
    const reason = error.message;
    const meeting = event ? toFailedMeeting(event, latest, reason) : { ...latest, failed: reason };
    ledger.save({ meeting });
    const { id, title } = meeting;
    return { kind: 'failed', failure: error.failure, isRepeated: latest.failed !== undefined, id, title };
  }

  async #exportIfChanged(record: RawJson<ReceivedEvent>, known: LedgerMeeting): Promise<Outcome> {
    const { folder, layout, full, isRelist } = this.#options;
    const event = record.value;
    if (full || !isUpToDate(known, event, this.#contentKey) || folder.hasMissing(known.files))
      return this.#export(record, known);
    const mayBeAvailable = hasUnavailableRecording(known, event);
    if (isRelist && mayBeAvailable) return this.#export(record, known);
    if (known.layout === layout) return { kind: 'unchanged' };
    return this.#export(record, known, mayBeAvailable ? undefined : readExportedFiles(folder, event, known));
  }

  /** Exports a meeting from its files on disk if given, or else from its recordings on the service. */
  async #export(
    record: RawJson<ReceivedEvent>,
    known: LedgerMeeting,
    filesOnDisk?: MeetingContent,
  ): Promise<Outcome> {
    const event = record.value;
    const content = await this.#read(async () => ({
      path: await this.#buildPath(event),
      ...(filesOnDisk ?? (await this.#download(record, known))),
    }));
    if (content.recordings.every(({ status }) => status !== unavailable))
      return this.#write(event, known, content);
    // The list may be outdated: the meeting or one of its recordings may have been deleted since.
    const current = await this.#fetchEvent(event.id ?? '');
    if (current && formatStatuses(current) === formatStatuses(record))
      return this.#write(event, known, content);
    if (current) return this.#export(current, known);
    const { ledger } = this.#options;
    if (ledger.getMeeting(known.id)) return this.#saveDeletion(known);
    // It was listed a moment ago, so the next run requests it once more.
    ledger.save({ meeting: toFailedMeeting(event, known, 'The service no longer has this meeting.') });
    return { kind: 'deleted' };
  }

  async #download(record: RawJson<ReceivedEvent>, known: LedgerMeeting): Promise<MeetingContent> {
    const { client, contents, earlierFiles } = this.#options;
    const recordings = await downloadRecordings(client, record.value);
    const mayHaveLostFiles =
      known.files.length === 0 && getEarlierNames(earlierFiles, record.value).length > 0;
    const otherContents = mayHaveLostFiles ? allContents : [];
    const versions = otherContents.flatMap((other) => renderFiles(record, recordings, other).files);
    return { ...renderFiles(record, recordings, contents), recordings, versions };
  }

  /** Writes the files of a meeting. The ledger is updated before the first and after the last step. */
  async #write(
    event: ReceivedEvent,
    before: LedgerMeeting,
    { path, files, recordings, skipped, versions }: MeetingContent & { readonly path: string },
  ): Promise<Outcome> {
    const { folder, ledger, layout, now, earlierFiles } = this.#options;
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
    const written = { plans, recordings, made: this.#contentKey, layout, now };
    ledger.save({ meeting: toExportedMeeting(event, known, written) });
    const unavailableBefore = known.recordings.filter(({ state }) => state === 'gone').map(({ id }) => id);
    return {
      kind: findKind(plans),
      edited: plans.filter(({ change }) => change === 'edited').map(({ file }) => file.name),
      skipped: Array.from(new Set(skipped), (reason) => ({ name: path, reason })),
      newlyUnavailable: recordings
        .filter(({ id, status }) => status === unavailable && !unavailableBefore.includes(id))
        .map(({ id }) => id),
    };
  }

  #fetchEvent(id: string): Promise<RawJson<ReceivedEvent> | undefined> {
    return this.#read(() => catchNotFound(this.#options.client.record(calendarEvents.get, { id })));
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await this.#limit(read);
    } catch (error) {
      if (error instanceof Failure && !fatalCodes.includes(error.code)) throw new MeetingFailure(error);
      // Values of unexpected types: an object as a title, a summary with 100,000 levels.
      if (error instanceof TypeError || error instanceof RangeError) {
        const message = `The service sent malformed data: ${error.message}.`;
        throw new MeetingFailure(new Failure('failed', message));
      }
      throw error;
    }
  }

  #saveDeletion(known: LedgerMeeting): Outcome {
    this.#options.ledger.save({ meeting: toDeletedMeeting(known) });
    return { kind: 'deleted' };
  }
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

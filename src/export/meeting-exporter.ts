import { dirname, join } from 'node:path';
import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { catchFileFailure } from '../files/disk-errors.ts';
import type { Semaphore } from '../values/concurrency.ts';
import type { RawJson } from '../values/raw-json.ts';
import { listRecordings, type ReceivedEvent } from './event-list.ts';
import type { Outcome } from './export-result.ts';
import { findKind, type OutputFolder, planFiles, resolveFiles } from './file-plan.ts';
import { hashContent, hasMissingFile, readBytes } from './folder.ts';
import { findSuffix, type PathBuilder } from './layout.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerMeeting } from './ledger-format.ts';
import {
  allContents,
  buildMeetingFiles,
  catchNotFound,
  type ExportContents,
  type MeetingFile,
  type MeetingFiles,
  type RecordingVersion,
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
}

/** Failures that every meeting would have. They end the run; any other concerns one meeting. */
const fatalCodes = new Set<FailureCode>([
  'unauthorized',
  'rate_limited',
  'unverified',
  'interrupted',
  'terminated',
]);

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

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Exports a meeting that the list contained. */
  async exportListed(record: RawJson<ReceivedEvent>): Promise<Outcome> {
    const { id, title } = record.value;
    if (id === undefined || id === null) {
      // Without an id, nothing about the meeting can be saved.
      const failure = new Failure('failed', 'The service sent no id for it.');
      return { kind: 'failed', failure, isRepeated: false, id: '', title: title ?? '' };
    }
    const known = this.#options.ledger.getMeeting(id);
    return this.#saveFailure(
      id,
      (latest, reason) => toFailedMeeting(record.value, latest, reason),
      () => this.#exportIfChanged(record, known),
    );
  }

  /** Exports a meeting that the list did not contain. It may have been deleted upstream. */
  exportUnlisted(known: LedgerMeeting): Promise<Outcome> {
    return this.#saveFailure(
      known.id,
      (_, reason) => ({ ...known, failed: reason }),
      async () => {
        const record = await this.#fetchEvent(known.id);
        return record ? this.exportListed(record) : this.#saveDeletion(known);
      },
    );
  }

  /** Exports a meeting, and saves a failure that concerns only this meeting. */
  async #saveFailure(
    id: string,
    toFailed: (latest: LedgerMeeting | undefined, reason: string) => LedgerMeeting,
    work: () => Promise<Outcome>,
  ): Promise<Outcome> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof MeetingFailure)) throw error;
      const { ledger } = this.#options;
      const latest = ledger.getMeeting(id);
      const meeting = toFailed(latest, error.message);
      ledger.save({ meeting: meeting });
      const isRepeated = latest?.failed !== undefined;
      return { kind: 'failed', failure: error.failure, isRepeated, id, title: meeting.title };
    }
  }

  async #exportIfChanged(record: RawJson<ReceivedEvent>, known: LedgerMeeting | undefined): Promise<Outcome> {
    const { folder, contentKey, layout, full, isRelist } = this.#options;
    const event = record.value;
    const isCurrent =
      known &&
      !full &&
      isUpToDate(known, event, contentKey) &&
      !(isRelist && hasUnavailableRecording(known, event));
    if (!isCurrent || hasMissingFile(folder, known.files)) return this.#export(record, known);
    if (known.layout === layout) return { kind: 'unchanged' };
    return this.#export(record, known, await readExportedFiles(folder, event, known));
  }

  /** Exports a meeting from its files on disk if given, or else from its recordings on the service. */
  async #export(
    record: RawJson<ReceivedEvent>,
    known: LedgerMeeting | undefined,
    filesOnDisk?: MeetingFiles,
  ): Promise<Outcome> {
    const { client, contents, earlierFiles, ledger, buildPath } = this.#options;
    const event = record.value;
    const mayHaveLostFiles = !hasFiles(known) && getEarlierNames(earlierFiles, event).length > 0;
    const content = await this.#read(async () => ({
      path: await buildPath(event),
      ...(filesOnDisk ??
        (await buildMeetingFiles(client, record, contents, mayHaveLostFiles ? allContents : []))),
    }));
    if (content.recordings.every(({ status }) => status !== unavailable))
      return this.#write(event, known, content);
    // The list may be outdated: the meeting or one of its recordings may have been deleted since.
    const current = await this.#fetchEvent(event.id ?? '');
    if (current && formatStatuses(current) === formatStatuses(record))
      return this.#write(event, known, content);
    if (current) return this.#export(current, known);
    if (known) return this.#saveDeletion(known);
    // It was listed a moment ago, so the next run requests it once more.
    ledger.save({ meeting: toFailedMeeting(event, undefined, 'The service no longer has this meeting.') });
    return { kind: 'deleted' };
  }

  /** Writes the files of a meeting. The ledger is updated before the first and after the last step. */
  async #write(
    event: ReceivedEvent,
    before: LedgerMeeting | undefined,
    content: MeetingFiles & { readonly path: string },
  ): Promise<Outcome> {
    const { folder, ledger, contentKey, layout, holder, changedFolders, earlierFiles } = this.#options;
    const { path, recordings, versions } = content;
    const known = await useFiles(() =>
      hasFiles(before)
        ? resolveFiles(folder, before)
        : addEarlierFiles(folder, event, before, getEarlierNames(earlierFiles, event), versions),
    );
    const plans = await useFiles(() => planFiles(this.#options, known, path, content.files));
    const steps = plans.flatMap((plan) => plan.steps);
    if (steps.length > 0) {
      ledger.save({ meeting: toStartedMeeting(event, known, plans) });
      changedFolders.add(dirname(path));
      await useFiles(async () => {
        for (const step of steps) await step();
      });
    }
    const written = { plans, recordings, made: contentKey, layout, now: holder.now() };
    ledger.save({ meeting: toExportedMeeting(event, known, written) });
    return {
      kind: findKind(plans),
      edited: plans.filter(({ change }) => change === 'edited').map(({ file }) => file.name),
      skipped: Array.from(new Set(content.skipped), (reason) => ({ name: path, reason })),
      newlyUnavailable: findNewlyUnavailable(recordings, known),
    };
  }

  /** Fetches a meeting; undefined if it was deleted upstream. */
  #fetchEvent(id: string): Promise<RawJson<ReceivedEvent> | undefined> {
    return this.#read(() => catchNotFound(this.#options.client.record(calendarEvents.get, { id })));
  }

  /** Reads from the service. */
  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await this.#options.limit(read);
    } catch (error) {
      if (error instanceof Failure && !fatalCodes.has(error.code)) throw new MeetingFailure(error);
      // Values of unexpected types: an object as a title, a summary with 100,000 levels.
      if (error instanceof TypeError || error instanceof RangeError) {
        const message = `The service sent malformed data: ${error.message}.`;
        throw new MeetingFailure(new Failure('failed', message));
      }
      throw error;
    }
  }

  async #saveDeletion(known: LedgerMeeting): Promise<Outcome> {
    this.#options.ledger.save({ meeting: toDeletedMeeting(known) });
    return { kind: 'deleted' };
  }
}

/** Reads or writes files of one meeting. */
async function useFiles<T>(work: () => Promise<T>): Promise<T> {
  const result = await catchFileFailure(work);
  if (result instanceof Failure) throw new MeetingFailure(result);
  return result;
}

const hasFiles = (known: LedgerMeeting | undefined): known is LedgerMeeting =>
  known !== undefined && known.files.length > 0;

const formatStatuses = ({ value }: RawJson<ReceivedEvent>) =>
  JSON.stringify(listRecordings(value).map(({ id, status }) => [id, status]));

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
    if (!bytes || bytes instanceof Failure || hashContent(bytes) !== hash) return undefined;
    files.push({ suffix: findSuffix(name), text: Buffer.from(bytes).toString() });
  }
  const times = new Map(known.recordings.map(({ id, updated_at }) => [id, updated_at]));
  const recordings = listRecordings(event).map(({ id, status }) => ({
    id,
    status,
    updated_at: times.get(id) ?? null,
  }));
  return { files, recordings, skipped: [], versions: [] };
}

/** Adds the files that the ledger has lost to a meeting. */
async function addEarlierFiles(
  folder: string,
  event: ReceivedEvent,
  known: LedgerMeeting | undefined,
  names: readonly string[],
  versions: readonly MeetingFile[],
): Promise<LedgerMeeting | undefined> {
  const files = await recognizeFiles(folder, names, event.id ?? '', versions);
  return files.length > 0 ? { ...(known ?? createMeeting(event)), files } : known;
}

function findNewlyUnavailable(
  recordings: readonly RecordingVersion[],
  known: LedgerMeeting | undefined,
): string[] {
  const before = new Set(known?.recordings.filter(({ state }) => state === 'gone').map(({ id }) => id));
  return recordings.filter(({ id, status }) => status === unavailable && !before.has(id)).map(({ id }) => id);
}

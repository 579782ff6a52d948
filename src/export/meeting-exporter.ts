import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { isPathFailure } from '../files/disk-errors.ts';
import { createSemaphore, type Semaphore } from '../values/concurrency.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { ActionBoxes } from './action-boxes.ts';
import { listDoneBoxes } from './boxes.ts';
import { listRecordings, type ReceivedEvent } from './event-list.ts';
import type { Outcome } from './export-result.ts';
import { listAllFiles, type MovePlan, planFiles, planMoves } from './file-plan.ts';
import type { ExportFolder } from './folder.ts';
import { createPathBuilder, type Layout } from './layout.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerFile, LedgerMeeting } from './ledger-format.ts';
import {
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
  isInterrupted,
  isUpToDate,
  listMainFiles,
  toDeletedMeeting,
  toExportedMeeting,
  toFailedMeeting,
  toPlannedMeeting,
} from './meeting-state.ts';

/** The options and the state of a run. */
interface ExporterOptions {
  readonly client: Client;
  readonly folder: ExportFolder;
  readonly ledger: Ledger;
  readonly boxes: ActionBoxes;
  readonly contents: ExportContents;
  readonly layout: Layout;
  readonly full: boolean;
  /** Whether the run lists all meetings and checks unavailable recordings again. */
  readonly isRelist: boolean;
  readonly now: Date;
  readonly concurrency: number;
}

/** The new files of a meeting. */
interface MeetingContent extends RenderedFiles, Pick<LedgerMeeting, 'boxes'> {
  /** The file in which a person changed only boxes, whose states were stored. */
  readonly ownFile: LedgerFile | undefined;
  readonly recordings: readonly RecordingVersion[];
}

/** Failures that would affect every meeting. They end the run. */
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

/** Exports meetings: downloads new recordings, writes the files, and updates the ledger. */
export class MeetingExporter {
  readonly #options: ExporterOptions;
  readonly #contentKey: string;
  readonly #buildPath: (event: ReceivedEvent) => Promise<string>;
  readonly #limit: Semaphore;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#contentKey = formatContentKey(options.contents);
    this.#buildPath = createPathBuilder(options.layout, options.client);
    this.#limit = createSemaphore(options.concurrency);
  }

  /** Exports a meeting that the list contained. */
  async exportListed(record: RawJson<ReceivedEvent>): Promise<Outcome> {
    const ledgerMeeting = this.#options.ledger.getMeeting(record.value.id) ?? createMeeting(record.value);
    try {
      return await this.#exportIfChanged(record, ledgerMeeting);
    } catch (error) {
      return this.#saveFailure(error, ledgerMeeting, record.value);
    }
  }

  /** Exports a meeting that the list did not contain. It may have been deleted upstream. */
  async exportUnlisted(ledgerMeeting: LedgerMeeting): Promise<Outcome> {
    try {
      const record = await this.#fetchEvent(ledgerMeeting.id);
      return record ? await this.exportListed(record) : this.#saveDeletion(ledgerMeeting);
    } catch (error) {
      return this.#saveFailure(error, ledgerMeeting);
    }
  }

  async #exportIfChanged(record: RawJson<ReceivedEvent>, ledgerMeeting: LedgerMeeting): Promise<Outcome> {
    const { folder, layout, boxes, full, isRelist } = this.#options;
    const event = record.value;
    const isCurrent = isUpToDate(ledgerMeeting, event, this.#contentKey);
    const isChanged = full || !isCurrent || boxes.isOutdated(ledgerMeeting);
    if (isChanged || listMainFiles(ledgerMeeting).some(({ name }) => !folder.has(name)))
      return this.#export(record, ledgerMeeting);
    const listedIds = new Set(listRecordings(event).map(({ id }) => id));
    const mayBeAvailable = ledgerMeeting.recordings.some(
      ({ id, state }) => state === 'unavailable' && listedIds.has(id),
    );
    if (mayBeAvailable && (isRelist || ledgerMeeting.layout !== layout))
      return this.#export(record, ledgerMeeting);
    return ledgerMeeting.layout === layout
      ? { kind: 'unchanged' }
      : this.#changeLayout(record, ledgerMeeting);
  }

  /** Moves the files of an unchanged meeting. Downloads it only if a file cannot be moved. */
  async #changeLayout(record: RawJson<ReceivedEvent>, ledgerMeeting: LedgerMeeting): Promise<Outcome> {
    const { folder, ledger, layout } = this.#options;
    const path = await this.#request(() => this.#buildPath(record.value));
    const { moves, movedMeeting, isBlocked } = await useFiles(async () =>
      planMoves(folder, ledgerMeeting, path),
    );
    if (isBlocked) return this.#export(record, ledgerMeeting);
    await useFiles(async () => this.#move(ledgerMeeting, movedMeeting, moves));
    ledger.save({ meeting: { ...movedMeeting, layout } });
    return { kind: moves.length > 0 ? 'updated' : 'unchanged' };
  }

  /** Downloads the recordings of a meeting, and writes its files. */
  async #export(record: RawJson<ReceivedEvent>, ledgerMeeting: LedgerMeeting): Promise<Outcome> {
    const event = record.value;
    const path = await this.#request(() => this.#buildPath(event));
    const content = await this.#download(record, ledgerMeeting);
    if (content.recordings.every(({ status }) => status !== unavailable))
      return this.#write(event, ledgerMeeting, path, content);
    // The list may be outdated: the meeting or one of its recordings may have been deleted since.
    const current = await this.#fetchEvent(ledgerMeeting.id);
    if (current && formatStatuses(current) === formatStatuses(record))
      return this.#write(event, ledgerMeeting, path, content);
    if (current) return this.#export(current, ledgerMeeting);
    const { ledger } = this.#options;
    if (ledger.getMeeting(ledgerMeeting.id)) return this.#saveDeletion(ledgerMeeting);
    // The meeting was listed a moment ago, so the next run requests it once more.
    ledger.save({
      meeting: toFailedMeeting(event, ledgerMeeting, 'The service no longer has this meeting.'),
    });
    return { kind: 'deleted' };
  }

  /** Fetches a meeting; undefined if it was deleted upstream. */
  #fetchEvent(id: string) {
    const { client } = this.#options;
    return this.#request(() => catchNotFound(client.record(calendarEvents.get, { id })));
  }

  async #download(record: RawJson<ReceivedEvent>, ledgerMeeting: LedgerMeeting): Promise<MeetingContent> {
    const { client, contents, boxes } = this.#options;
    const recordings = await this.#request(() => downloadRecordings(client, record.value));
    const done = recordings.filter(({ status }) => status === 'done');
    const summaries = done.map(({ content }) => content?.value.summary);
    const ownFile = await this.#request(() => boxes.storeChangedBoxes(ledgerMeeting, summaries));
    const { id } = record.value;
    // Malformed data fails only this meeting.
    const rendered = await this.#request(async () =>
      renderFiles(record, recordings, contents, boxes.createDoneCheck(id, summaries)),
    );
    const [markdown] = rendered.files;
    const shownBoxes = { key: boxes.getKey(id), done: listDoneBoxes(markdown?.text ?? '') };
    return { ...rendered, recordings, ownFile, boxes: shownBoxes };
  }

  async #request<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#limit(work);
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

  /** Moves and writes the files of a meeting, and saves it. */
  async #write(
    event: ReceivedEvent,
    ledgerMeeting: LedgerMeeting,
    path: string,
    { files: rendered, recordings, skippedReasons, ownFile, boxes }: MeetingContent,
  ): Promise<Outcome> {
    const { folder, ledger, layout, now } = this.#options;
    const contents = this.#contentKey;
    const ownMeeting = ownFile ? toPlannedMeeting(ledgerMeeting, [ownFile]) : ledgerMeeting;
    const { isMoved, plan } = await useFiles(() => this.#changeFiles(ownMeeting, path, rendered));
    const { kind, editedNames, files, unusedFiles } = plan;
    // A killed run may have left a folder empty.
    if (isInterrupted(ledgerMeeting))
      for (const { name } of listAllFiles(ledgerMeeting)) folder.removeEmptyParent(name);
    const written = { contents, layout, files, unusedFiles, boxes };
    ledger.save({ meeting: toExportedMeeting(event, ledgerMeeting, recordings, now, written) });
    const before = new Map(ledgerMeeting.recordings.map(({ id, state }) => [id, state]));
    return {
      kind: isMoved && kind === 'unchanged' ? 'updated' : kind,
      edited: editedNames,
      skipped: Array.from(new Set(skippedReasons), (reason) => ({ name: path, reason })),
      newlyUnavailable: recordings
        .filter(({ id, status }) => status === unavailable && before.get(id) !== 'unavailable')
        .map(({ id }) => id),
    };
  }

  /** Moves and writes files. Saves their new names and hashes in the ledger first, in case the run is killed. */
  async #changeFiles(ledgerMeeting: LedgerMeeting, path: string, renderedFiles: readonly MeetingFile[]) {
    const { folder, ledger } = this.#options;
    const { moves, movedMeeting } = planMoves(folder, ledgerMeeting, path, renderedFiles);
    this.#move(ledgerMeeting, movedMeeting, moves);
    const plan = planFiles(folder, movedMeeting, path, renderedFiles);
    if (plan.writes.length > 0) {
      ledger.save({ meeting: toPlannedMeeting(movedMeeting, plan.files) });
      // Wait for all writes before throwing a failure.
      const writes = await Promise.allSettled(plan.writes.map(({ name, text }) => folder.write(name, text)));
      for (const write of writes) if (write.status === 'rejected') throw write.reason;
    }
    return { isMoved: moves.length > 0, plan };
  }

  #move(ledgerMeeting: LedgerMeeting, movedMeeting: LedgerMeeting, moves: MovePlan['moves']): void {
    const { folder, ledger } = this.#options;
    if (moves.length > 0)
      ledger.save({ meeting: toPlannedMeeting(ledgerMeeting, listAllFiles(movedMeeting)) });
    for (const { from, to } of moves) folder.move(from, to);
  }

  #saveDeletion(ledgerMeeting: LedgerMeeting): Outcome {
    this.#options.ledger.save({ meeting: toDeletedMeeting(ledgerMeeting) });
    return { kind: 'deleted' };
  }

  #saveFailure(error: unknown, ledgerMeeting: LedgerMeeting, event?: ReceivedEvent): Outcome {
    if (!(error instanceof MeetingFailure)) throw error;
    const { ledger } = this.#options;
    const latestMeeting = ledger.getMeeting(ledgerMeeting.id) ?? ledgerMeeting;
    const failure = error.message;
    const meeting = event ? toFailedMeeting(event, latestMeeting, failure) : { ...latestMeeting, failure };
    ledger.save({ meeting });
    const { id, title } = meeting;
    return {
      kind: 'failed',
      failure: error.failure,
      isRepeated: latestMeeting.failure !== undefined,
      id,
      title,
    };
  }
}

async function useFiles<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isPathFailure(error) ? new MeetingFailure(error) : error;
  }
}

const formatStatuses = ({ value }: RawJson<ReceivedEvent>) => JSON.stringify(listRecordings(value));

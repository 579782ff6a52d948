import { join, resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { syncFolder } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { type LockHolder, withLock } from '../files/lock.ts';
import { makeFolder, type Permissions } from '../files/permissions.ts';
import { toStoredWorkspace, type WorkspaceIdentity } from '../files/workspace-identity.ts';
import { ActionBoxes, type ActionStates } from './action-boxes.ts';
import { EventList } from './event-list.ts';
import { type ExportResult, ResultCollector } from './export-result.ts';
import { ExportFolder } from './folder.ts';
import type { Layout } from './layout.ts';
import { type Ledger, moveDamagedLedger, openLedger, toFilterKey } from './ledger.ts';
import type { ExportFilter, LedgerMeeting, Watermark } from './ledger-format.ts';
import { MeetingExporter } from './meeting-exporter.ts';
import { type ExportContents, formatContentKey } from './meeting-files.ts';
import { findDelay, isInterrupted, listMainFiles } from './meeting-state.ts';
import { claimFolder } from './ownership.ts';
import { type PrunedFiles, prune } from './prune.ts';

/** The options of an export. */
export interface ExportOptions {
  readonly client: Client;
  /** The export folder, created if missing. It belongs to one workspace. */
  readonly folder: string;
  readonly workspace: WorkspaceIdentity;
  /** Whether to take over a folder of another workspace. */
  readonly adopt: boolean;
  readonly permissions: Permissions;
  readonly contents: ExportContents;
  readonly layout: Layout;
  readonly filter: ExportFilter;
  /** Only meetings updated after this time, in seconds since 1970. */
  readonly since: number | undefined;
  readonly full: boolean;
  /** `all`: even if this deletes more than a tenth of all files. */
  readonly prune: boolean | 'all';
  /** Days to keep checking for unfinished recordings. */
  readonly settle: number;
  /** Number of meetings fetched in parallel. */
  readonly concurrency: number;
  readonly holder: LockHolder;
  /** The states of action items, which the boxes show; if undefined, all items are open. */
  readonly actions?: ActionStates | undefined;
  /** Called with the new path of a damaged ledger. */
  readonly onDamagedLedger: (path: string) => Promise<void>;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** Minimum seconds by which a watermark lags the service's clock, to cover writes in progress. */
const watermarkLag = 300;

/** Seconds by which a run lists from before its watermark: an update may become visible after a newer one. */
const overlap = 3600;

/**
 * The age in seconds up to which each run lists meetings again: `updated_at` may not change when a recording is done.
 */
const recent = 3 * 86_400;

/** Seconds after which a run lists all meetings again: a list may have shifted while it was read. */
const relistInterval = 86_400;

/**
 * Exports meetings as files into a folder. Later runs update the files. After a killed run, the ledger lets the next
 * run complete it.
 * @throws {Failure} failed if the folder cannot be written, busy if another run holds its lock
 */
export async function exportMeetings(options: ExportOptions): Promise<ExportResult> {
  const { workspace, permissions, full, holder } = options;
  const path = resolve(options.folder);
  const folder = new ExportFolder(path, permissions);
  accessFile('write', options.folder, () => makeFolder(path, permissions.folder));
  const lock = { path: join(path, '.kith-export.lock'), work: `is exporting to ${path}` };
  return withLock(lock, holder, async () => {
    await folder.removeTemporaryFiles();
    const damagedPath = full ? await moveDamagedLedger(path, holder.now(), permissions) : undefined;
    if (damagedPath) await options.onDamagedLedger(damagedPath);
    const ledger = openLedger(path, toStoredWorkspace(workspace), permissions);
    try {
      const isTakenOver = claimFolder(ledger, path, workspace, options.adopt);
      return await runExport(options, folder, ledger, isTakenOver);
    } finally {
      ledger.close();
    }
  });
}

async function runExport(
  options: ExportOptions,
  folder: ExportFolder,
  ledger: Ledger,
  isTakenOver: boolean,
): Promise<ExportResult> {
  const { client, filter, since, layout, settle, holder, onProgress } = options;
  const now = holder.now();
  const watermark = loadWatermark(ledger, filter, `${formatContentKey(options.contents)} ${layout}`);
  const seconds = Math.floor(now.getTime() / 1000);
  const isRequested = options.full || Boolean(options.prune) || isTakenOver;
  const isDue = isRequested || Math.abs(seconds - (watermark.listed ?? 0)) >= relistInterval;
  const isRelist = since === undefined && (isDue || watermark.at === undefined);
  const updatedAfter = since ?? (isRelist || watermark.at === undefined ? undefined : watermark.at - overlap);
  const list = new EventList(client, now);
  const events = list.read(filter, updatedAfter, since === undefined && !isRelist ? recent : undefined);
  const results = new ResultCollector();
  const boxes = new ActionBoxes(folder, holder, options.actions, ledger.checkedAt);
  const exporter = new MeetingExporter({ ...options, folder, ledger, boxes, isRelist, now });
  // While some meetings are written, the same number is fetched.
  const parallel = 2 * options.concurrency;
  await forEachParallel(events, parallel, async (event) => {
    results.add(await exporter.exportListed(event));
    onProgress(results.count, list.total);
  });
  const isAll = isRelist && toFilterKey(filter) === toFilterKey({}) && list.isComplete;
  const isUnfinished = (meeting: LedgerMeeting) =>
    meeting.failure !== undefined ||
    isInterrupted(meeting) ||
    meeting.recordings.some((recording) => findDelay(recording, settle, now) === 'pending') ||
    listMainFiles(meeting).some(({ name }) => !folder.has(name));
  const unlistedMeetings = ledger.listMeetings((id) => !list.ids.has(id));
  await forEachParallel(unlistedMeetings, parallel, async (meeting) => {
    // After a list of all meetings, an unlisted meeting may have been deleted upstream.
    if (!meeting.isDeleted && (isAll || isUnfinished(meeting) || boxes.isOutdated(meeting)))
      results.add(await exporter.exportUnlisted(meeting));
  });
  const isComplete = list.isComplete && results.failed.length === 0;
  if (isComplete && (since === undefined || (watermark.at !== undefined && since <= watermark.at))) {
    const listed = isRelist ? seconds : watermark.listed;
    ledger.save({ watermark: { ...watermark, at: computeTime(list, watermark.at), listed } });
  }
  // An empty list is more likely a mistake of the service than a workspace without meetings.
  if (options.prune && list.ids.size === 0 && ledger.size > 0)
    throw new Failure('failed', 'The service lists no meetings; --prune deleted nothing.');
  const pruned: PrunedFiles = options.prune
    ? prune(folder, ledger, options.prune === 'all')
    : { files: 0, meetings: 0, unused: 0 };
  await folder.sync();
  await ledger.compact(folder.permissions);
  await syncFolder(folder.path);
  return results.build(ledger, settle, now, pruned);
}

/**
 * Returns a filter's watermark. Clears watermarks with other options, because the files will no longer match those
 * options.
 */
function loadWatermark(ledger: Ledger, filter: ExportFilter, options: string): Watermark {
  const clear = (filter: ExportFilter) => {
    const watermark = { filter, options, at: undefined, listed: undefined };
    ledger.save({ watermark });
    return watermark;
  };
  for (const watermark of [...ledger.watermarks.values()]) {
    if (watermark.options !== options) clear(watermark.filter);
  }
  return ledger.watermarks.get(toFilterKey(filter)) ?? clear(filter);
}

/**
 * Returns the time of the watermark after a run: the newest update seen or, if earlier, a time shortly before the list
 * response. A watermark in the future, from a clock that was ahead, is dropped: the next run lists everything.
 */
function computeTime({ listedAt, latestUpdate }: EventList, last = 0): number | undefined {
  const newestSeen = Math.max(latestUpdate, last);
  return newestSeen === 0 || listedAt < last ? undefined : Math.min(listedAt - watermarkLag, newestSeen);
}

/**
 * Calls `work` for each item, `limit` at a time. Waits for running calls before it throws a failure, so that no file is
 * half written.
 */
async function forEachParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = (async function* () {
    yield* items;
  })();
  const runLoop = async () => {
    // A loop that fails ends the queue, and with it the other loops.
    for await (const item of queue) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: limit }, runLoop));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

import { join, resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { syncFolder } from '../files/atomic-write.ts';
import { withWriteErrors } from '../files/disk-errors.ts';
import { type LockHolder, withLock } from '../files/lock.ts';
import { makeFolder, type Permissions } from '../files/permissions.ts';
import { identifyWorkspace, type WorkspaceAccess } from '../files/workspace-identity.ts';
import { createSemaphore } from '../values/concurrency.ts';
import { createEventList, type EventList } from './event-list.ts';
import { createResultCounter, type ExportResult } from './export-result.ts';
import { removeTemporaryFiles } from './folder.ts';
import { createPathBuilder, type Layout } from './layout.ts';
import { filterKey, type Ledger, moveDamagedLedger, openLedger, recoverMeetings } from './ledger.ts';
import type { ExportFilter } from './ledger-format.ts';
import { createMeetingExporter } from './meeting-exporter.ts';
import type { ExportContents } from './meeting-files.ts';
import { claimFolder, type FolderClaim } from './ownership.ts';
import { findUnlisted, prune } from './prune.ts';
import { findEarlierFiles } from './recovery.ts';

/** What an export needs. */
export interface ExportOptions {
  readonly client: Client;
  /** Made where it is not there. */
  readonly folder: string;
  /** A folder belongs to one workspace. */
  readonly workspace: WorkspaceAccess;
  /** Decides whether to take over a folder that has another key or place; undefined refuses it. */
  readonly adopt: FolderClaim['adopt'];
  /** Permissions of the files, the ledger and new folders. */
  readonly permissions: Permissions;
  readonly contents: ExportContents;
  readonly layout: Layout;
  readonly filter: ExportFilter;
  /** Only meetings updated after it: seconds since 1970. */
  readonly since: number | undefined;
  /** Fetch everything again. */
  readonly full: boolean;
  /** Remove files of meetings no longer on the service; `all`: even if they are more than a tenth of all files. */
  readonly prune: boolean | 'all';
  /** Days for which a recording that is not done is asked for again. */
  readonly settle: number;
  /** Meetings worked on at once. */
  readonly concurrency: number;
  readonly holder: LockHolder;
  /** Called with the path to which a damaged ledger was moved. */
  readonly onDamagedLedger: (path: string) => Promise<void>;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** Minimum seconds by which a watermark lags the service's clock, to cover writes in progress. */
const lookBack = 300;

/** Seconds by which a run lists from before its watermark: an update may become visible after a newer one. */
const overlap = 3600;

/**
 * Each run lists all meetings that started within this many seconds. A meeting becomes visible when its first
 * recording is done, and `updated_at` may not change then.
 */
const recent = 3 * 86_400;

/**
 * Seconds after which the whole list is read again, though of its meetings only what is new is fetched: a list can
 * shift while it is read, and a recording may be done without its meeting being marked as updated.
 */
const relist = 86_400;

/**
 * Writes every meeting as files into a folder, and what has changed when it is run again (cli.md, "Export"). Each
 * file appears whole or not at all, and is in the ledger when it is there: a run that is killed is completed by
 * the next one. Throws `failed` where the folder cannot be written, `busy` while another run holds it.
 */
export async function exportMeetings(exporting: ExportOptions): Promise<ExportResult> {
  const folder = resolve(exporting.folder);
  await withWriteErrors(exporting.folder, async () => makeFolder(folder, exporting.permissions.folder));
  const lock = { path: join(folder, '.kith-export.lock'), work: `is exporting to ${folder}` };
  return withLock(lock, exporting.holder, async () => {
    await removeTemporaryFiles(folder);
    const { workspace, permissions, full, holder } = exporting;
    const damaged = full ? await moveDamagedLedger(folder, holder.now(), permissions) : undefined;
    if (damaged) await exporting.onDamagedLedger(damaged);
    // The first line of a damaged ledger is lost, so only its meetings can identify the workspace.
    const owner = damaged ? { workspace: workspace.place } : identifyWorkspace(workspace);
    const ledger = await openLedger(folder, owner, permissions);
    try {
      if (damaged) await recoverMeetings(damaged, ledger);
      const isTakenOver = await claimFolder(ledger, { ...exporting, folder });
      return await runExport({ ...exporting, folder }, ledger, isTakenOver);
    } finally {
      await ledger.close();
    }
  });
}

async function runExport(
  exporting: ExportOptions,
  ledger: Ledger,
  isTakenOver: boolean,
): Promise<ExportResult> {
  const { client, folder, filter, since, layout, concurrency, settle, holder, onProgress } = exporting;
  const made = formatContentKey(exporting.contents);
  const options = `${made} ${layout}`;
  const last = await loadWatermark(ledger, filter, options);
  const now = holder.now();
  const seconds = Math.floor(now.getTime() / 1000);
  const { listed = 0 } = ledger.watermarks.get(filterKey(filter)) ?? {};
  const isAsked = exporting.full || Boolean(exporting.prune) || isTakenOver;
  const isDue = isAsked || Math.abs(seconds - listed) >= relist;
  const isRelist = since === undefined && (isDue || last === undefined);
  const updatedAfter = since ?? (isRelist || last === undefined ? undefined : last - overlap);
  const isIncremental = since === undefined && !isRelist;
  const list = createEventList(
    client,
    { filter, updatedAfter, recent: isIncremental ? recent : undefined },
    now,
  );
  const tally = createResultCounter();
  const touched = new Set<string>();
  const earlierFiles = ledger.isIncomplete ? await findEarlierFiles(folder) : new Map();
  const exporter = createMeetingExporter({
    ...exporting,
    isRelist,
    earlierFiles,
    ledger,
    contentKey: made,
    touched,
    buildPath: createPathBuilder(layout, client),
    limit: createSemaphore(concurrency),
    onEdited: tally.edit,
    onSkipped: tally.refuse,
    onUnavailable: tally.lose,
  });
  // While some meetings are written, as many others are asked for.
  const workers = 2 * concurrency;
  await forEachParallel(list.events, workers, async (event) => {
    tally.add(await exporter.exportListed(event));
    onProgress(tally.count, list.total());
  });
  const isAll = isRelist && filterKey(filter) === filterKey({}) && list.isComplete();
  const others = findUnlisted(ledger, list.ids, { folder, settle, now, isAll });
  await forEachParallel(others, workers, async (meeting) =>
    tally.add(await exporter.exportUnlisted(meeting)),
  );
  const isSeen = list.isComplete() && tally.failed.length === 0;
  if (isSeen && (since === undefined || (last !== undefined && since <= last))) {
    const seen = { ...computeWatermark(list, last), listed: isRelist ? seconds : listed };
    await ledger.saveWatermark({ filter, made: options, ...seen });
  }
  if (exporting.prune) await pruneFolder(list, exporting, ledger);
  await Promise.all([...touched].map((name) => syncFolder(join(folder, name))));
  await ledger.compact(earlierFiles.size === 0 || (isAll && isSeen));
  await syncFolder(folder);
  return tally.counts(ledger, settle, now);
}

/** Removes what a list tells to be gone. Throws `failed` for one without a meeting: it would be all there is. */
async function pruneFolder(
  { ids: seen }: EventList,
  exporting: ExportOptions,
  ledger: Ledger,
): Promise<void> {
  if (seen.size === 0 && ledger.meetings.size > 0) {
    throw new Failure('failed', 'The service lists no meeting at all; nothing is removed.');
  }
  await prune(exporting.folder, ledger, exporting.prune === 'all');
}

/** What the files of a run hold: others of before are brought up to date. */
function formatContentKey(contents: ExportContents): string {
  return ['md', contents.transcript && 'transcript', ...[...contents.with].sort()].filter(Boolean).join(' ');
}

/**
 * Up to when a filter was seen, with the same options: seconds since 1970. A watermark of other options is void
 * from here on: not all that it stands for will be made with them.
 */
async function loadWatermark(
  ledger: Ledger,
  filter: ExportFilter,
  made: string,
): Promise<number | undefined> {
  for (const watermark of [...ledger.watermarks.values()]) {
    if (watermark.made !== made) await ledger.saveWatermark({ filter: watermark.filter, made });
  }
  const last = ledger.watermarks.get(filterKey(filter));
  if (!last) await ledger.saveWatermark({ filter, made });
  return last?.at;
}

/**
 * Returns the watermark after a run: the newest update seen, or a time shortly before the list response if that is
 * earlier. A watermark from a clock that was ahead is dropped: the next run lists everything.
 */
function computeWatermark(
  { listedAt: answeredAt, newest }: EventList,
  last: number | undefined,
): { at?: number } {
  const answered = Math.floor(answeredAt().getTime() / 1000);
  const newestSeen = Math.max(newest() ?? 0, last ?? 0);
  const isNothingSeen = newestSeen === 0;
  return isNothingSeen || answered < (last ?? 0) ? {} : { at: Math.min(answered - lookBack, newestSeen) };
}

/**
 * Works on items as they come, several at once. Ends with the first failure, but not before the work that is
 * under way: no file is left half written.
 */
export async function forEachParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = (async function* () {
    yield* items;
  })();
  let isStopped = false;
  const worker = async () => {
    try {
      for (let next = await queue.next(); !next.done && !isStopped; next = await queue.next()) {
        await work(next.value);
      }
    } catch (error) {
      isStopped = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: workers }, worker));
  await queue.return(undefined);
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

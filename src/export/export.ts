import { join, resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { storedFor, type WorkspaceAccess } from '../contract/workspace-identity.ts';
import { settleNames } from '../files/atomic-write.ts';
import { onDisk } from '../files/disk-errors.ts';
import { type Holder, whileLocked } from '../files/lock.ts';
import { makeFolder } from '../files/make-folder.ts';
import type { Permissions } from '../files/permissions.ts';
import { createSemaphore } from '../values/concurrency.ts';
import { findEarlierFiles } from './earlier-files.ts';
import { sweep } from './folder.ts';
import { inParallel } from './in-parallel.ts';
import { type Layout, placesOf } from './layout.ts';
import { keyOf, type Ledger, moveDamagedLedger, openLedger, recoverMeetings } from './ledger.ts';
import type { Filter } from './ledger-lines.ts';
import { type List, listOf } from './list.ts';
import { meetingExporter } from './meeting.ts';
import { claimFolder, type FolderClaim } from './ownership.ts';
import { type Exported, tallied } from './tally.ts';
import type { Contents } from './texts.ts';
import { prune, unlisted } from './upkeep.ts';

/** What an export needs. */
export interface Exporting {
  readonly client: Client;
  /** Made where it is not there. */
  readonly folder: string;
  /** A folder belongs to one workspace. */
  readonly workspace: WorkspaceAccess;
  /** Decides whether to take over a folder that has another key or place; undefined refuses it. */
  readonly adopt: FolderClaim['adopt'];
  /** Permissions of the files, the ledger and new folders. */
  readonly permissions: Permissions;
  readonly contents: Contents;
  readonly layout: Layout;
  readonly filter: Filter;
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
  readonly holder: Holder;
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
export async function exportMeetings(exporting: Exporting): Promise<Exported> {
  const folder = resolve(exporting.folder);
  await onDisk(exporting.folder, async () => makeFolder(folder, exporting.permissions.folder));
  const lock = { path: join(folder, '.kith-export.lock'), work: `is exporting to ${folder}` };
  return whileLocked(lock, exporting.holder, async () => {
    await sweep(folder);
    const { workspace, permissions, full, holder } = exporting;
    const damaged = full ? await moveDamagedLedger(folder, holder.now(), permissions) : undefined;
    if (damaged) await exporting.onDamagedLedger(damaged);
    // The first line of a damaged ledger is lost, so only its meetings can identify the workspace.
    const owner = damaged ? { workspace: workspace.place } : storedFor(workspace);
    const ledger = await openLedger(folder, owner, permissions);
    try {
      if (damaged) await recoverMeetings(damaged, ledger);
      const isTakenOver = await claimFolder(ledger, { ...exporting, folder });
      return await run({ ...exporting, folder }, ledger, isTakenOver);
    } finally {
      await ledger.close();
    }
  });
}

async function run(exporting: Exporting, ledger: Ledger, isTakenOver: boolean): Promise<Exported> {
  const { client, folder, filter, since, layout, concurrency, settle, holder, onProgress } = exporting;
  const made = madeWith(exporting.contents);
  const options = `${made} ${layout}`;
  const last = await watermarkFor(ledger, filter, options);
  const now = holder.now();
  const seconds = Math.floor(now.getTime() / 1000);
  const { listed = 0 } = ledger.watermarks.get(keyOf(filter)) ?? {};
  const isAsked = exporting.full || Boolean(exporting.prune) || isTakenOver;
  const isDue = isAsked || Math.abs(seconds - listed) >= relist;
  const isRelist = since === undefined && (isDue || last === undefined);
  const updatedAfter = since ?? (isRelist || last === undefined ? undefined : last - overlap);
  const isIncremental = since === undefined && !isRelist;
  const list = listOf(client, { filter, updatedAfter, recent: isIncremental ? recent : undefined }, now);
  const tally = tallied();
  const touched = new Set<string>();
  const earlierFiles = ledger.isIncomplete ? await findEarlierFiles(folder) : new Map();
  const exporter = meetingExporter({
    ...exporting,
    isRelist,
    earlierFiles,
    ledger,
    made,
    touched,
    placeOf: placesOf(layout, client),
    inTurn: createSemaphore(concurrency),
    onEdited: tally.edit,
    onRefused: tally.refuse,
    onGone: tally.lose,
  });
  // While some meetings are written, as many others are asked for.
  const workers = 2 * concurrency;
  await inParallel(list.events, workers, async (event) => {
    tally.add(await exporter.listed(event));
    onProgress(tally.count, list.total());
  });
  const isAll = isRelist && keyOf(filter) === keyOf({}) && list.isWhole();
  const others = unlisted(ledger, list.seen, { folder, settle, now, isAll });
  await inParallel(others, workers, async (meeting) => tally.add(await exporter.unlisted(meeting)));
  const isSeen = list.isWhole() && tally.failed.length === 0;
  if (isSeen && (since === undefined || (last !== undefined && since <= last))) {
    const seen = { ...watermarkAfter(list, last), listed: isRelist ? seconds : listed };
    await ledger.mark({ filter, made: options, ...seen });
  }
  if (exporting.prune) await pruneBy(list, exporting, ledger);
  await Promise.all([...touched].map((name) => settleNames(join(folder, name))));
  await ledger.complete(earlierFiles.size === 0 || (isAll && isSeen));
  await settleNames(folder);
  return tally.counts(ledger, settle, now);
}

/** Removes what a list tells to be gone. Throws `failed` for one without a meeting: it would be all there is. */
async function pruneBy({ seen }: List, exporting: Exporting, ledger: Ledger): Promise<void> {
  if (seen.size === 0 && ledger.meetings.size > 0) {
    throw new Failure('failed', 'The service lists no meeting at all; nothing is removed.');
  }
  await prune(exporting.folder, ledger, exporting.prune === 'all');
}

/** What the files of a run hold: others of before are brought up to date. */
function madeWith(contents: Contents): string {
  return ['md', contents.transcript && 'transcript', ...[...contents.with].sort()].filter(Boolean).join(' ');
}

/**
 * Up to when a filter was seen, with the same options: seconds since 1970. A watermark of other options is void
 * from here on: not all that it stands for will be made with them.
 */
async function watermarkFor(ledger: Ledger, filter: Filter, made: string): Promise<number | undefined> {
  for (const watermark of [...ledger.watermarks.values()]) {
    if (watermark.made !== made) await ledger.mark({ filter: watermark.filter, made });
  }
  const last = ledger.watermarks.get(keyOf(filter));
  if (!last) await ledger.mark({ filter, made });
  return last?.at;
}

/**
 * Returns the watermark after a run: the newest update seen, or a time shortly before the list response if that is
 * earlier. A watermark from a clock that was ahead is dropped: the next run lists everything.
 */
function watermarkAfter({ answeredAt, newest }: List, last: number | undefined): { at?: number } {
  const answered = Math.floor(answeredAt().getTime() / 1000);
  const newestSeen = Math.max(newest() ?? 0, last ?? 0);
  const isNothingSeen = newestSeen === 0;
  return isNothingSeen || answered < (last ?? 0) ? {} : { at: Math.min(answered - lookBack, newestSeen) };
}

import { dirname, join, resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import type { Batch } from '../client/pages.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import type { Sent } from '../contract/json-text.ts';
import { fieldsOf } from '../output/columns.ts';
import { madeFolder, onDisk, settleNames, sweep } from './folder.ts';
import { inParallel } from './in-parallel.ts';
import { type Layout, placesOf } from './layout.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { type Holder, whileLocked } from './lock.ts';
import { meetingExporter, type Outcome } from './meeting.ts';
import type { Contents } from './texts.ts';
import { goneNow, isLate, isWaited, prune, unlisted } from './upkeep.ts';

/** What became of the meetings. */
export interface Exported {
  readonly new: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Recordings that are not done yet and will be asked for again. */
  readonly pending: number;
  /** Recordings that were not done for so long that they are asked for no more. */
  readonly late: number;
  /** Meetings that the service has no more; their files stay. */
  readonly gone: number;
  /** Files that a person edited; the new text stands beside each. */
  readonly edited: readonly string[];
  readonly failed: readonly { readonly id: string; readonly title: string; readonly reason: string }[];
}

/** What an export needs. */
export interface Exporting {
  readonly client: Client;
  /** Made where it is not there. */
  readonly folder: string;
  readonly contents: Contents;
  readonly layout: Layout;
  readonly filter: {
    readonly contact_id?: string | undefined;
    readonly organization_id?: string | undefined;
  };
  /** Only meetings updated after it: seconds since 1970. */
  readonly since: number | undefined;
  /** Fetch everything again. */
  readonly full: boolean;
  /** Remove the files of meetings that are gone. */
  readonly prune: boolean;
  /** Days for which a recording that is not done is asked for again. */
  readonly settle: number;
  /** Meetings worked on at once. */
  readonly concurrency: number;
  readonly holder: Holder;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** How the list of events is read. */
const reading = { size: 100, limit: undefined, sideBySide: 2 };

/** Seconds that a run looks back behind the start of the one before: for what was just being written then. */
const lookBack = 300;

/** Meetings that fail one after the other before it is the service that fails. */
const patience = 10;

/**
 * Writes every meeting as files into a folder, and what has changed when it is run again (cli.md, "Export"). Each
 * file appears whole or not at all, and is in the ledger when it is there: a run that is killed is completed by
 * the next one. Throws `failed` where the folder cannot be written, `busy` while another run holds it.
 */
export async function exportMeetings(exporting: Exporting): Promise<Exported> {
  const folder = resolve(exporting.folder);
  await onDisk(exporting.folder, () => madeFolder(folder));
  return whileLocked(folder, exporting.holder, async () => {
    await sweep(folder);
    const ledger = await openLedger(folder);
    try {
      return await run({ ...exporting, folder }, ledger);
    } finally {
      await ledger.close();
    }
  });
}

async function run(exporting: Exporting, ledger: Ledger): Promise<Exported> {
  const { client, folder, filter, since, full, concurrency, holder, onProgress } = exporting;
  const made = madeWith(exporting);
  const filterKey = JSON.stringify(filter);
  const last = ledger.watermarks.get(filterKey);
  const updated_after = since ?? (full || exporting.prune || last?.made !== made ? undefined : last.at);
  const tally = talliedOn();
  const placeOf = placesOf(exporting.layout, client);
  const one = meetingExporter({ ...exporting, ledger, made, placeOf, edited: tally.edited });
  const settle = async (event: Sent) => tally.add(await one(event));

  const events = eventsOf(
    client.pages(calendarEvents.list, { ...filter, updated_after }, reading),
    holder.now(),
  );
  await inParallel(events.all, concurrency, async (event) => {
    await settle(event);
    onProgress(tally.outcomes.length, events.read.total);
  });
  const { seen, total, started } = events.read;
  const isWhole = total === undefined || seen.size >= total;
  const isListed = updated_after === undefined && isWhole && !filter.contact_id && !filter.organization_id;
  const looking = { folder, settle: exporting.settle, now: holder.now(), isListed };
  await inParallel(await unlisted(ledger, seen, looking), concurrency, async (meeting) => {
    const event = await eventStill(client, meeting.id);
    await (event ? settle(event) : ledger.keep(goneNow(meeting)));
  });
  if (exporting.prune) await prune(folder, ledger);

  const { failed } = tally;
  if (failed.length === 0 && isWhole && (since === undefined || since <= (last?.at ?? -1))) {
    ledger.watermarks.set(filterKey, { at: Math.floor(started.getTime() / 1000) - lookBack, made });
  }
  await Promise.all(foldersOf(folder, ledger).map(settleNames));
  await ledger.complete();
  await settleNames(folder);
  return countsOf(ledger, tally, looking);
}

/** What the files of a run are made with: others of before are brought up to date. */
function madeWith({ contents, layout }: Exporting): string {
  return ['md', contents.transcript && 'transcript', ...[...contents.with].sort(), layout]
    .filter(Boolean)
    .join(' ');
}

/** The events of a list as they are read, and what was seen of it until now. */
function eventsOf(batches: AsyncIterable<Batch>, now: Date) {
  const read = { seen: new Set<string>(), total: undefined as number | undefined, started: now };
  let isFirst = true;
  const all = (async function* () {
    for await (const { records, total, at } of batches) {
      if (isFirst) read.started = at ?? now;
      isFirst = false;
      read.total = total;
      for (const event of records) {
        read.seen.add(String(fieldsOf(event.value).id));
        yield event;
      }
    }
  })();
  return { all, read };
}

/** A meeting that the service still has; undefined for one that is gone. */
async function eventStill(client: Client, id: string): Promise<Sent | undefined> {
  try {
    return await client.record(calendarEvents.get, { id });
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** What became of the meetings of a run. */
interface Tally {
  readonly outcomes: Outcome[];
  readonly edited: string[];
  readonly failed: Exported['failed'];
  add(outcome: Outcome): void;
}

function talliedOn(): Tally {
  const outcomes: Outcome[] = [];
  let streak = 0;
  return {
    outcomes,
    edited: [],
    get failed() {
      return outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? [outcome.told] : []));
    },
    add(outcome) {
      outcomes.push(outcome);
      const isRefused = outcome.kind === 'failed' && outcome.failure.code === 'unavailable';
      streak = isRefused ? streak + 1 : outcome.kind === 'unchanged' ? streak : 0;
      if (isRefused && streak >= patience) throw outcome.failure;
    },
  };
}

function foldersOf(folder: string, { meetings }: Ledger): string[] {
  const names = [...meetings.values()].flatMap(({ files }) => files.map(({ name }) => dirname(name)));
  return [...new Set(names)].map((name) => join(folder, name));
}

function countsOf(
  { meetings }: Ledger,
  { outcomes, edited, failed }: Tally,
  { settle, now }: { readonly settle: number; readonly now: Date },
): Exported {
  const all = [...meetings.values()];
  const of = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length;
  const recordings = all.flatMap((meeting) => meeting.recordings);
  const gone = all.filter((meeting) => meeting.gone).length;
  return {
    new: of('new'),
    updated: of('updated'),
    unchanged: all.length - gone - of('new') - of('updated') - failed.length,
    pending: recordings.filter((recording) => isWaited(recording, settle, now)).length,
    late: recordings.filter((recording) => isLate(recording, settle, now)).length,
    gone,
    edited,
    failed,
  };
}

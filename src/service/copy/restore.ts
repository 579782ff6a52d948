import sql from 'sql-template-tag';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { Noun } from '../../contract/singular-nouns.ts';
import type {
  RestoreReport,
  RestoreSource,
  RestoreSummary,
  WorkspaceRecords,
} from '../../contract/workspace.ts';
import { formatDatabase } from '../../values/database-url.ts';
import { createPhoneParser } from '../../values/phone.ts';
import { type RawJson, toRawJson } from '../../values/raw-json.ts';
import type { Database } from '../db/database.ts';
import { readRegion } from '../records/region.ts';
import { fillEmpty, type Place } from './fill-empty.ts';
import { checkCounts, checkRecords } from './restore-check.ts';
import type { RestoreContext, StoreRecords } from './restore-context.ts';
import { createDroppedValues } from './restore-context.ts';
import { formatNoun, listNouns, planIds, readId } from './restore-ids.ts';
import { storeEntries, storeLastKeys, storeLists } from './restore-lists.ts';
import { storeEvents, storeNotes, storeRecordings } from './restore-meetings.ts';
import { RowNumbers } from './restore-numbers.ts';
import { storeContacts, storeCustomFields, storeOrganizations } from './restore-people.ts';

const stores: { readonly [N in Noun]: StoreRecords<N> } = {
  customFields: storeCustomFields,
  organizations: storeOrganizations,
  contacts: storeContacts,
  lists: storeLists,
  entries: storeEntries,
  notes: storeNotes,
  events: storeEvents,
  recordings: storeRecordings,
};

/** The number of records in memory at a time. A note may have up to 1 MiB, a transcript several. */
const batchSizes: Partial<Record<Noun, number>> = { notes: 100, events: 100, recordings: 10 };
const defaultBatchSize = 500;

/** The growth of a table after which statements on it are planned again. */
const updateFactor = 4;

export interface RestoreOptions {
  readonly source: RestoreSource;
  readonly report: RestoreReport;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/**
 * Stores the records of a source in an empty workspace, in one transaction. Reads all records back and compares them
 * before it is committed.
 * @throws {Failure} `failed` if the target has records, or no record can be stored
 */
export async function restoreWorkspace(to: Place, options: RestoreOptions): Promise<RestoreSummary> {
  const source = completeSource(options.source);
  const plan = await planIds(source, options.signal);
  const fill = async (db: Database, updatePlans: () => Promise<void>) => {
    if (source.identity) await db.run(sql`update workspace set identity = ${source.identity}`);
    const context: RestoreContext = {
      db,
      updatePlans,
      plan,
      numbers: new RowNumbers(db, plan),
      dropped: createDroppedValues(),
      customFields: new Map(),
      listFields: new Map(),
      entryKeys: new Map(),
      parsePhone: await createPhoneParser(await readRegion(db)),
      now: options.now.getTime(),
    };
    const counts = new Map<Noun, number>();
    for (const noun of listNouns())
      counts.set(noun, await storeNoun(context, noun, to, { ...options, source }));
    await storeLastKeys(context);
    const check = async () => {
      // A meeting is listed only after its recordings are stored.
      counts.set('events', await checkEvents(context, source));
      await checkCounts(db, counts);
      const rows = Array.from(counts, ([noun, rows]) => ({ noun, rows }));
      const dropped = context.dropped.list();
      if (dropped.length > 0 && rows.every(({ rows }) => rows === 0))
        throw new Failure('failed', `No record can be stored in ${formatDatabase(to.location)}.`);
      return { rows, dropped };
    };
    return { lastIds: context.numbers.getLastIds(), check };
  };
  return fillEmpty(to, fill, true);
}

/** Stores the records of a noun, and returns the number of those that can be read. */
async function storeNoun<N extends Noun>(
  context: RestoreContext,
  noun: N,
  { db, location }: Place,
  { source, report, signal }: RestoreOptions,
): Promise<number> {
  const store: StoreRecords<N> = stores[noun];
  let [done, count, nextUpdate] = [0, 0, defaultBatchSize];
  for (const batch of readBatches(source, noun)) {
    signal.throwIfAborted();
    context.dropped.beginBatch();
    try {
      const numbered = await context.numbers.number(noun, batch, (id, problem) =>
        context.dropped.add(noun, id, undefined, problem),
      );
      const stored = await store(context, numbered);
      await context.numbers.keepIds(noun, stored);
      count += noun === 'events' ? stored.length : await checkRecords(context, noun, stored);
    } catch (error) {
      if (error instanceof Failure) throw error;
      const message = `${formatDatabase(location)} cannot store the ${formatNoun(noun)}: ${getErrorMessage(error)}.`;
      throw db.toFailure(error, location) ?? new Failure('failed', message, { cause: error });
    }
    done += batch.length;
    if (done >= nextUpdate) {
      await context.updatePlans();
      nextUpdate = done * updateFactor;
    }
    report(noun, done);
  }
  return count;
}

async function checkEvents(context: RestoreContext, source: RestoreSource): Promise<number> {
  const seen = new Set<string>();
  let count = 0;
  for (const batch of readBatches(source, 'events')) {
    context.dropped.beginBatch();
    const rows = await context.numbers.find(
      'events',
      batch.map(({ value }) => value.id),
    );
    const records = batch.flatMap((raw) => {
      const { value } = raw;
      const row = seen.has(value.id) ? undefined : rows.get(value.id);
      seen.add(value.id);
      return row === undefined ? [] : [{ row, id: value.id, value, raw }];
    });
    count += await checkRecords(context, 'events', records);
  }
  return count;
}

function* readBatches<N extends Noun>(source: RestoreSource, noun: N) {
  const size = batchSizes[noun] ?? defaultBatchSize;
  let batch: RawJson<WorkspaceRecords[N]>[] = [];
  for (const record of source.read(noun)) {
    batch.push(record);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Adds the recordings that a source has only in its meetings, without summary and transcript. */
const completeSource = (source: RestoreSource): RestoreSource => ({
  ...source,
  read: ((noun) =>
    noun === 'recordings' ? readRecordings(source) : source.read(noun)) as RestoreSource['read'], // by the noun
});

function* readRecordings(source: RestoreSource): Generator<RawJson<WorkspaceRecords['recordings']>> {
  const known = new Set<string>();
  for (const record of source.read('recordings')) {
    known.add(readId(record));
    yield record;
  }
  for (const { value } of source.read('events')) {
    const { id: calendar_event_id, recordings, created_at, updated_at } = value;
    for (const { id, ...recording } of recordings) {
      if (known.has(id)) continue;
      const missing = { calendar_event_id, ...recording, summary: null, transcript: null };
      yield toRawJson({ id, ...missing, created_at, updated_at });
    }
  }
}

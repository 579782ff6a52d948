import { updateOverlap, type WorkspaceReader } from '../../archive/read-workspace.ts';
import { type Failure, isUnreadable } from '../../contract/errors.ts';
import { repeatIfChanged } from '../../records/read-all.ts';
import { readMonotonicClock } from '../../values/clock.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import type { Kind } from '../kinds.ts';
import { type IndexFile, readMeta, toIndexError, writeMeta } from './index-file.ts';
import { KindWriter } from './index-writer.ts';
import { type Names, readSources, type SourceOptions } from './sources.ts';

/** The options of an update. */
export interface UpdateOptions {
  /** Reads the workspace, or an archive of it. */
  readonly reader: WorkspaceReader;
  readonly index: IndexFile;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Whether to write every record again, and to fetch every recording. */
  readonly isFull: boolean;
  /** Whether to store texts. An embedded workspace already contains them. */
  readonly hasTexts: boolean;
  /** The state of the workspace file, if it is embedded. */
  readonly fingerprint: string | undefined;
  readonly onProgress: (kind: Kind, doneCount: number, total: number | undefined) => void;
}

/** The result of an update. */
export interface UpdateSummary {
  /** The number of records that were written or removed. */
  readonly changes: number;
  /** Kinds that the service does not list. */
  readonly skippedKinds: readonly Kind[];
  /** Ids of unreadable recordings, and of lists with unreadable entries. */
  readonly skippedIds: Readonly<Record<'lists' | 'recordings', ReadonlySet<string>>>;
}

/** Organizations and contacts come first, because notes and entries include their names. */
const order: readonly Kind[] = ['organizations', 'contacts', 'notes', 'entries', 'meetings'];

/** Milliseconds after which all meetings are listed again, to find those that were deleted. */
const relistInterval = 24 * 3_600_000;

/** The share of changed records above which an update merges the index into one segment. */
const mergeShare = 0.2;

/**
 * Updates an index. Each page is one transaction, and unchanged records are not written, so that the next run resumes a
 * killed one. The caller must hold the lock for writers.
 * @throws {UnusableIndexError} if the file is damaged
 */
export async function updateIndex(options: UpdateOptions): Promise<UpdateSummary> {
  try {
    return await runUpdate(options);
  } catch (error) {
    throw toIndexError(error);
  }
}

async function runUpdate(options: UpdateOptions): Promise<UpdateSummary> {
  const { index, now, isFull, fingerprint } = options;
  const start = readMonotonicClock();
  if (isFull) {
    index.run('update record set stamp = -1');
    // If this run is interrupted, the next one lists all meetings too.
    writeMeta(index, 'meetings_listed_at', 0);
  }
  const names = createNames(index);
  const skippedIds = { lists: new Set<string>(), recordings: new Set<string>() };
  const skippedKinds: Kind[] = [];
  let changes = 0;
  for (const kind of order) {
    const { failure, changes: more } = await updateKind(kind, options, names, (skippedKind, id) =>
      skippedIds[skippedKind].add(id),
    );
    if (failure) skippedKinds.push(kind);
    // A key without read access must get an error instead of no matches.
    if (failure && skippedKinds.length === order.length) throw failure;
    changes += more;
  }
  const { count } = index.prepare('select count(*) as count from record').get() as { count: number };
  if (changes > count * mergeShare)
    index.sqlite.exec("insert into words (words) values ('optimize'); pragma incremental_vacuum");
  writeMeta(index, 'completed_at', now().getTime());
  writeMeta(index, 'duration', Math.round(readMonotonicClock() - start));
  writeMeta(index, 'fingerprint', fingerprint ?? '');
  index.sqlite.exec('pragma wal_checkpoint(truncate)');
  return { changes, skippedKinds, skippedIds };
}

/** Updates the records of a kind. Removes them, and returns the failure, if the service does not list them. */
async function updateKind(
  kind: Kind,
  { reader, index, now, signal, isFull, hasTexts, onProgress }: UpdateOptions,
  names: Names,
  onSkipped: SourceOptions['onSkipped'],
): Promise<{ readonly changes: number; readonly failure?: Failure }> {
  let writer = new KindWriter(index, kind, hasTexts);
  let changes = 0;
  const startedAt = now();
  let listedAt = startedAt;
  const sinceListed = startedAt.getTime() - (readMeta(index, 'meetings_listed_at') ?? 0);
  const isRecent = sinceListed >= 0 && sinceListed < relistInterval;
  const updatedAfter =
    kind === 'meetings' && reader.canListUpdates && isRecent && !isFull
      ? readMeta(index, 'meetings_until')
      : undefined;
  const onListed = (at: Date | undefined) => {
    listedAt = at ?? startedAt;
  };
  let doneCount = 0;
  const write = async () => {
    changes += writer.changes;
    writer = new KindWriter(index, kind, hasTexts);
    doneCount = 0;
    for await (const batch of readSources[kind]({ reader, names, updatedAfter, onListed, onSkipped })) {
      await writer.write(batch.sources);
      doneCount += batch.sources.length;
      onProgress(kind, doneCount, batch.total);
      await yieldToSignals(signal);
    }
  };
  try {
    await repeatIfChanged(write);
  } catch (error) {
    if (!isUnreadable(error) || doneCount > 0) throw error;
    writer.removeUnseen();
    if (kind === 'meetings') writeMeta(index, 'meetings_listed_at', 0);
    return { changes: changes + writer.changes, failure: error };
  }
  if (updatedAfter === undefined) writer.removeUnseen();
  if (kind === 'meetings') {
    writeMeta(index, 'meetings_until', Math.floor(listedAt.getTime() / 1000) - updateOverlap);
    if (updatedAfter === undefined) writeMeta(index, 'meetings_listed_at', startedAt.getTime());
  }
  return { changes: changes + writer.changes };
}

/** Keeps names in a temporary table, which SQLite writes to disk if there are many. */
function createNames(index: IndexFile): Names {
  index.sqlite.exec(`drop table if exists temp.name;
    create temp table name (kind text, id text, name text, primary key (kind, id)) without rowid`);
  const insertion = index.sqlite.prepare('insert or replace into temp.name values (?, ?, ?)');
  const selection = index.sqlite.prepare('select name from temp.name where kind = ? and id = ?');
  return {
    set: (kind, id, name) => void insertion.all(kind, id, name),
    get: (kind, id) => {
      const row = selection.get(kind, id) as { name: string } | undefined; // the column of the statement
      return row?.name ?? '';
    },
  };
}

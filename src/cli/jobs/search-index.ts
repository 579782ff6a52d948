import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, type FailureCode } from '../../contract/errors.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { withLock } from '../../files/lock.ts';
import { makeFolder } from '../../files/permissions.ts';
import {
  checkIndexFolder,
  createIndex,
  getKeyRange,
  type IndexFile,
  openIndex,
  readMeta,
  removeIndex,
  resolveIndexFile,
  UnusableIndexError,
} from '../../search-index/index-file.ts';
import { type Kind, kinds } from '../../search-index/kinds.ts';
import type { UpdateSummary } from '../../search-index/update.ts';
import { getWorkspaceKey } from '../../settings/connection.ts';
import { identifyKey } from '../../settings/key-identity.ts';
import { resolveCacheFolder } from '../../settings/paths.ts';
import { isDatabaseUrl } from '../../values/database-url.ts';
import { formatCount } from '../../values/text.ts';
import { findConnection } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { withProgress } from '../print/progress.ts';

/** The index file of the workspace in use, and the workspace that it must belong to. */
export interface IndexTarget {
  readonly path: string;
  /** Identifies the workspace of a hosted service: another key may belong to another workspace. */
  readonly identity: string;
  /** The workspace file, which shows whether it has changed. Other workspaces do not. */
  readonly file: string | undefined;
  /** Whether responses have their text, as over HTTP. */
  readonly hasTexts: boolean;
}

/** Finds the index of the workspace in use. @throws {Failure} unauthorized */
export async function findIndexTarget(session: Session): Promise<IndexTarget> {
  const connection = await findConnection(session, session.globals);
  const path = resolveIndexFile(resolveCacheFolder(session.env), getWorkspaceKey(connection));
  const target = { path, identity: identifyKey(connection) };
  if (connection.kind === 'hosted') return { ...target, file: undefined, hasTexts: true };
  const { database } = connection;
  return { ...target, file: isDatabaseUrl(database) ? undefined : database, hasTexts: false };
}

/** Describes the state of a workspace file: two equal texts mean that nothing was written in between. */
function readFingerprint(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const describe = (path: string) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && stats.size > 0 ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
  };
  return `${describe(file)} ${describe(`${file}-wal`)}`;
}

/** How an index is updated. */
export interface RefreshOptions {
  readonly isFull: boolean;
  /** Milliseconds to wait for another run that updates it. */
  readonly timeout: number;
}

/** Updates, creates or rebuilds the index of a workspace. @throws {Failure} busy if another run is updating it */
export async function refreshIndex(
  session: Session,
  target: IndexTarget,
  { isFull, timeout }: RefreshOptions,
): Promise<UpdateSummary> {
  const { path, identity, file, hasTexts } = target;
  const { signal, now } = session;
  const client = await session.client();
  const { updateIndex } = await import('../../search-index/update.ts');
  const fingerprint = readFingerprint(file);
  const formatProgress = createProgressFormatter();
  const update = (index: IndexFile) =>
    withProgress(session, (show) =>
      updateIndex({
        ...{ client, index, now, signal, isFull, fingerprint, hasTexts },
        onProgress: (kind, done, total) => show(formatProgress(kind, done, total)),
      }),
    ).finally(() => index.close());
  const lock = { path: `${path}.lock`, work: 'is updating the search index' };
  accessFile('write', path, () => makeFolder(dirname(path), 0o700));
  checkIndexFolder(dirname(path));
  return withLock(
    lock,
    { ...session.lockHolder, signal },
    async () => {
      try {
        return await update(openIndex(path, identity) ?? createIndex(path, identity));
      } catch (error) {
        if (!(error instanceof UnusableIndexError)) throw error;
        return update(createIndex(path, identity));
      }
    },
    timeout,
  );
}

/** Returns the formatter of the progress of an update, which counts the pages of each kind. */
function createProgressFormatter() {
  const pages = new Map<Kind, number>();
  return (kind: Kind, done: number, total: number | undefined): string => {
    const page = (pages.get(kind) ?? 0) + 1;
    pages.set(kind, page);
    // The total of entries is that of one list.
    const isKnown = total !== undefined && kind !== 'entries';
    return `Indexing ${kind}: page ${page}, ${done}${isKnown ? ` of ${total}` : ' records'}`;
  };
}

/** Failures of the service, of this machine and of another run, after which an older index is still searched. */
const tolerable: readonly FailureCode[] = [
  ...(['network', 'unavailable', 'rate_limited', 'internal'] as const),
  ...(['failed', 'storage', 'busy'] as const),
];

/** Milliseconds to wait for another run if there is no index yet. */
const firstBuildTimeout = 600_000;

/** Seconds after which an index is updated. */
const defaultMaxAge = 3600;

/** Milliseconds. If an update of a workspace file takes less, every search updates the index. */
const shortUpdate = 5000;

/**
 * Opens the index, updated first if it is older than `maxAge` seconds; if omitted, one hour. The index of a workspace
 * file is updated only if the file has changed; if `maxAge` is omitted, at any age, unless the last update took long.
 */
export async function openFreshIndex(
  session: Session,
  target: IndexTarget,
  maxAge: number | undefined,
): Promise<IndexFile> {
  const fresh = openIfFresh(session, target, maxAge);
  if (fresh) return fresh;
  const isFirst = readAge(session, target) === undefined;
  if (isFirst) await session.note('Building the search index. Later searches only update it.');
  try {
    const timeout = isFirst ? firstBuildTimeout : 0;
    await reportSkipped(session, await refreshIndex(session, target, { isFull: false, timeout }));
  } catch (error) {
    const age = readAge(session, target);
    if (age === undefined || !(error instanceof Failure) || !tolerable.includes(error.code)) throw error;
    await session.note(
      `Searching the index from ${formatAge(age)} ago. Updating it failed: ${error.message}`,
    );
  }
  const index = tryOpen(target);
  if (index) return index;
  throw new Failure('failed', 'Another process removed the search index during the search.', {
    hint: 'kith index update',
  });
}

/** Opens the index if `openFreshIndex` would not update it. */
export function openIfFresh(
  session: Session,
  target: IndexTarget,
  maxAge: number | undefined,
): IndexFile | undefined {
  const index = tryOpen(target);
  const completedAt = index && readMeta(index, 'completed_at');
  if (index && completedAt !== undefined) {
    const { file } = target;
    const isShort = file !== undefined && (readMeta(index, 'duration') ?? 0) < shortUpdate;
    // A time in the future is one of a clock that was wrong.
    const isFuture = completedAt > session.now().getTime();
    const isOld = isFuture || getAge(session, completedAt) >= (maxAge ?? (isShort ? 0 : defaultMaxAge));
    const mayDiffer = file === undefined || readFingerprint(file) !== readMeta(index, 'fingerprint');
    if (!isOld || !mayDiffer) return index;
  }
  index?.close();
  return undefined;
}

/** Reports the kinds and recordings that an update could not read. */
export async function reportSkipped(
  session: Session,
  { skippedKinds, skipped: { lists, recordings } }: UpdateSummary,
): Promise<void> {
  for (const kind of skippedKinds)
    await session.note(`The service does not list ${kind}; they are not indexed.`);
  const unread = [
    ...(lists.size > 0 ? [`the entries of ${formatCount(lists.size, 'list')}`] : []),
    ...(recordings.size > 0 ? [formatCount(recordings.size, 'recording')] : []),
  ];
  if (unread.length > 0) await session.note(`Not indexed: ${unread.join(' and ')} that could not be read.`);
}

/** Opens the index of a workspace if it exists and can be used. */
function tryOpen({ path, identity }: IndexTarget): IndexFile | undefined {
  try {
    return openIndex(path, identity);
  } catch (error) {
    if (error instanceof UnusableIndexError) return undefined;
    throw error;
  }
}

/** Returns the seconds since an index was completed; undefined if it never was. */
function readAge(session: Session, target: IndexTarget): number | undefined {
  const index = tryOpen(target);
  const completedAt = index && readMeta(index, 'completed_at');
  index?.close();
  return completedAt === undefined ? undefined : getAge(session, completedAt);
}

const getAge = ({ now }: Session, completedAt: number) => Math.max(0, (now().getTime() - completedAt) / 1000);

/** Formats seconds as the largest unit: `3 hours`. */
function formatAge(seconds: number): string {
  if (seconds < 120) return formatCount(Math.round(seconds), 'second');
  if (seconds < 7200) return formatCount(Math.round(seconds / 60), 'minute');
  if (seconds < 172_800) return formatCount(Math.round(seconds / 3600), 'hour');
  return formatCount(Math.round(seconds / 86_400), 'day');
}

/** Returns the numbers of indexed records, the size of the index in bytes, and when it was last updated. */
export function readIndexStatus({ now }: Session, target: IndexTarget) {
  const index = tryOpen(target);
  try {
    const counts = kinds.map((kind): [Kind, number] => [kind, index ? countRecords(index, kind) : 0]);
    const completedAt = index && readMeta(index, 'completed_at');
    const sizes = ['', '-wal'].map(
      (suffix) => statSync(target.path + suffix, { throwIfNoEntry: false })?.size,
    );
    return {
      file: target.path,
      records: counts.reduce((sum, [, count]) => sum + count, 0),
      ...Object.fromEntries(counts),
      bytes: sizes.reduce<number>((sum, size = 0) => sum + size, 0),
      updated_at: completedAt === undefined ? null : new Date(completedAt).toISOString(),
      age_seconds: completedAt === undefined ? null : Math.round((now().getTime() - completedAt) / 1000),
    };
  } finally {
    index?.close();
  }
}

function countRecords(index: IndexFile, kind: Kind): number {
  const { first, last } = getKeyRange(kind);
  const row = index.prepare('select count(*) as count from record where n between ? and ?').get(first, last);
  return (row as { count: number }).count; // an aggregate always has a row
}

/** Milliseconds to wait for a run that updates the index to remove. */
const removalTimeout = 10_000;

/** Removes the index of a workspace while no other run writes it. Returns whether there was one. */
export async function clearIndex({ lockHolder, signal }: Session, { path }: IndexTarget): Promise<boolean> {
  const lock = { path: `${path}.lock`, work: 'is updating the search index' };
  const clear = async () => removeIndex(path);
  if (!existsSync(path)) return false;
  try {
    return await withLock(lock, { ...lockHolder, signal }, clear, removalTimeout);
  } catch (error) {
    // On a full disk there is no lock, and one more reason to remove a file.
    if (!(error instanceof Failure) || error.code !== 'failed') throw error;
    return accessFile('write', path, () => removeIndex(path));
  }
}

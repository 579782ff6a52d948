import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WorkspaceReader } from '../archive/read-workspace.ts';
import type { Client } from '../client/client.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { accessFile } from '../files/disk-errors.ts';
import { type LockHolder, withLock } from '../files/lock.ts';
import { makeFolder } from '../files/permissions.ts';
import { formatAge } from '../values/age.ts';
import { formatCount } from '../values/text.ts';
import {
  checkIndexFolder,
  createIndex,
  getKeyRange,
  type IndexFile,
  openIndex,
  readMeta,
  removeIndex,
  UnusableIndexError,
} from './index/index-file.ts';
import type { UpdateSummary } from './index/update.ts';
import { type Kind, kinds } from './kinds.ts';

/** The workspace that an index belongs to. */
export interface IndexedWorkspace {
  /** The file of the index. */
  readonly path: string;
  /** The workspace file, which shows whether the workspace has changed. Undefined for other workspaces. */
  readonly file: string | undefined;
  /** When the mirror that the client reads was pulled. An index of any age is then fresh. Undefined for a service. */
  readonly mirroredAt: Date | undefined;
  /** Whether responses contain their JSON text, as over HTTP. */
  readonly hasTexts: boolean;
}

/** The run that uses an index. */
export interface IndexUser {
  readonly client: () => Promise<Client>;
  readonly lockHolder: LockHolder;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Prints a line for the person. */
  readonly note: (text: string) => Promise<void>;
  /** Shows the progress of long-running work. */
  readonly withProgress: <T>(work: (show: (progress: string) => void) => Promise<T>) => Promise<T>;
}

/** The options of an update. */
interface RefreshOptions {
  /** Whether to read and write everything again. */
  readonly isFull?: boolean;
  /** Milliseconds to wait for another run that updates the index. */
  readonly timeout: number;
  /** Reads the workspace. If omitted, its service is read. */
  readonly reader?: WorkspaceReader;
}

/** Failures after which an older index is still searched: of the service, this machine or another run. */
const tolerable: readonly FailureCode[] = [
  ...(['network', 'unavailable', 'rate_limited', 'internal'] as const),
  ...(['failed', 'storage', 'busy'] as const),
];

/** Milliseconds to wait for another run, if no index exists yet or before the index is removed. */
const firstBuildTimeout = 600_000;
const removalTimeout = 10_000;

/** Seconds after which an index is updated. */
const defaultMaxAge = 3600;

/** Milliseconds. If an update of a workspace file takes less, every search updates the index. */
const shortUpdate = 5000;

/** The search index of a workspace, which may not exist yet. */
export class SearchIndex {
  readonly #workspace: IndexedWorkspace;
  readonly #user: IndexUser;

  constructor(workspace: IndexedWorkspace, user: IndexUser) {
    this.#workspace = workspace;
    this.#user = user;
  }

  /**
   * Opens the index. Updates it first if it is older than `maxAge` seconds, by default one hour. The index of a
   * workspace file is updated only if the file has changed. If `maxAge` is omitted, this happens at any age, unless the
   * last update took long.
   */
  async openFresh(maxAge?: number): Promise<IndexFile> {
    const { note } = this.#user;
    const fresh = this.openIfFresh(maxAge);
    if (fresh) return fresh;
    const isFirst = this.#readAge() === undefined;
    if (isFirst) await note('Building the search index. Later searches only update it.');
    try {
      await this.refresh({ timeout: isFirst ? firstBuildTimeout : 0 });
    } catch (error) {
      const age = this.#readAge();
      if (age === undefined || !(error instanceof Failure) || !tolerable.includes(error.code)) throw error;
      await note(`Searching the index from ${formatAge(age)} ago. Updating it failed: ${error.message}`);
    }
    const index = this.#tryOpen();
    if (index) return index;
    throw new Failure('failed', 'Another process removed the search index during the search.', {
      hint: 'kith index update',
    });
  }

  /** Opens the index only if `openFresh` would not update it. */
  openIfFresh(maxAge?: number): IndexFile | undefined {
    const index = this.#tryOpen();
    if (index && this.#isFresh(index, maxAge)) return index;
    index?.close();
    return undefined;
  }

  #isFresh(index: IndexFile, maxAge: number | undefined): boolean {
    const completedAt = readMeta(index, 'completed_at');
    if (completedAt === undefined) return false;
    const { file, mirroredAt } = this.#workspace;
    if (mirroredAt) return true;
    const isShort = file !== undefined && (readMeta(index, 'duration') ?? 0) < shortUpdate;
    // A time in the future comes from a clock that was wrong.
    const isFuture = completedAt > this.#user.now().getTime();
    const isOld = isFuture || this.#getAge(completedAt) >= (maxAge ?? (isShort ? 0 : defaultMaxAge));
    return !isOld || (file !== undefined && readFingerprint(file) === readMeta(index, 'fingerprint'));
  }

  /**
   * Updates, creates or rebuilds the index, and reports data that the service does not return.
   * @throws {Failure} busy if another run is still updating it after `timeout` milliseconds
   */
  async refresh({ isFull = false, timeout, ...source }: RefreshOptions): Promise<UpdateSummary> {
    const { path, file, hasTexts, mirroredAt } = this.#workspace;
    const { withProgress, now, signal } = this.#user;
    const { createServiceReader } = await import('../archive/read-workspace.ts');
    const reader = source.reader ?? createServiceReader(await this.#user.client());
    const fingerprint = file === undefined ? undefined : readFingerprint(file);
    const update = async (index: IndexFile) => {
      const formatProgress = createProgressFormatter();
      try {
        const { updateIndex } = await import('./index/update.ts');
        return await withProgress((show) =>
          updateIndex({
            ...{ index, reader, fingerprint, isFull, signal, hasTexts },
            now: mirroredAt ? () => mirroredAt : now,
            onProgress: (kind, done, total) => show(formatProgress(kind, done, total)),
          }),
        );
      } finally {
        index.close();
      }
    };
    const folder = dirname(path);
    accessFile('write', path, () => makeFolder(folder, 0o700));
    checkIndexFolder(folder);
    const summary = await this.#withLock(timeout, async () => {
      try {
        return await update(openIndex(path) ?? createIndex(path));
      } catch (error) {
        if (!(error instanceof UnusableIndexError)) throw error;
        return update(createIndex(path));
      }
    });
    for (const text of describeSkipped(summary)) await this.#user.note(text);
    return summary;
  }

  /** Returns the numbers of indexed records, the size of the index in bytes, and when it was last updated. */
  readStatus() {
    const { path } = this.#workspace;
    const index = this.#tryOpen();
    try {
      const counts = kinds.map((kind): [Kind, number] => [kind, index ? countRecords(index, kind) : 0]);
      const completedAt = index && readMeta(index, 'completed_at');
      const sizes = ['', '-wal'].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size);
      return {
        file: path,
        records: counts.reduce((sum, [, count]) => sum + count, 0),
        ...Object.fromEntries(counts),
        bytes: sizes.reduce<number>((sum, size = 0) => sum + size, 0),
        updated_at: completedAt === undefined ? null : new Date(completedAt).toISOString(),
        age_seconds: completedAt === undefined ? null : Math.round(this.#getAge(completedAt)),
      };
    } finally {
      index?.close();
    }
  }

  /** Removes the index while no other run writes it. Returns whether the index existed. */
  async clear(): Promise<boolean> {
    const { path } = this.#workspace;
    if (!existsSync(path)) return false;
    try {
      return await this.#withLock(removalTimeout, async () => removeIndex(path));
    } catch (error) {
      // A full disk prevents the lock, and is a reason to remove the file.
      if (!(error instanceof Failure) || error.code !== 'failed') throw error;
      return accessFile('write', path, () => removeIndex(path));
    }
  }

  remove(): void {
    removeIndex(this.#workspace.path);
  }

  #withLock<T>(timeout: number, work: () => Promise<T>): Promise<T> {
    const { lockHolder, signal } = this.#user;
    const lock = { path: `${this.#workspace.path}.lock`, work: 'is updating the search index' };
    return withLock(lock, { ...lockHolder, signal }, work, timeout);
  }

  /** Opens the index if it exists and can be used. */
  #tryOpen(): IndexFile | undefined {
    try {
      return openIndex(this.#workspace.path);
    } catch (error) {
      if (error instanceof UnusableIndexError) return undefined;
      throw error;
    }
  }

  /** Returns the age of the index in seconds; undefined if no update has completed. */
  #readAge(): number | undefined {
    const index = this.#tryOpen();
    const completedAt = index && readMeta(index, 'completed_at');
    index?.close();
    return completedAt === undefined ? undefined : this.#getAge(completedAt);
  }

  #getAge(completedAt: number): number {
    return Math.max(0, (this.#user.now().getTime() - completedAt) / 1000);
  }
}

/** Describes the state of a workspace file: two equal texts mean that nothing was written in between. */
function readFingerprint(file: string): string {
  const describe = (path: string) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && stats.size > 0 ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
  };
  return `${describe(file)} ${describe(`${file}-wal`)}`;
}

/** Returns the formatter of the progress of an update, which counts the pages of each kind. */
function createProgressFormatter() {
  const pages = new Map<Kind, number>();
  return (kind: Kind, done: number, total: number | undefined): string => {
    const page = (pages.get(kind) ?? 0) + 1;
    pages.set(kind, page);
    // The total of entries covers only one list.
    const isKnown = total !== undefined && kind !== 'entries';
    return `Indexing ${kind}: page ${page}, ${done}${isKnown ? ` of ${total}` : ' records'}`;
  };
}

/** Describes the kinds and recordings that an update could not read. */
function describeSkipped({ skippedKinds, skippedIds: { lists, recordings } }: UpdateSummary): string[] {
  const unread = [
    ...(lists.size > 0 ? [`the entries of ${formatCount(lists.size, 'list')}`] : []),
    ...(recordings.size > 0 ? [formatCount(recordings.size, 'recording')] : []),
  ];
  return [
    ...skippedKinds.map((kind) => `The service does not list ${kind}; they are not indexed.`),
    ...(unread.length > 0 ? [`Not indexed: ${unread.join(' and ')} that could not be read.`] : []),
  ];
}

function countRecords(index: IndexFile, kind: Kind): number {
  const { first, last } = getKeyRange(kind);
  const row = index.prepare('select count(*) as count from record where n between ? and ?').get(first, last);
  return (row as { count: number }).count; // an aggregate always has a row
}

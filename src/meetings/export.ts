import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import { type Fields, fieldsOf } from '../output/columns.ts';
import { fileName } from './file-name.ts';
import { meetingMarkdown, type Recorded } from './markdown.ts';

/** What became of the meetings; `pending` are those with a recording that is not done yet. */
export interface Exported {
  readonly new: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly pending: number;
  readonly failed: readonly { readonly id: string; readonly title: string; readonly reason: string }[];
}

/** What an export needs. */
export interface Exporting {
  readonly client: Client;
  /** Made where it is not there. */
  readonly folder: string;
  /** Recordings asked for at once. */
  readonly concurrency: number;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** Meetings to a request. */
const pageSize = 50;

/** Failures of one meeting, which stop no other; any other failure would meet them all. */
const ownFailures = new Set(['not_found', 'refused', 'invalid', 'malformed']);

type Written = 'new' | 'updated' | 'unchanged';

/**
 * Writes every meeting as a Markdown file into a folder. A file appears whole or not at all; one that would
 * be the same is left alone. Throws `failed` where the folder cannot be written.
 */
export async function exportMeetings({
  client,
  folder,
  concurrency,
  onProgress,
}: Exporting): Promise<Exported> {
  await onDisk(folder, () => madeFolder(resolve(folder)));
  const counts = { new: 0, updated: 0, unchanged: 0, pending: 0 };
  const failed: { id: string; title: string; reason: string }[] = [];
  let done = 0;
  const one = async (event: Fields, total: number | undefined) => {
    const id = String(event.id);
    try {
      const recordings = await recordingsOf(client, event);
      counts[await writeMeeting(folder, event, recordings)] += 1;
      if (recordings.some(({ status }) => status !== 'done' && status !== 'failed')) counts.pending += 1;
    } catch (error) {
      if (!(error instanceof Failure) || !ownFailures.has(error.code)) throw error;
      failed.push({ id, title: String(event.title ?? ''), reason: error.message });
    }
    done += 1;
    onProgress(done, total);
  };
  const reading = { size: pageSize, limit: undefined, sideBySide: 1 };
  for await (const { records, total } of client.pages(calendarEvents.list, {}, reading)) {
    await inParallel(records, concurrency, ({ value }) => one(fieldsOf(value), total));
  }
  return { ...counts, failed };
}

/** Makes a folder with those above it. Node's own `recursive` never ends where the system denies that it is there. */
async function madeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws no other
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await madeFolder(dirname(path));
    await mkdir(path);
  }
}

/** The recordings of a meeting; those that are done are fetched, one after the other. */
async function recordingsOf(client: Client, event: Fields): Promise<Recorded[]> {
  const listed = Array.isArray(event.recordings) ? event.recordings.map(fieldsOf) : [];
  const recordings: Recorded[] = [];
  for (const { id, status } of listed) {
    const known = { id: String(id), status: String(status), summary: null };
    recordings.push(
      status === 'done'
        ? { ...known, summary: (await client.recordings.get({ id: known.id })).summary }
        : known,
    );
  }
  return recordings;
}

async function writeMeeting(
  folder: string,
  event: Fields,
  recordings: readonly Recorded[],
): Promise<Written> {
  const name = fileName({
    id: String(event.id),
    title: String(event.title ?? ''),
    start_at: String(event.start_at ?? ''),
  });
  const path = join(folder, name);
  // Compared as bytes: half a letter, as a service may leave of a title, is read back as another.
  const bytes = Buffer.from(meetingMarkdown(event, recordings));
  const before = await onDisk(path, () => readFile(path), 'ENOENT');
  if (before?.equals(bytes)) return 'unchanged';
  await onDisk(path, () => writeFileAtomic(path, bytes));
  return before === undefined ? 'new' : 'updated';
}

/** Work on a file, its errors told as failures that name it; `undefined` for an error that is expected. */
async function onDisk<T>(path: string, work: () => Promise<T>, expected?: string): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // node:fs throws no other
    if (code === expected && code !== undefined) return undefined;
    const reasons: Record<string, string> = {
      ENOSPC: 'there is no space left',
      EACCES: 'permission is denied',
      EROFS: 'the file system is read-only',
      EEXIST: 'it is a file, not a folder',
      EISDIR: 'it is a folder, not a file',
      ENOTDIR: 'a part of the path is a file',
    };
    throw new Failure('failed', `Cannot write ${path}: ${reasons[code ?? ''] ?? message}.`, { cause: error });
  }
}

/** Ends with the first failure, but not before the work that is under way: no file is left half written. */
async function inParallel<T>(
  items: readonly T[],
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let isStopped = false;
  const worker = async () => {
    try {
      for (const item of queue) if (!isStopped) await work(item);
    } catch (error) {
      isStopped = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: workers }, worker));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

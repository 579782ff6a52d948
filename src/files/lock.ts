import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/errors.ts';
import { readMonotonicClock } from '../values/clock.ts';
import { accessFile } from './disk-errors.ts';
import { checkFileType, createNotFileError } from './read-file.ts';

/**
 * Locks an empty file through the operating system, which releases the lock when this process ends, however it ends.
 * `locked`: another process has locked the file. `not_empty`: it is not locked, but has content. `unsupported`: the
 * file cannot be locked.
 */
export type LockFile = (
  path: string,
) => { readonly release: () => void } | 'locked' | 'not_empty' | 'unsupported';

/** A process that takes locks. */
export interface LockHolder {
  readonly pid: number;
  /** The name of this machine. */
  readonly host: () => string;
  /** Whether a process on this machine is running. */
  readonly isRunning: (pid: number) => boolean;
  readonly now: () => Date;
  /** Loads the operating system's lock; undefined if this Node has no usable lock. */
  readonly loadLockFile: () => Promise<LockFile | undefined>;
  /** Ends the wait for a lock. */
  readonly signal?: AbortSignal;
}

/** A lock: a file that exists while a run holds it. */
export interface Lock {
  readonly path: string;
  /** The work of the holder: `is exporting to meetings`. */
  readonly work: string;
}

/**
 * Runs the work while holding the lock. Never takes the lock of a live process; the lock of a process that has ended
 * is free at once. @throws {Failure} busy if another run still holds it after `timeout` milliseconds
 */
export async function withLock<T>(
  lock: Lock,
  holder: LockHolder,
  work: () => Promise<T>,
  timeout = 0,
): Promise<T> {
  const release = await takeLock(lock, holder, timeout);
  try {
    return await work();
  } finally {
    release();
  }
}

/** Milliseconds within which a new holder writes its name into the file. */
const namingTime = 1000;

/** Milliseconds between two attempts, with jitter, so that no run is always the last. */
const retryDelay = { least: 5, spread: 20 };

/** The longest delay, as a multiple of the first, so that waiting runs leave the holder CPU time. */
const maxBackoff = 8;

/** Takes a lock, and returns the function that releases it. @throws {Failure} busy if another run holds it */
export async function takeLock(lock: Lock, holder: LockHolder, timeout = 0): Promise<() => void> {
  const { path } = lock;
  const lockFile = await holder.loadLockFile();
  // A monotonic clock: the time of day may be set back.
  const start = readMonotonicClock();
  for (let salt = holder.pid, backoff = 1; ; salt += 7, backoff = Math.min(backoff * 2, maxBackoff)) {
    accessFile('read', path, () => checkFile(path));
    const attempt = accessFile('write', path, () => tryLock(path, holder, lockFile));
    if (attempt === 'again') continue;
    if ('release' in attempt) return attempt.release;
    const isNamed = parseHolder(attempt.heldBy).pid !== undefined;
    const maxWait = isNamed ? timeout : Math.max(timeout, namingTime);
    if (readMonotonicClock() - start >= maxWait) throw createBusyFailure(lock, attempt.heldBy, holder);
    const delay = backoff * (retryDelay.least + (salt % retryDelay.spread));
    await wait(delay, undefined, { signal: holder.signal });
  }
}

/** Throws if the path is a link, a pipe or a device. kith writes to the lock, so it must never follow a link. */
function checkFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw createNotFileError(path, 'it is a link, not a file');
  checkFileType(path);
}

/** `heldBy` is the text of the lock file. */
type Attempt = { readonly release: () => void } | { readonly heldBy: string } | 'again';

/**
 * The texts of the locks that this process holds, by inode. Closing any descriptor of a file drops all locks that the
 * process has on it (POSIX), so a file that we have locked must not be opened again.
 */
const heldLocks = new Map<string, string>();

const getInode = ({ dev, ino }: Stats) => `${dev}:${ino}`;

/** The largest size of a lock file, in bytes. */
const maxSize = 4096;

/**
 * Makes one synchronous attempt. Our descriptor stays open while we hold the lock, so the inode number is not reused.
 * The comparison at the end therefore proves that we have locked the file that has the path now, not one that its
 * holder has just removed.
 */
function tryLock(path: string, holder: LockHolder, lockFile: LockFile | undefined): Attempt {
  const current = lstatSync(path, { throwIfNoEntry: false });
  const ownText = current && heldLocks.get(getInode(current));
  if (ownText !== undefined) return { heldBy: ownText };
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o666);
  let isHeld = false;
  try {
    const stats = fstatSync(file);
    if (stats.size > maxSize) throw createNotFileError(path, 'it is not a kith lock file');
    const locked = lockFile?.(path) ?? 'unsupported';
    const isKernelLock = locked !== 'unsupported';
    const heldBy = readText(file);
    if (locked === 'locked') return { heldBy };
    // Without a lock of the operating system, the process named in the file holds it.
    if (locked === 'not_empty' || (!isKernelLock && stats.size > 0)) {
      if (isAlive(parseHolder(heldBy), holder, isKernelLock)) return { heldBy };
      // The run has ended. The next attempt locks the empty file.
      ftruncateSync(file, 0);
      return 'again';
    }
    const unlock = isKernelLock ? locked.release : () => {};
    if (!isAt(path, stats)) {
      unlock();
      return 'again';
    }
    const since = holder.now().toISOString();
    const text = JSON.stringify({ pid: holder.pid, host: holder.host(), since, isKernelLock });
    const release = () => {
      // This happens before the lock is released, because the file may then belong to another run.
      const isRemoved = tryRemove(path, stats);
      heldLocks.delete(getInode(stats));
      unlock();
      closeSync(file);
      // Windows does not remove an open file, so the next holder's file is safe too.
      if (!isRemoved) tryRemove(path, stats);
    };
    isHeld = true;
    heldLocks.set(getInode(stats), text);
    try {
      writeSync(file, text, 0);
    } catch (error) {
      release();
      throw error;
    }
    return { release };
  } finally {
    if (!isHeld) closeSync(file);
  }
}

function tryRemove(path: string, stats: Stats): boolean {
  try {
    if (isAt(path, stats)) rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

function isAt(path: string, stats: Stats): boolean {
  const current = lstatSync(path, { throwIfNoEntry: false });
  return current !== undefined && getInode(current) === getInode(stats);
}

/** The content of a lock file. */
interface HolderRecord {
  readonly pid?: number;
  readonly host?: string;
  readonly since?: string;
  /** The holder also uses the operating system's lock: if that is free, the holder has ended. */
  readonly isKernelLock?: boolean;
}

function parseHolder(text: string): HolderRecord {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {}; // not written yet, or truncated
  }
}

function readText(file: number): string {
  const bytes = Buffer.alloc(maxSize);
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, maxSize, 0));
}

/**
 * Whether the holder named in a lock file may be alive although the operating system's lock is free. In a container
 * every run may have the same process number, so a holder with our own number has ended.
 */
function isAlive(
  { pid, host, isKernelLock }: HolderRecord,
  holder: LockHolder,
  isKernelUsed: boolean,
): boolean {
  if (pid === undefined || (isKernelLock && isKernelUsed)) return false;
  return host !== holder.host() || (pid !== holder.pid && holder.isRunning(pid));
}

function createBusyFailure({ path, work }: Lock, text: string, holder: LockHolder): Failure {
  const { pid, host, since, isKernelLock } = parseHolder(text);
  if (pid === undefined) {
    return new Failure('busy', `Another run ${work}.`, {
      hint: `If no other run is active, the file system of ${path} may not support locks. Use a local disk.`,
    });
  }
  const location = host === holder.host() ? undefined : `It runs on ${host}.`;
  const hint = location && !isKernelLock ? `${location} If it has ended there, remove ${path}` : location;
  return new Failure('busy', `Another run ${work}: process ${pid}, since ${since}.`, { hint });
}

import { lstatSync, writeFileSync } from 'node:fs';
import { rename, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/errors.ts';
import { fromDisk, onDisk } from './on-disk.ts';
import { bytesOf, otherThing } from './plain-file.ts';
import { temporary } from './whole-file.ts';

/** Who takes a lock, and what it knows of the others. */
export interface Holder {
  readonly pid: number;
  /** The name of this machine. */
  readonly host: () => string;
  /** Whether a process of this machine is there. */
  readonly isRunning: (pid: number) => boolean;
  readonly now: () => Date;
}

/** Milliseconds between two signs of life of a holder. */
const beat = 30_000;

/** Milliseconds without one after which a holder is dead: another process may have its number by now. */
const stale = 10 * 60_000;

/** Milliseconds in which a lock is written that was made: one that stays empty has lost its holder. */
const unwritten = 1000;

/** A lock: a file that is there as long as a run holds it. */
export interface Lock {
  readonly path: string;
  /** What another run does that holds it: `exports to meetings`. */
  readonly work: string;
}

/**
 * Works while no other run holds the lock. That of a process that is no more is taken over. Throws `busy` where
 * another run holds it.
 */
export async function whileLocked<T>(lock: Lock, holder: Holder, work: () => Promise<T>): Promise<T> {
  const { path } = lock;
  const own = JSON.stringify({ pid: holder.pid, host: holder.host(), since: holder.now().toISOString() });
  while (!(await made(path, own))) {
    const dead = await deadAt(lock, holder);
    if (dead !== undefined && (await takenOver(lock, own, dead, holder))) break;
  }
  const life = setInterval(() => {
    const now = holder.now();
    utimes(path, now, now).catch(() => {});
  }, beat);
  life.unref();
  try {
    return await work();
  } finally {
    clearInterval(life);
    await letGo(path, own);
  }
}

/** Milliseconds between two looks at a lock that is waited for; never the same, so that none always comes last. */
const look = { least: 5, spread: 20 };

/** The same, but waits while another run holds the lock, so many milliseconds. Throws `busy` after that. */
export async function onceFree<T>(
  lock: Lock,
  holder: Holder & { readonly signal: AbortSignal },
  patience: number,
  work: () => Promise<T>,
): Promise<T> {
  // Not the time of day: that may be put back meanwhile.
  const end = performance.now() + patience;
  for (let salt = holder.pid; ; salt += 7) {
    let isOurs = false;
    try {
      return await whileLocked(lock, holder, () => {
        isOurs = true;
        return work();
      });
    } catch (error) {
      const isHeld = error instanceof Failure && error.code === 'busy' && !isOurs;
      if (!isHeld || performance.now() >= end) throw error;
    }
    await wait(look.least + (salt % look.spread), undefined, { signal: holder.signal });
  }
}

/** Makes a lock where there is none, in as little time as can be: one that was not written stands in the way. */
async function made(path: string, own: string): Promise<boolean> {
  try {
    const write = async () => writeFileSync(path, own, { flag: 'wx' }) ?? true;
    return (await onDisk(path, write, 'EEXIST')) ?? false;
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

/** Takes the lock away, unless another run took it for dead: one whose machine was asleep. */
async function letGo(path: string, own: string): Promise<void> {
  if ((await textAt(path)) === own) await onDisk(path, () => rm(path, { force: true }));
}

/** What a lock says; undefined where there is none. */
function textAt(path: string): Promise<string | undefined> {
  return fromDisk(path, async () => bytesOf(path)?.toString() ?? noLink(path));
}

/** Throws where a link to nothing is: it holds no lock, nor can one be made. */
function noLink(path: string): undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  if (isLink) throw otherThing(path, 'it is a link to nothing');
}

/**
 * The lock of a holder that is dead; undefined where it is worth another look, as it has just been let go or is just
 * being written. Throws `busy` for one that lives.
 */
async function deadAt({ path, work }: Lock, holder: Holder): Promise<string | undefined> {
  const text = await textAt(path);
  const touched = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (text === undefined || touched === undefined) return undefined;
  const { pid, host, since } = read(text);
  // The clock of a disk on the network may not be ours.
  const age = holder.now().getTime() - Math.max(touched, Date.parse(since ?? '') || 0);
  if (pid === undefined && Math.abs(age) < unwritten) return wait(20, undefined);
  // In a container each run may have the same number: one with our own is over.
  const isOver = host === holder.host() && (pid === holder.pid || !holder.isRunning(pid ?? 0));
  if (pid === undefined || isOver || Math.abs(age) >= stale) return text;
  throw new Failure('busy', `Another run ${work}: process ${pid}, since ${since}.`);
}

/**
 * Puts our lock in the place of a dead one, in one step. Of several that come at once only the one may that has
 * made the next lock, beside it. False where there is something new to look at.
 */
async function takenOver({ path, work }: Lock, own: string, dead: string, holder: Holder): Promise<boolean> {
  const next = `${path}.next${temporary}`;
  if (!(await made(next, own))) {
    // Whoever made it is at it, or was killed at it.
    if ((await deadAt({ path: next, work }, holder)) !== undefined) await rm(next, { force: true });
    return false;
  }
  const isStill = (await textAt(path)) === dead;
  await onDisk(path, () => (isStill ? rename(next, path) : rm(next, { force: true })));
  return isStill;
}

interface Told {
  readonly pid?: number;
  readonly host?: string;
  readonly since?: string;
}

function read(text: string): Told {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {}; // its holder has not written it yet, or never will
  }
}

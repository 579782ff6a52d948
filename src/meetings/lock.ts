import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { onDisk, temporary, writeWhole } from './folder.ts';

/** Who takes a lock, and what it knows of the others. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Whether a process of this machine is there. */
  readonly isRunning: (pid: number) => boolean;
  readonly now: () => Date;
}

/** Milliseconds between two signs of life of a holder. */
const beat = 30_000;

/** Milliseconds without one after which a holder is dead: another process may have its number by now. */
const stale = 10 * 60_000;

/** Milliseconds in which a lock is written that was made: one that stays empty has lost its holder. */
const unwritten = 2000;

/**
 * Works while no other run does so in the same folder. The lock of a process that is no more is taken over.
 * Throws `busy` where another run holds it.
 */
export async function whileLocked<T>(folder: string, holder: Holder, work: () => Promise<T>): Promise<T> {
  const path = join(folder, '.kith-export.lock');
  const own = JSON.stringify({ pid: holder.pid, host: holder.host, since: holder.now().toISOString() });
  while (!(await made(path, own))) {
    const dead = await deadAt(path, holder, folder);
    if (dead !== undefined && (await takenOver(path, own, dead, holder, folder))) break;
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

/** Makes a file that must not be there yet; false where it is. */
async function made(path: string, text: string): Promise<boolean> {
  const file = await onDisk(path, () => open(path, 'wx'), 'EEXIST');
  if (!file) return false;
  try {
    await onDisk(path, () => file.writeFile(text));
    return true;
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

/** Takes the lock away, unless another run took it for dead: one whose machine was asleep. */
async function letGo(path: string, own: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === own) {
    await rm(path, { force: true }).catch(() => {});
  }
}

/** The lock of a holder that is dead; undefined where it has just been let go. Throws `busy` for one that lives. */
async function deadAt(path: string, holder: Holder, folder: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const age = await ageOf(path, holder);
  if (text === undefined || age === undefined || isDead(read(text), holder, age)) return text;
  throw busy(folder, read(text));
}

/**
 * Puts our lock in the place of a dead one, in one step. Of several that come at once only the one that makes the
 * guard may. False where there is something new to look at.
 */
async function takenOver(
  path: string,
  own: string,
  dead: string,
  holder: Holder,
  folder: string,
): Promise<boolean> {
  const guard = `${path}.guard${temporary}`;
  if (!(await made(guard, own))) {
    // Whoever made it is at it, or was killed at it.
    if (((await ageOf(guard, holder)) ?? 0) <= unwritten) throw busy(folder, {});
    await rm(guard, { force: true });
    return false;
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => undefined)) !== dead) return false;
    await writeWhole(path, Buffer.from(own));
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

/** Milliseconds since the last sign of life of a file; undefined where there is none. */
async function ageOf(path: string, { now }: Holder): Promise<number | undefined> {
  const touched = (await stat(path).catch(() => undefined))?.mtimeMs;
  return touched === undefined ? undefined : now().getTime() - touched;
}

function busy(folder: string, { pid, since }: Told): Failure {
  return new Failure(
    'busy',
    `Another run exports to ${folder}${pid ? `: process ${pid}, since ${since}` : ''}.`,
  );
}

interface Told {
  readonly pid?: number;
  readonly host?: string;
  readonly since?: string;
}

/** Whether a lock has outlived its holder. `age` is that of its last sign of life, in milliseconds. */
function isDead({ pid, host }: Told, holder: Holder, age: number): boolean {
  if (age >= stale) return true;
  if (pid === undefined) return age > unwritten;
  // In a container each run may have the same number: one with our own is over.
  return host === holder.host && (pid === holder.pid || !holder.isRunning(pid));
}

function read(text: string): Told {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {}; // its holder has not written it yet, or never will
  }
}

import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { onDisk } from './folder.ts';

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
  while (!(await taken(path, holder))) await freed(path, folder, holder);
  const life = setInterval(() => {
    const now = holder.now();
    utimes(path, now, now).catch(() => {});
  }, beat);
  life.unref();
  try {
    return await work();
  } finally {
    clearInterval(life);
    await rm(path, { force: true }).catch(() => {});
  }
}

/** Makes the lock; false where there is one. */
async function taken(path: string, { pid, host, now }: Holder): Promise<boolean> {
  const file = await onDisk(path, () => open(path, 'wx'), 'EEXIST');
  if (!file) return false;
  await onDisk(path, () => file.writeFile(JSON.stringify({ pid, host, since: now().toISOString() })));
  await file.close();
  return true;
}

/** Takes away the lock of a holder that is dead. Throws `busy` for one that lives. */
async function freed(path: string, folder: string, holder: Holder): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const touched = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (text === undefined || touched === undefined) return; // it has just been let go
  const age = holder.now().getTime() - touched;
  const { pid, host, since } = read(text);
  const isDead = pid === undefined ? age > unwritten : host === holder.host && !holder.isRunning(pid);
  if (!isDead && age < stale) {
    throw new Failure(
      'busy',
      `Another run exports to ${folder}${pid ? `: process ${pid}, since ${since}` : ''}.`,
      {
        hint: 'Try again when it has ended.',
      },
    );
  }
  // Only one of several that come at once gets the dead lock away; what it got is looked at again.
  const away = `${path}.${holder.pid}`;
  const isMine = await rename(path, away).then(
    () => true,
    () => false,
  );
  if (!isMine) return;
  const got = await readFile(away, 'utf8');
  if (got === text) await rm(away, { force: true });
  else await rename(away, path);
}

function read(text: string): { pid?: number; host?: string; since?: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {}; // its holder has not written it yet, or never will
  }
}

import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { Failure, getErrorCode } from '../../contract/errors.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { type LockHolder, withLock } from '../../files/lock.ts';
import { createSemaphore } from '../../values/concurrency.ts';
import { isObject } from '../../values/json-object.ts';
import { guardFileVariable } from '../command/guards.ts';

/** Numbers of writes and requests. */
export interface Counts {
  readonly write: number;
  readonly request: number;
}

/** Replaces the counts with the result of `change`, which may throw instead. */
export type CountStore = (change: (counts: Counts) => Counts) => Promise<void>;

/** Milliseconds to wait for another process that changes the counts. */
const lockTimeout = 10_000;

/** Opens the counts in a file, which several processes share. @throws {Failure} usage if the path is not absolute */
export function openCountFile(path: string, holder: LockHolder): CountStore {
  if (!isAbsolute(path))
    throw new Failure('usage', `${guardFileVariable} is ${path === '' ? 'empty' : 'not an absolute path'}.`);
  const run = createSemaphore(1);
  const lock = { path: `${path}.lock`, work: `is changing ${path}` };
  const replace = async (change: (counts: Counts) => Counts) => {
    const text = JSON.stringify(change(readCounts(path)));
    await writeFileAtomically(path, [text], 0o600, 0o700);
  };
  return (change) => run(() => withLock(lock, holder, () => replace(change), lockTimeout));
}

/** @throws {Failure} usage if the file cannot be read, so that a damaged file does not allow more writes */
function readCounts(path: string): Counts {
  try {
    const counts: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isObject(counts) && isCount(counts.write) && isCount(counts.request))
      return { write: counts.write, request: counts.request };
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return { write: 0, request: 0 };
  }
  throw new Failure('usage', `Cannot use ${path}: it does not contain the counts of ${guardFileVariable}.`);
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

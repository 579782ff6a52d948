import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from '../../src/files/lock.ts';
import { createLockHolder, createTemporaryFolder } from '../support/kith.ts';

const descriptors = '/proc/self/fd';

/** Reads a link; an empty text if it no longer exists, like that of the folder that is being listed. */
function readLinkIfExists(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test.runIf(existsSync(descriptors))('closes the lock file when it releases the lock', async () => {
  const lock = { path: join(createTemporaryFolder(), '.kith-export.lock'), work: 'exports' };
  const listOpen = () =>
    readdirSync(descriptors).filter((name) =>
      readLinkIfExists(join(descriptors, name)).startsWith(lock.path),
    );
  await withLock(lock, createLockHolder(1), async () => expect(listOpen()).not.toEqual([]));
  expect(listOpen()).toEqual([]);
});

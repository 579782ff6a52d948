import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, withLock } from '../../files/lock.ts';
import { getWorkspaceSecret, type WorkspaceAccess } from '../../files/workspace-identity.ts';
import { lockOf } from '../../import/import-report.ts';
import { resolveHomeFolder } from '../../settings/paths.ts';
import type { Session } from '../context.ts';

/**
 * Returns the locks of a workspace, to which one import or undo at a time may write. A workspace file has a lock beside
 * it, and each API key has one for this machine and user. An import into a file also takes those of its keys, because
 * the file may be served. Imports from other machines see none of them.
 */
async function importLocks(session: Session, access: WorkspaceAccess): Promise<Lock[]> {
  const work = `is importing into ${access.place}`;
  const home = resolveHomeFolder(session.env);
  const ofKey = (keyHash: string) => {
    const name = sha256(`${home} ${keyHash}`).slice(0, 32);
    return { path: join(tmpdir(), `kith-import-${name}.lock`), work };
  };
  if (access.kind === 'hosted') {
    // A key of a workspace file is random, and of that file behind any base URL.
    return [ofKey(sha256(access.key.startsWith('kith_') ? access.key : getWorkspaceSecret(access)))];
  }
  const keyHashes = await (await session.workspace()).writingKeyHashes(access.place);
  return [{ path: `${await realpath(access.place)}.import.lock`, work }, ...keyHashes.map(ofKey)];
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Runs `work` while holding the locks of the report and the workspace. @throws {Failure} busy if another run does */
export async function whileLockedFor<T>(
  session: Session,
  report: string,
  access: WorkspaceAccess,
  work: () => Promise<T>,
): Promise<T> {
  const { lockHolder } = session;
  const locks = [lockOf(report), ...(await importLocks(session, access))];
  return locks.reduceRight((inner, lock) => () => withLock(lock, lockHolder, inner), work)();
}

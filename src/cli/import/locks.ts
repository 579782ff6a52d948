import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, withLock } from '../../files/lock.ts';
import { getWorkspaceSecret, type WorkspaceAccess } from '../../files/workspace-identity.ts';
import { createReportLock } from '../../import/import-report.ts';
import { resolveHomeFolder } from '../../settings/paths.ts';
import { isDatabaseUrl } from '../../values/database-url.ts';
import type { Session } from '../command/context.ts';

/**
 * Returns the locks of a workspace: one import or undo at a time may write to it. A workspace file has a lock next to it,
 * and each API key and PostgreSQL database has one for this machine and user. An import into a local workspace also takes
 * the locks of its keys, because it may be served. Imports from other machines do not see them.
 */
async function listLocks(session: Session, access: WorkspaceAccess): Promise<Lock[]> {
  const work = `is importing into ${access.place}`;
  const home = resolveHomeFolder(session.env);
  const lockKey = (keyHash: string) => {
    const name = sha256(`${home} ${keyHash}`).slice(0, 32);
    return { path: join(tmpdir(), `kith-import-${name}.lock`), work };
  };
  if (access.kind === 'hosted') {
    // A key of a workspace file is random, and of that file behind any base URL.
    return [lockKey(sha256(access.key.startsWith('kith_') ? access.key : getWorkspaceSecret(access)))];
  }
  const { database, id } = access;
  const keyHashes = await (await session.workspace()).writingKeyHashes(database);
  const own = isDatabaseUrl(database)
    ? lockKey(id)
    : { path: `${await realpath(database)}.import.lock`, work };
  return [own, ...keyHashes.map(lockKey)];
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Runs `work` while holding the locks of the report and the workspace. @throws {Failure} busy if another run does */
export async function withImportLocks<T>(
  session: Session,
  report: string,
  access: WorkspaceAccess,
  work: () => Promise<T>,
): Promise<T> {
  const { lockHolder } = session;
  const locks = [createReportLock(report), ...(await listLocks(session, access))];
  return locks.reduceRight((inner, lock) => () => withLock(lock, lockHolder, inner), work)();
}

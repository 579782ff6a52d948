import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, withLock } from '../../files/lock.ts';
import { toWorkspaceName, type WorkspaceIdentity } from '../../files/workspace-identity.ts';
import { createReportLock } from '../../import/import-report.ts';
import { resolveHomeFolder } from '../../settings/paths.ts';
import { isDatabaseUrl } from '../../values/database-url.ts';
import type { Session } from '../command/context.ts';
import { findConnection } from './connection.ts';

/**
 * Returns the locks of a workspace: one import or undo at a time may write to it. A workspace file has a lock next to it,
 * and each API key and PostgreSQL database has one for this machine and user. An import into a local workspace also takes
 * the locks of its keys, because it may be served. Imports from other machines do not see them.
 */
async function listLocks(session: Session, workspace: WorkspaceIdentity): Promise<Lock[]> {
  const work = `is importing into ${workspace.place}`;
  const home = resolveHomeFolder(session.runtime.env);
  const createLock = (subject: string) => {
    const name = hashSha256(`${home} ${subject}`).slice(0, 32);
    return { path: join(tmpdir(), `kith-import-${name}.lock`), work };
  };
  const connection = await findConnection(session);
  if (connection.kind === 'local' && 'id' in workspace) {
    const { database } = connection;
    const keyHashes = await (await session.services.workspace()).writingKeyHashes(database);
    const own = isDatabaseUrl(database)
      ? createLock(workspace.id)
      : { path: `${await realpath(database)}.import.lock`, work };
    return [own, ...keyHashes.map(createLock)];
  }
  // A key of a workspace file is random, and of that file behind any base URL.
  const isOwnKey = 'key' in workspace && workspace.key.startsWith('kith_');
  return [createLock(isOwnKey ? hashSha256(workspace.key) : toWorkspaceName(workspace))];
}

const hashSha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Runs `work` while holding the locks of the report and the workspace. @throws {Failure} busy if another run does */
export async function withImportLocks<T>(
  session: Session,
  report: string,
  workspace: WorkspaceIdentity,
  work: () => Promise<T>,
): Promise<T> {
  return withLock(createReportLock(report), session.runtime.lockHolder, () =>
    withWorkspaceLocks(session, workspace, work),
  );
}

/** Runs `work` while holding the locks of the workspace. @throws {Failure} busy if another run does */
export async function withWorkspaceLocks<T>(
  session: Session,
  workspace: WorkspaceIdentity,
  work: () => Promise<T>,
): Promise<T> {
  const locks = await listLocks(session, workspace);
  return locks.reduceRight((inner, lock) => () => withLock(lock, session.runtime.lockHolder, inner), work)();
}

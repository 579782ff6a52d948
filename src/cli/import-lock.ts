import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretOf, type WorkspaceAccess } from '../contract/workspace-identity.ts';
import { type Lock, whileLocked } from '../disk/lock.ts';
import { homeFolder } from '../settings/places.ts';
import { lockOf } from '../sync/import-report.ts';
import type { Session } from './context.ts';

/**
 * Returns the lock of a workspace: one import or undo at a time writes to it. That of a workspace file is beside the
 * file; that of a hosted workspace is of this machine and user only, so imports of other machines do not see it.
 */
async function importLock({ env }: Session, access: WorkspaceAccess): Promise<Lock> {
  const work = `imports into ${access.place}`;
  if (access.kind === 'local') return { path: `${await realpath(access.place)}.import.lock`, work };
  const hash = createHash('sha256')
    .update(`${homeFolder(env)} ${secretOf(access)}`)
    .digest('hex');
  return { path: join(tmpdir(), `kith-import-${hash.slice(0, 32)}.lock`), work };
}

/** Works while no other run writes the report or the workspace. @throws {Failure} busy if another run does */
export async function whileLockedFor<T>(
  session: Session,
  report: string,
  access: WorkspaceAccess,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await importLock(session, access);
  const { holder } = session;
  return whileLocked(lockOf(report), holder, () => whileLocked(lock, holder, work));
}

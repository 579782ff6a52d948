import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeOtherUse } from '../../archive/check-target.ts';
import type { Session } from '../../cli/command/context.ts';
import { identifyWorkspace } from '../../cli/connect/connection.ts';
import { Failure } from '../../contract/errors.ts';
import { ExportFolder } from '../../export/folder.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { withLock } from '../../files/lock.ts';
import { makeFolder } from '../../files/permissions.ts';
import {
  compareWorkspace,
  toStoredWorkspace,
  type WorkspaceIdentity,
} from '../../files/workspace-identity.ts';
import { quoteShellWord } from '../../values/text.ts';
import { topFolders } from './places.ts';
import { CheckoutState, createLinkFailure, stateFolder } from './state.ts';

/** A working copy that this process has locked. */
export interface WorkingCopy {
  readonly folder: ExportFolder;
  readonly state: CheckoutState;
  /** The folder of the archive with the records that were read last. */
  readonly archiveFolder: string;
}

/** Files are private: they contain the workspace. */
const permissions = { file: 0o600, folder: 0o700 };

/** Names that a folder may have besides those of a working copy. */
const toleratedName = /^\.|^(readme|license|makefile)(\.[a-z]+)?$/i;

/**
 * Checks that a folder may become a working copy.
 * @throws {Failure} usage if records would be mixed with other files
 */
export function checkNewFolder(path: string, home: string, force: boolean): void {
  const folder = resolve(path);
  if (!existsSync(folder) || CheckoutState.exists(folder)) return;
  const real = realpathSync(folder);
  const otherUse = describeOtherUse(real, home);
  if (otherUse)
    throw new Failure('usage', `A working copy needs its own folder, but ${path} is ${otherUse}.`, {
      hint: `Use a subfolder: kith workspace checkout ${quoteShellWord(join(path, 'workspace'))}`,
    });
  if (force) return;
  const names = accessFile('read', folder, () => readdirSync(folder));
  const known = new Set<string>(topFolders);
  const other = names.find((name) => !known.has(name) && !toleratedName.test(name));
  if (other === undefined) return;
  throw new Failure('usage', `${path} is not empty and not a working copy: it has ${other}.`, {
    hint: 'Pass another folder, or --force to write the records next to the other files.',
  });
}

interface OpenOptions {
  readonly path: string;
  /** The work of this command, for a process that waits: `is updating contacts`. */
  readonly work: string;
  /** Creates the working copy if it is missing. */
  readonly isNew?: boolean;
}

/**
 * Opens and locks a working copy of the workspace in use.
 * @throws {Failure} not_found if the folder is not a working copy, usage if it is of another workspace, busy
 */
export async function withWorkingCopy<T>(
  session: Session,
  { path, work, isNew = false }: OpenOptions,
  use: (copy: WorkingCopy) => Promise<T>,
): Promise<T> {
  const root = resolve(path);
  if (!isNew && !CheckoutState.exists(root))
    throw new Failure('not_found', `${path} is not a working copy of a workspace.`, {
      hint: `Create one: kith workspace checkout ${quoteShellWord(path)}`,
    });
  const workspace = await identifyWorkspace(session);
  const own = join(root, stateFolder);
  if (lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink()) throw createLinkFailure(own);
  if (isNew) accessFile('write', own, () => makeFolder(own, permissions.folder));
  const lock = { path: join(own, 'lock'), work };
  return withLock(lock, session.runtime.lockHolder, async () => {
    const folder = new ExportFolder(root, permissions);
    const ignored = `${stateFolder}/.gitignore`;
    // Git ignores the state: each clone has its own.
    if (isNew && folder.read(ignored) === undefined) await folder.write(ignored, '*\n');
    const state = await CheckoutState.open(folder, isNew ? toStoredWorkspace(workspace) : undefined);
    try {
      checkOwner(state, path, workspace);
      return await use({ folder, state, archiveFolder: join(own, 'archive') });
    } finally {
      await state.close();
    }
  });
}

function checkOwner({ owner }: CheckoutState, path: string, workspace: WorkspaceIdentity): void {
  const relation = compareWorkspace(owner, workspace);
  if (relation !== 'other' && relation !== 'other_key') return;
  const problem =
    relation === 'other_key' && owner.workspace === workspace.place
      ? `was checked out from ${workspace.place} with another API key`
      : `is a working copy of ${owner.workspace}, not of ${workspace.place}`;
  throw new Failure('usage', `${path} ${problem}.`, {
    hint: `Use --profile with the profile of that workspace. If it is the same workspace, remove ${join(path, stateFolder)} and check out again.`,
  });
}

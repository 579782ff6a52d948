import { Failure } from '../contract/errors.ts';
import {
  compareWorkspace,
  type StoredWorkspace,
  toStoredWorkspace,
  type WorkspaceIdentity,
} from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import type { Ledger } from './ledger.ts';

/**
 * Records the workspace in use as the folder's owner. Returns whether the folder may have belonged to another workspace.
 * @throws {Failure} usage if it belongs to another workspace, unless `adopt`
 */
export function claimFolder(
  ledger: Ledger,
  folder: string,
  workspace: WorkspaceIdentity,
  adopt: boolean,
): boolean {
  if (!adopt) checkOwner(ledger, folder, workspace);
  const isSame = compareWorkspace(ledger.owner, workspace) === 'same';
  if (!isSame || ledger.owner.workspace !== workspace.place)
    ledger.save({ owner: toStoredWorkspace(workspace) });
  return !isSame;
}

/** @throws {Failure} usage if a folder belongs to another workspace */
export function checkOwner({ owner }: Ledger, folder: string, workspace: WorkspaceIdentity): void {
  const relation = compareWorkspace(owner, workspace);
  if (relation !== 'other' && relation !== 'other_key') return;
  throw new Failure('usage', `${folder} ${describeOwner(owner, workspace)}.`, {
    hint: `Export each workspace to its own folder. If it is the same workspace, run: kith meetings export --out ${quoteShellWord(folder)} --adopt`,
  });
}

function describeOwner({ workspace }: StoredWorkspace, usedWorkspace: WorkspaceIdentity): string {
  const { place } = usedWorkspace;
  if (workspace !== place) return `holds the meetings of ${workspace}, not of ${place}`;
  if ('key' in usedWorkspace) return `was exported from ${place} with another API key`;
  return `holds the meetings of another workspace, whose file was ${place}`;
}

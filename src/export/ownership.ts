import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import {
  compareWorkspace,
  identifyWorkspace,
  type StoredWorkspace,
  type WorkspaceAccess,
} from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import type { Ledger } from './ledger.ts';
import { readEarlierMeetings } from './recovery.ts';

/** The meetings of a folder compared with those of the workspace in use. */
export type FolderComparison = Awaited<ReturnType<typeof compareMeetings>>;

/** The run that claims a folder. */
export interface FolderClaim {
  readonly client: Client;
  /** Created if missing. It belongs to one workspace. */
  readonly folder: string;
  readonly workspace: WorkspaceAccess;
  /** Takes over the folder of another key or place, unless this throws; undefined refuses it. */
  readonly adopt: ((comparison: FolderComparison) => Promise<void>) | undefined;
}

/**
 * Makes sure that a folder belongs to the workspace in use. A folder without an identity is recognized by its place and
 * its meetings. Returns whether it was taken over. @throws {Failure} usage if it belongs to another workspace
 */
export async function claimFolder(
  ledger: Ledger,
  { client, folder, workspace, adopt }: FolderClaim,
): Promise<boolean> {
  const relation = compareWorkspace(ledger.owner, workspace);
  if (relation === 'same') {
    if (ledger.owner.workspace !== workspace.place)
      ledger.save({ owner: { ...ledger.owner, workspace: workspace.place } });
    return false;
  }
  if (relation !== 'unknown' && !adopt) throw createWorkspaceFailure(folder, ledger.owner, workspace);
  const comparison = await compareMeetings(client, folder, ledger);
  if (relation !== 'unknown') await adopt?.(comparison);
  else if (!comparison.isRecognized && adopt) await adopt(comparison);
  else if (!comparison.isRecognized) {
    const share = `only ${comparison.known} of the ${comparison.meetings} meetings in ${folder}`;
    const message = `This workspace has ${share}, exported from ${comparison.workspace}.`;
    throw new Failure('usage', message, { hint: formatAdoptHint(folder) });
  }
  ledger.save({ owner: identifyWorkspace(workspace) });
  return true;
}

/** @throws {Failure} usage if a folder belongs to another workspace */
export function checkOwner({ owner }: Ledger, folder: string, workspace: WorkspaceAccess): void {
  if (/^other/.test(compareWorkspace(owner, workspace)))
    throw createWorkspaceFailure(folder, owner, workspace);
}

/** Counts the meetings of a folder that the workspace lists. Compares titles or times too: small numbers are common ids. */
async function compareMeetings(client: Client, folder: string, ledger: Ledger) {
  const isLost = ledger.isIncomplete && ledger.size === 0;
  const earlier = isLost ? await readEarlierMeetings(folder) : undefined;
  const findExported = (id: string) => {
    if (earlier) return earlier.get(id);
    const meeting = ledger.getMeeting(id);
    return meeting?.gone ? undefined : meeting;
  };
  let count = earlier?.size ?? 0;
  for (const { gone } of ledger.meetings()) if (!gone) count += 1;
  let knownCount = 0;
  if (count > 0) {
    for await (const { value } of client.records(calendarEvents.list, {})) {
      const exported = findExported(value.id ?? '');
      if (exported && (exported.title === value.title || exported.updated_at === value.updated_at))
        knownCount += 1;
    }
  }
  // The workspace has 90% of the meetings, or all but one.
  const isRecognized = knownCount >= 0.9 * count || (knownCount > 0 && knownCount === count - 1);
  return { workspace: ledger.owner.workspace, meetings: count, known: knownCount, isRecognized };
}

const formatAdoptHint = (folder: string) =>
  `Export each workspace to its own folder. If it is the same workspace, run: kith events export --out ${quoteShellWord(folder)} --adopt`;

function createWorkspaceFailure(folder: string, owner: StoredWorkspace, access: WorkspaceAccess): Failure {
  return new Failure('usage', `${folder} ${describeOwner(owner, access)}.`, {
    hint: formatAdoptHint(folder),
  });
}

function describeOwner({ workspace }: StoredWorkspace, { kind, place }: WorkspaceAccess): string {
  if (workspace !== place) return `holds the meetings of ${workspace}, not of ${place}`;
  if (kind === 'hosted') return `was exported from ${place} with another API key`;
  return `holds the meetings of another workspace, whose file was ${place}`;
}

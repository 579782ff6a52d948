import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { requireFailure } from '../../contract/errors.ts';
import { type Noun, orderedNouns } from '../../contract/singular-nouns.ts';
import { syncFolder } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { isNewerFailure, replaceDocument } from '../../files/durable-file.ts';
import { type LockHolder, withLock } from '../../files/lock.ts';
import { makeFolder } from '../../files/permissions.ts';
import {
  compareWorkspace,
  toStoredWorkspace,
  type WorkspaceIdentity,
} from '../../files/workspace-identity.ts';
import { Archive } from '../archive.ts';
import { lockName, resolveStateFile, rollForward } from '../archive-folder.ts';
import { type Manifest, manifestFormat, manifestName, type UnreadRecords } from '../manifest.ts';
import { BackupDraft, type NounResult } from './backup-draft.ts';
import { backUpNouns } from './noun-backup.ts';
import { keepOlderState, pruneOlderStates } from './older-states.ts';

export interface BackupOptions {
  readonly client: Client;
  readonly workspace: WorkspaceIdentity;
  /** The archive folder. Created if missing. */
  readonly folder: string;
  /** The number of older states to keep. If omitted, the backup neither adds nor removes a state. */
  readonly keep?: number | undefined;
  readonly version: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly holder: LockHolder;
  readonly onProgress?: (noun: Noun, done: number, total: number | undefined) => void;
}

export interface BackupSummary {
  readonly manifest: Manifest;
  readonly results: ReadonlyMap<Noun, NounResult>;
  /** The folder names of the older states, the newest last. */
  readonly older: readonly string[];
  /** Whether the archive was damaged, so that all records were requested. */
  readonly isDamaged: boolean;
}

/**
 * Writes all records of a workspace to an archive folder. Updates an existing archive of the workspace, and continues a
 * backup that was killed. @throws {Failure} busy if another backup writes to the folder
 */
export async function backUp(options: BackupOptions): Promise<BackupSummary> {
  const { folder, holder, signal } = options;
  accessFile('write', folder, () => makeFolder(folder, 0o700));
  const lock = { path: join(folder, lockName), work: `is backing up to ${folder}` };
  return withLock(lock, { ...holder, signal }, async () => {
    await rollForward(folder);
    const { archive, isDamaged } = openCurrentState(folder);
    try {
      return { ...(await updateArchive(options, archive)), isDamaged };
    } finally {
      archive?.close();
    }
  });
}

/** Opens the archive in a folder, if there is one. The records of a damaged archive must not get into the next state. */
function openCurrentState(folder: string): { archive: Archive | undefined; isDamaged: boolean } {
  if (!existsSync(resolveStateFile(folder, manifestName))) return { archive: undefined, isDamaged: false };
  let archive: Archive | undefined;
  try {
    archive = Archive.open(folder);
    if (orderedNouns.every((noun) => archive?.isIntact(noun))) return { archive, isDamaged: false };
  } catch (error) {
    if (isNewerFailure(error)) throw error; // this version would drop what the newer one added
    requireFailure(error); // a file is missing
  }
  archive?.close();
  return { archive: undefined, isDamaged: true };
}

async function updateArchive(
  options: BackupOptions,
  archive: Archive | undefined,
): Promise<Omit<BackupSummary, 'isDamaged'>> {
  const { folder, workspace, keep, now } = options;
  // The archive of another workspace, which --force replaces, has other records.
  const base = archive && compareWorkspace(archive.manifest, workspace) === 'same' ? archive : undefined;
  const draft = await BackupDraft.open({ folder, workspace, base, now: now() });
  try {
    await backUpNouns({ ...options, draft, base });
    const manifest = createManifest(draft, options);
    if (archive && keep) await keepOlderState(archive);
    await syncFolder(draft.folder);
    // Its manifest makes the draft the current state.
    await replaceDocument(manifestFormat, join(draft.folder, manifestName), manifest, 2);
    await rollForward(folder);
    return { manifest, results: draft.results, older: pruneOlderStates(folder, keep) };
  } finally {
    draft.close();
  }
}

function createManifest(draft: BackupDraft, { workspace, version, now }: BackupOptions): Manifest {
  const results = [...draft.results.values()];
  const listRecordings = (state: 'unread' | 'pending') =>
    [...draft.recordings].flatMap(([id, recordingState]) => (recordingState === state ? [id] : []));
  const unread: UnreadRecords = {
    nouns: results.flatMap(({ noun, is_unread }) => (is_unread ? [noun] : [])),
    lists: results.flatMap(({ unread_lists = [] }) => unread_lists),
    recordings: listRecordings('unread'),
  };
  const hasUnread = Object.values(unread).some((names) => names.length > 0);
  const pending = listRecordings('pending');
  const meetings_until = draft.results.get('events')?.meetings_until;
  return {
    kith_archive: 1,
    kith_version: version,
    started_at: draft.startedAt,
    completed_at: now().toISOString(),
    ...toStoredWorkspace(workspace),
    files: Object.fromEntries(
      orderedNouns.map((noun) => [noun, draft.results.get(noun)?.file]),
    ) as Manifest['files'], // one for each noun
    ...(hasUnread && { unread }),
    ...(meetings_until !== undefined && { meetings_until }),
    ...(pending.length > 0 && { pending }),
  };
}

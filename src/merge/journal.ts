import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { StoredRecord } from '../changes/values.ts';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { listNames } from '../files/read-file.ts';
import {
  compareWorkspace,
  getWorkspaceSecret,
  identifyWorkspace,
  type WorkspaceAccess,
  WorkspaceIdentity,
} from '../files/workspace-identity.ts';

/** A journal holds personal data: only its owner may read it. */
const [fileMode, folderMode] = [0o600, 0o700];

/** Milliseconds for which the journal of a finished merge is kept: 30 days. */
const retention = 30 * 86_400_000;

const extension = '.json';

/** The content of a journal. */
const MergeJournal = v.object({
  kith_merge: v.literal(1),
  workspace: v.string(),
  identity: WorkspaceIdentity,
  keep: v.string(),
  other: v.looseObject({ id: v.string() }),
  entries: v.array(v.string()),
  finished: v.optional(v.pipe(v.string(), v.isoTimestamp())),
});
type MergeJournal = v.InferOutput<typeof MergeJournal>;

/** What a merge must not lose if it is interrupted. */
interface NewMerge {
  /** The id of the contact that stays. */
  readonly keep: string;
  /** The other contact before the merge. */
  readonly other: StoredRecord & { readonly id: string };
  /** The ids of the entries that the contact which stays had. */
  readonly entries: readonly string[];
}

/** A merge of the workspace in use, according to its journal. */
export interface StoredMerge extends NewMerge {
  readonly path: string;
  /** Whether another API key started it, maybe for another workspace with the same base URL. */
  readonly hasOtherKey: boolean;
  /** When it finished; undefined if it was interrupted. */
  readonly finishedAt: Date | undefined;
}

/** Returns the folder of the journals. */
export const resolveMergeFolder = (dataFolder: string) => join(dataFolder, 'merges');

/** Reads the merges of a workspace. Skips damaged journals. */
export const readMerges = (folder: string, access: WorkspaceAccess): StoredMerge[] =>
  listNames(folder)
    .filter((name) => name.endsWith(extension))
    .sort()
    .flatMap((name) => readMerge(join(folder, name), access) ?? []);

/** Reads a journal; undefined if it belongs to another workspace or is damaged. */
function readMerge(path: string, access: WorkspaceAccess): StoredMerge | undefined {
  const journal = parseJournal(accessFile('read', path, () => readFileSync(path, 'utf8')));
  const relation = journal && compareWorkspace(journal, access);
  if (!journal || (relation !== 'same' && relation !== 'other_key')) return undefined;
  const { keep, other, entries, finished } = journal;
  return {
    path,
    hasOtherKey: relation === 'other_key',
    keep,
    other: other as NewMerge['other'], // as the service sent it, in the shape of the contract
    entries,
    finishedAt: finished === undefined ? undefined : new Date(finished),
  };
}

function parseJournal(text: string): MergeJournal | undefined {
  try {
    return v.parse(MergeJournal, JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof v.ValiError) return undefined;
    throw error;
  }
}

/** Removes the journals of merges that finished more than 30 days ago. */
export function removeOldMerges(merges: readonly StoredMerge[], now: Date): void {
  for (const { path, finishedAt } of merges)
    if (finishedAt && finishedAt.getTime() < now.getTime() - retention) rmSync(path, { force: true });
}

/**
 * Creates the journal of a merge before its first write, or continues that of an interrupted run, which has a path.
 * @throws {Failure} failed if a damaged one is in its place: it may have the only copy of the addresses
 */
export async function openMergeJournal(
  folder: string,
  access: WorkspaceAccess,
  { keep, other, entries, ...interrupted }: NewMerge | StoredMerge,
) {
  const isNew = !('path' in interrupted);
  const path = isNew ? join(folder, hashMerge(access, other.id) + extension) : interrupted.path;
  if (isNew && existsSync(path) && !readMerge(path, access)) {
    throw new Failure('failed', `An earlier merge of ${other.id} left a damaged journal: ${path}`, {
      hint: 'It may have the email addresses of the contact. Move it to another folder to continue',
    });
  }
  const write = (finished?: string) => {
    const journal = { kith_merge: 1, ...identifyWorkspace(access), keep, other, entries, finished };
    return writeFileAtomically(path, [JSON.stringify(journal)], fileMode, folderMode);
  };
  if (isNew) await write();
  return { path, finish: (now: Date) => write(now.toISOString()) };
}

const hashMerge = (access: WorkspaceAccess, otherId: string) =>
  createHash('sha256')
    .update(`${getWorkspaceSecret(access)}\n${otherId}`)
    .digest('hex')
    .slice(0, 16);

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { Failure, getErrorCode } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { Journal } from '../files/journal.ts';
import {
  compareWorkspace,
  getWorkspaceSecret,
  identifyWorkspace,
  type WorkspaceAccess,
  WorkspaceIdentity,
} from '../files/workspace-identity.ts';
import type { StoredRecord } from '../import/record-values.ts';
import type { CompletedWrite } from './steps.ts';
import type { MergedIds } from './values.ts';

/** A journal holds personal data: only its owner may read it. */
const [fileMode, folderMode] = [0o600, 0o700];

/** Milliseconds for which the journal of a finished merge is kept: 30 days. */
const retention = 30 * 86_400_000;

/** The first line of a journal: the merge, and the records before it. The other lines are completed writes. */
const MergeSubject = v.object({
  kith_merge: v.literal(1),
  workspace: v.string(),
  identity: WorkspaceIdentity,
  keep: v.string(),
  /** The whole record of the other contact. */
  other: v.looseObject({ id: v.string() }),
  /** The ids of the entries that the contact which stays had. */
  entries: v.array(v.string()),
});

/** A merge of the workspace in use, according to its journal. */
export interface StoredMerge {
  readonly path: string;
  /** Whether another API key started it, maybe for another workspace with the same base URL. */
  readonly hasOtherKey: boolean;
  readonly keep: string;
  readonly other: StoredRecord & { readonly id: string };
  readonly entries: readonly string[];
  /** When it finished; undefined if it was interrupted. */
  readonly finishedAt: Date | undefined;
  /** Bytes of its whole lines. */
  readonly size: number;
}

/** Returns the folder of the journals. */
export const resolveMergeFolder = (dataFolder: string) => join(dataFolder, 'merges');

/** Reads the merges of a workspace. Skips damaged journals. */
export const readMerges = (folder: string, access: WorkspaceAccess): StoredMerge[] =>
  listJournals(folder).flatMap((path) => readMerge(path, access) ?? []);

/** Reads a journal; undefined if it belongs to another workspace or is damaged. */
function readMerge(path: string, access: WorkspaceAccess): StoredMerge | undefined {
  const file = new Journal(path);
  try {
    const lines = [...file.lines()];
    const read = (at: number): unknown => JSON.parse(lines.at(at)?.text ?? '');
    const subject = v.parse(MergeSubject, read(0));
    const end = v.safeParse(v.object({ finished: v.string() }), read(-1));
    const relation = compareWorkspace(subject, access);
    if (relation !== 'same' && relation !== 'other_key') return undefined;
    const { keep, other, entries } = subject;
    return {
      path,
      hasOtherKey: relation === 'other_key',
      keep,
      other: other as StoredMerge['other'], // as the service sent it, in the shape of the contract
      entries,
      finishedAt: end.success ? new Date(end.output.finished) : undefined,
      size: lines.at(-1)?.next ?? 0,
    };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof v.ValiError) return undefined;
    throw error;
  } finally {
    file.close();
  }
}

/** Removes the journals of merges that finished more than 30 days ago. */
export function removeOldMerges(merges: readonly StoredMerge[], now: Date): void {
  for (const { path, finishedAt } of merges)
    if (finishedAt && finishedAt.getTime() < now.getTime() - retention) rmSync(path, { force: true });
}

function listJournals(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Creates the journal of a merge before its first write, or continues that of an interrupted run.
 * @throws {Failure} failed if a damaged one is in its place: it may have the only copy of the addresses
 */
export async function openMergeJournal(
  folder: string,
  access: WorkspaceAccess,
  ids: MergedIds,
  { other, entries }: Pick<StoredMerge, 'other' | 'entries'>,
  interrupted: StoredMerge | undefined,
) {
  const path = interrupted?.path ?? join(folder, `${hashMerge(access, ids)}.jsonl`);
  if (!interrupted) {
    if (existsSync(path) && !readMerge(path, access)) {
      throw new Failure('failed', `An earlier merge of ${ids.other} left a damaged journal: ${path}`, {
        hint: 'It may have the email addresses of the contact. Move it to another folder to continue',
      });
    }
    const subject = { kith_merge: 1, ...identifyWorkspace(access), keep: ids.keep, other, entries };
    await writeFileAtomically(path, [`${JSON.stringify(subject)}\n`], fileMode, folderMode);
  }
  const file = new Journal(path);
  // A killed run may have written a part of a line.
  if (interrupted) file.truncate(interrupted.size);
  const append = (line: object) => void file.append(JSON.stringify(line));
  return {
    path,
    recordWrite: (write: CompletedWrite) => append({ completed: write }),
    finish: (now: Date) => append({ finished: now.toISOString() }),
    close: () => file.close(),
  };
}

const hashMerge = (access: WorkspaceAccess, { other }: MergedIds) =>
  createHash('sha256')
    .update(`${getWorkspaceSecret(access)}\n${other}`)
    .digest('hex')
    .slice(0, 16);

import { dirname } from 'node:path/posix';
import { Failure } from '../../contract/errors.ts';
import { type Noun, orderedNouns } from '../../contract/singular-nouns.ts';
import { formatCount } from '../../values/text.ts';
import type { LocalFiles } from './local-files.ts';
import { scanEverywhere, toFileError } from './local-files.ts';
import { readPlace } from './places.ts';
import type { CheckoutState, FileEntry } from './state.ts';
import { toKey } from './state-format.ts';
import type { WorkingCopy } from './working-copy.ts';

/** A record whose file was deleted. */
export interface DeletedFile {
  readonly entry: FileEntry;
  /** The records without a file that the service deletes with it: the entries of a list, the notes of an organization. */
  readonly dependents: readonly FileEntry[];
  /** Whether its folder has no other file. */
  readonly isLast: boolean;
}

/**
 * Decides which missing files were deleted. A file does not count as deleted if its folder is missing, if another file has
 * the id of its record, or if the service would delete records with it whose files exist.
 */
export function findDeletions(missing: readonly FileEntry[], copy: WorkingCopy, files: LocalFiles) {
  const { groups, used } = groupDependents(missing, copy.state);
  const lostFolders = new Set(groups.flatMap(({ entry }) => files.findMissingFolder(entry.file) ?? []));
  const inFolders = groups.filter(({ entry }) => files.findMissingFolder(entry.file) === undefined);
  const holders = findHolders(new Set(inFolders.flatMap(listEntries)), copy);
  const deleted = inFolders
    .filter((group) => !used.has(group.entry) && !listEntries(group).some((entry) => holders.has(entry)))
    .map((group): DeletedFile => ({ ...group, isLast: files.isEmptyFolder(dirname(group.entry.file)) }));
  const advice =
    'Restore it, for example with `kith workspace checkout DIR --overwrite`. To delete the records, create an empty folder with this name.';
  const missingFolders = Array.from(lostFolders, (file) =>
    toFileError(file, `The folder is missing, so its files do not count as deleted. ${advice}`),
  );
  const movedFiles = Array.from(holders, ([{ file: lost }, file]) =>
    toFileError(
      file,
      `This file has the id of ${lost}, which is missing, so its record does not count as deleted. Move the file back, or remove it.`,
    ),
  );
  const usedFiles = Array.from(used, ([{ file }, noun]) =>
    toFileError(
      file,
      `The file was deleted, but the files of its ${noun} were not. Restore the file, or delete them too.`,
    ),
  );
  return { deleted, missingFolders, errors: [...missingFolders, ...movedFiles, ...usedFiles] };
}

const listEntries = ({ entry, dependents }: Omit<DeletedFile, 'isLast'>) => [entry, ...dependents];

/**
 * Adds the missing records that the deletion of another record deletes to that record. `used`: the missing records with
 * others that have a file, and the noun of the others.
 */
function groupDependents(missing: readonly FileEntry[], state: CheckoutState) {
  const groups = new Map(missing.map((entry) => [toKey(entry), { entry, dependents: [] as FileEntry[] }]));
  const used = new Map<FileEntry, Noun>();
  const isOwner = ({ noun }: FileEntry) => noun === 'lists' || noun === 'organizations';
  for (const entry of missing.some(isOwner) ? state.entries.values() : []) {
    const owner = groups.get(findOwner(entry, state) ?? '');
    if (owner && groups.delete(toKey(entry))) owner.dependents.push(entry);
    else if (owner) used.set(owner.entry, entry.noun);
  }
  return { groups: [...groups.values()], used };
}

/** Returns the key of the record with which the service deletes a record. */
function findOwner(entry: FileEntry, state: CheckoutState): string | undefined {
  if (entry.noun === 'entries') return toKey({ noun: 'lists', id: entry.list_id ?? '' });
  if (entry.noun !== 'notes') return undefined;
  const { organization_id } = JSON.parse(state.read(entry).record);
  return toKey({ noun: 'organizations', id: String(organization_id) });
}

/** Finds the files with the id of a record whose file is missing, also next to the folders of the working copy. */
function findHolders(missing: ReadonlySet<FileEntry>, { folder, state }: WorkingCopy) {
  const holders = new Map<FileEntry, string>();
  const ids = new Set(Array.from(missing, ({ id }) => id));
  for (const file of ids.size > 0 ? scanEverywhere(folder.path) : []) {
    const name = file.normalize('NFC');
    const own = state.findByFile(name);
    if (own && state.hashFile(own) === own.hash) continue;
    const id = /^id:[ \t]*["']?([^\s"'#]+)/m.exec(folder.read(file) ?? '')?.[1] ?? '';
    if (!ids.has(id)) continue;
    // Records of two nouns may have the same id.
    const noun = own?.noun ?? readPlace(name)?.noun;
    const named = noun && state.get(toKey({ noun, id }));
    for (const entry of missing) if (named ? entry === named : entry.id === id) holders.set(entry, file);
  }
  return holders;
}

/** Up to this number and share of the files of a noun may be deleted without a confirmation of the number. */
const unconfirmed = { count: 3, share: 0.1 };

/**
 * Checks the confirmed number of deletions, which is required if many files of a noun, or all files of a folder, were
 * deleted. `isContinued`: whether an interrupted push may have deleted some of that number.
 */
export function checkDeletionCount(
  deleted: readonly DeletedFile[],
  { state }: WorkingCopy,
  confirmed?: number,
  isContinued = false,
): Failure | undefined {
  const lost = deleted.flatMap(listEntries);
  const count = (entries: Iterable<FileEntry>, noun: Noun) =>
    Array.from(entries).filter((entry) => entry.noun === noun).length;
  const isMany = (noun: Noun) =>
    count(lost, noun) > Math.max(unconfirmed.count, unconfirmed.share * count(state.entries.values(), noun));
  const isConfirmed = confirmed === lost.length || (isContinued && (confirmed ?? 0) > lost.length);
  const isRequired = deleted.some(({ isLast }) => isLast) || orderedNouns.some(isMany);
  if (isConfirmed || (confirmed === undefined && !isRequired)) return undefined;
  const advice = lost.length > 0 ? ` To delete the records, pass --delete ${lost.length} to \`push\`.` : '';
  return new Failure('usage', `${formatCount(lost.length, 'file was', 'files were')} deleted.${advice}`);
}

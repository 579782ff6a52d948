import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Archive } from '../../archive/archive.ts';
import type { BackupSummary } from '../../archive/backup/backup.ts';
import type { UnreadRecords } from '../../archive/manifest.ts';
import { type CommandResult, defineCommand, toMessageResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createFlag, createIntegerOption, createTextOption } from '../../cli/command/options.ts';
import { identifyWorkspace } from '../../cli/connect/connection.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { Failure } from '../../contract/errors.ts';
import { type Noun, orderedNouns, toTypedNoun } from '../../contract/singular-nouns.ts';
import { resolveHomeFolder } from '../../settings/paths.ts';
import { formatCount, joinNames, quoteShellWord } from '../../values/text.ts';
import { archiveName, backUpTo, formatNounCount } from './place.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'Back up the whole workspace to an archive',
  description:
    'Write all records of the workspace to an archive folder: an NDJSON file for each noun, and a manifest with ' +
    'counts and SHA-256 sums. The archive has no key, and changes only when a run is complete. --keep adds its ' +
    'last state to the folder `older`. If a record cannot be read, the exit code is 6, and the archive keeps its ' +
    'last state.',
  output: { text: ['backup-result'] },
  isFileBased: true,
  exitCodes: [6],
  args: {
    dir: { summary: 'Archive folder (created if missing)', completion: 'folders', isOptional: true },
  },
  options: {
    archive: createTextOption('Write the archive to a .tar.gz file', 'FILE', { completion: 'files' }),
    keep: createIntegerOption('Number of older states to keep in the folder', 'N', 0, 10_000),
    force: createFlag('Write to a folder or file with other contents'),
  },
  examples: [
    'workspace backup kith-backup',
    'workspace backup kith-backup --keep 7',
    'workspace backup --archive kith.tar.gz',
  ],
  run: (session, input) => backUpWorkspace(session, input),
});

/** Backs up the workspace of a session to a folder, a file, or both. */
export async function backUpWorkspace(session: Session, input: BackupInput): Promise<CommandResult> {
  const { dir, archive, keep } = input;
  const target = await checkTarget(session, input);
  const isTemporary = target.folder === undefined;
  const folder = target.folder ?? (await mkdtemp(join(tmpdir(), 'kith-archive-')));
  try {
    const summary = await backUpTo(session, folder, keep);
    if (summary.isDamaged)
      await session.messages.warn(`${dir} was damaged, so kith requested all records again.`);
    const size = target.file ? await writeFile(session, folder, target.file) : undefined;
    return formatResult(session, summary, { dir, archive, size });
  } finally {
    const { removeFolder } = await import('../../archive/archive-folder.ts');
    if (isTemporary) removeFolder(folder);
  }
}

/** Returns the absolute paths of the folder and the file. @throws {Failure} usage if a backup must not write there */
async function checkTarget(session: Session, { dir, archive, keep, force }: BackupInput) {
  if (dir === undefined && archive === undefined) {
    throw new Failure('usage', 'Missing required argument: DIR', {
      hint: 'kith workspace backup kith-backup, or for one file: kith workspace backup --archive kith.tar.gz',
    });
  }
  if (dir === '') throw new Failure('usage', 'DIR is empty.');
  if (dir !== undefined && archiveName.test(dir)) {
    throw new Failure('usage', `DIR: ${dir} is the name of a file, not of a folder.`, {
      hint: `kith workspace backup --archive ${quoteShellWord(dir)}`,
    });
  }
  if (archive !== undefined && !archiveName.test(archive)) {
    throw new Failure('usage', `--archive: ${archive} does not end in .tar.gz or .tgz.`, {
      hint: `kith workspace backup --archive ${quoteShellWord(`${archive}.tar.gz`)}`,
    });
  }
  if (dir === undefined && keep !== undefined) {
    throw new Failure('usage', '--keep requires DIR: a .tar.gz file has one state.', {
      hint: `kith workspace backup kith-backup --keep ${keep}`,
    });
  }
  const { checkArchiveFile, checkArchiveFolder } = await import('../../archive/check-target.ts');
  const workspace = await identifyWorkspace(session);
  const folder = dir && resolve(dir);
  const file = archive && resolve(archive);
  const home = resolveHomeFolder(session.runtime.env);
  if (folder) checkArchiveFolder(folder, { workspace, force, home });
  if (file) await checkArchiveFile(file, { workspace, force, folder });
  return { folder, file };
}

interface BackupInput {
  readonly dir: string | undefined;
  readonly archive: string | undefined;
  readonly keep: number | undefined;
  readonly force: boolean;
}

async function writeFile(session: Session, folder: string, file: string): Promise<number> {
  const { writeArchiveFile } = await import('../../archive/archive-file.ts');
  const archive = Archive.open(folder);
  try {
    return await withProgress(session, (update) => {
      update(`Writing ${file}`);
      return writeArchiveFile(archive, file, session.runtime.lockHolder.pid, session.signal);
    });
  } finally {
    archive.close();
  }
}

/** Returns the result of a backup: a line, and the counts of each noun for --json. */
function formatResult(
  session: Session,
  { manifest, results, older }: BackupSummary,
  { dir, archive, size }: Pick<BackupInput, 'dir' | 'archive'> & { readonly size: number | undefined },
): CommandResult {
  const { files: _, unread, pending, ...facts } = manifest;
  const files = Object.fromEntries(
    orderedNouns.map((noun) => {
      const { requested, reused, is_same } = results.get(noun) ?? {};
      return [noun, { ...manifest.files[noun], requested, reused, is_changed: !is_same }];
    }),
  );
  const bytes = [...results.values()].reduce((sum, { file }) => sum + file.bytes, 0);
  const counts = orderedNouns.map((noun) => formatNounCount(noun, manifest.files[noun].records));
  const requested = results.get('recordings')?.requested ?? 0;
  const places = [dir, archive].filter((place) => place !== undefined).join(' and ');
  const text = `Wrote ${places}: ${counts.join(', ')} (${formatCount(requested, 'recording')} requested).\n`;
  const json = {
    ...(dir !== undefined && { folder: resolve(dir) }),
    ...(archive !== undefined && { archive: resolve(archive), archive_bytes: size }),
    ...facts,
    files,
    bytes,
    ...(unread && { unread }),
    pending: pending ?? [],
    older,
  };
  return { ...toMessageResult(session, text, json), failure: createUnreadFailure(unread) };
}

/** Names the records that an archive lacks; undefined if it has all records. */
export function createUnreadFailure(
  unread: UnreadRecords | undefined,
  hint = 'The archive has all other records. The next backup requests the missing records again.',
): Failure | undefined {
  if (!unread) return undefined;
  const { nouns, lists, recordings } = unread;
  const parts = [
    nouns.length > 0 && nouns.map((noun) => toTypedNoun(noun as Noun)).join(', '),
    lists.length > 0 && `the entries of ${formatCount(lists.length, 'list')} (${joinNames(lists)})`,
    recordings.length > 0 && `${formatCount(recordings.length, 'recording')} (${joinNames(recordings)})`,
  ].filter((part) => part !== false);
  return new Failure('partial', `The service did not return ${parts.join('; ')}.`, {
    hint,
  });
}

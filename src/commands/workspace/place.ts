import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Archive } from '../../archive/archive.ts';
import type { Session, WorkspaceChoice } from '../../cli/command/context.ts';
import { identifyWorkspace, readProfiles } from '../../cli/connect/connection.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { Failure } from '../../contract/errors.ts';
import { type Noun, singularNouns, toTypedNoun } from '../../contract/singular-nouns.ts';
import type { RestoreSummary } from '../../contract/workspace.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { parseDatabase } from '../../settings/database-location.ts';
import { isDatabaseUrl } from '../../values/database-url.ts';
import { formatCount, quoteShellWord, toPlural } from '../../values/text.ts';

/** A workspace or an archive, as an argument names it. */
export type Place = WorkspaceChoice | { readonly archive: string };

/** Matches the name of an archive that is one file. */
export const archiveName = /\.(tar\.gz|tgz)$/i;

/**
 * Returns the place that a word names: a PostgreSQL URL, an archive (a folder or a .tar.gz file), a profile, or a
 * workspace file.
 * @throws {Failure} usage if both a profile and a file have the name
 */
export async function resolvePlace(session: Session, word: string, argument: string): Promise<Place> {
  if (isDatabaseUrl(word)) return { database: parseDatabase(word, argument) };
  const stats = findStats(word);
  const profiles = (await readProfiles(session)) ?? {};
  if (Object.hasOwn(profiles, word)) {
    if (!stats) return { profile: word };
    throw new Failure('usage', `${argument}: "${word}" is both a profile and a file.`, {
      hint: `For the file: ${quoteShellWord(`./${word}`)}`,
    });
  }
  if (isArchiveWord(word)) return { archive: resolve(word) };
  return { database: parseDatabase(word, argument) };
}

/** Returns the place that a word names, which must exist. @throws {Failure} usage if it does not exist */
export async function resolveSource(session: Session, word: string, argument: string): Promise<Place> {
  const place = await resolvePlace(session, word, argument);
  const path = 'archive' in place ? place.archive : 'database' in place ? place.database : undefined;
  if (path === undefined || isDatabaseUrl(path) || existsSync(path)) return place;
  throw new Failure('usage', `${argument}: "${word}" is neither a profile nor an existing file or folder.`, {
    hint: 'Profiles: kith auth list',
  });
}

/** Whether a word names an archive by its form, or a folder. */
export const isArchiveWord = (word: string): boolean =>
  archiveName.test(word) || /[/\\]$/.test(word) || (findStats(word)?.isDirectory() ?? false);

const findStats = (path: string) => accessFile('read', path, () => statSync(path, { throwIfNoEntry: false }));

/** An archive that must be closed. */
interface OpenedArchive {
  readonly archive: Archive;
  readonly close: () => Promise<void>;
}

/**
 * Opens the archive of a place; if omitted, of the workspace in use. A workspace is first backed up to a temporary
 * folder, which is removed on close.
 */
export async function openArchive(session: Session, place: Place | undefined): Promise<OpenedArchive> {
  if (place && 'archive' in place) {
    const { openArchivePath } = await import('../../archive/archive-file.ts');
    const archive = await openArchivePath(place.archive);
    return { archive, close: async () => archive.close() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'kith-archive-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await backUpTo(place ? session.forWorkspace(place) : session, folder);
    const archive = Archive.open(folder);
    const close = async () => {
      archive.close();
      await remove();
    };
    return { archive, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Passes the archive of a place to `work`, and closes it afterwards. */
export async function withArchive<T>(
  session: Session,
  place: Place,
  work: (archive: Archive) => Promise<T>,
): Promise<T> {
  const { archive, close } = await openArchive(session, place);
  return work(archive).finally(close);
}

/** Backs up the workspace of a session to a folder, with progress in a terminal. */
export async function backUpTo(session: Session, folder: string, keep?: number) {
  const { backUp } = await import('../../archive/backup/backup.ts');
  const client = await session.client();
  const workspace = await identifyWorkspace(session);
  const mirror = await session.connections.openMirror();
  // The records of a mirror have the age of the mirror.
  const now = mirror ? () => mirror.readAt : session.runtime.now;
  const { signal } = session;
  const { version, lockHolder: holder } = session.runtime;
  const summary = await withProgress(session, (update) =>
    backUp({
      ...{ client, workspace, folder, keep, version, now, signal, holder },
      onProgress: (noun: Noun, done, total) =>
        update({ verb: `Reading ${formatNoun(noun)}`, done, total: total ?? done, unit: 'record' }),
    }),
  );
  for (const { noun, is_short } of summary.results.values())
    if (is_short)
      await session.messages.warn(`The service sent fewer ${formatNoun(noun)} than it announced.`);
  return summary;
}

/**
 * Stores the records of an archive in an empty workspace file or PostgreSQL database, with their ids, keys and times. A
 * missing file is created. The new workspace has the identity of the archive's workspace, if it was a local one.
 * @throws {Failure} as `restore` of the service does
 */
export async function restoreArchive(
  session: Session,
  archive: Archive,
  location: string,
): Promise<RestoreSummary> {
  const { identity, files } = archive.manifest;
  const source = {
    identity: 'id' in identity && identity.id !== '' ? identity.id : undefined,
    read: archive.records.bind(archive),
  };
  const workspace = await session.services.workspace();
  return withProgress(session, (update) =>
    workspace.restore(
      location,
      source,
      (noun, done) =>
        update({ verb: `Restoring ${formatNoun(noun)}`, done, total: files[noun].records, unit: 'record' }),
      session.signal,
    ),
  );
}

/** Returns the name of a noun in messages: `customFields` becomes `custom fields`. */
export const formatNoun = (noun: Noun) => toPlural(singularNouns[noun]);

/** Returns a value of a JSON document with its noun as it is typed: `custom-fields`. */
export const withTypedNoun = <T extends { readonly noun: Noun }>(value: T) => ({
  ...value,
  noun: toTypedNoun(value.noun),
});

export const formatNounCount = (noun: Noun, count: number) => formatCount(count, singularNouns[noun]);

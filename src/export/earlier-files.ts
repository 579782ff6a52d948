import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDisk, unlessOwn } from '../files/disk-errors.ts';
import { plain } from '../render/fields.ts';
import { exportedMarkdown } from '../search/exported-files.ts';
import { idInName, spellId } from './file-name.ts';
import { bytesAt, hashOf } from './folder.ts';
import type { Written } from './ledger-lines.ts';
import { isOlderVersion } from './older-version.ts';
import { endOf, type MeetingFile } from './texts.ts';

/** Names of files in an export folder, by the spelled id of their meeting (see `spellId`). */
export type EarlierFiles = ReadonlyMap<string, readonly string[]>;

const exportedKinds = /\.(md|json|vtt|srt|txt)$/;

/** Finds the files of an export whose ledger is lost, by their names in the folder and its subfolders. */
export async function findEarlierFiles(folder: string): Promise<EarlierFiles> {
  const names = new Map<string, string[]>();
  const subfolders: string[] = [];
  const read = async (parent: string, prefix: string) => {
    for await (const entry of await opendir(parent)) {
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && prefix === '') subfolders.push(entry.name);
      if (!entry.isFile() || !exportedKinds.test(entry.name)) continue;
      const id = idInName(entry.name.slice(0, -endOf(entry.name).length));
      names.set(id, [...(names.get(id) ?? []), `${prefix}${entry.name}`]);
    }
  };
  await fromDisk(folder, () => read(folder, ''));
  for (const subfolder of subfolders) {
    await unlessOwn(() => fromDisk(subfolder, () => read(join(folder, subfolder), `${subfolder}/`)));
  }
  return names;
}

/** Reads which meetings the Markdown files of a folder are of: title and last update, by id. */
export async function readEarlierMeetings(
  folder: string,
): Promise<ReadonlyMap<string, { readonly title: string; readonly updated_at: string }>> {
  const meetings = new Map<string, { title: string; updated_at: string }>();
  for (const name of [...(await findEarlierFiles(folder)).values()].flat()) {
    if (!name.endsWith('.md')) continue;
    const bytes = await unlessOwn(() => bytesAt(join(folder, name)));
    const found = bytes instanceof Uint8Array ? exportedMarkdown(Buffer.from(bytes).toString()) : undefined;
    if (found)
      meetings.set(found.meeting.event_id, { title: found.meeting.title, updated_at: found.updated_at });
  }
  return meetings;
}

/** The names of the files that may belong to a meeting. */
export function earlierNamesOf(files: EarlierFiles, id: unknown): readonly string[] {
  return files.get(spellId(plain(id))) ?? [];
}

/**
 * Recognizes the files of a meeting by their content. A file with the text that an export writes now, with any options,
 * is unedited, even if the title, the times or the attendees of the meeting have changed since. Other Markdown of the
 * meeting counts as edited, because it is unknown whether the meeting or the file has changed.
 */
export async function recognizeFiles(
  folder: string,
  names: readonly string[],
  id: string,
  versions: readonly MeetingFile[],
): Promise<Written[]> {
  const unedited = new Set(versions.map(({ end, bytes }) => `${end} ${hashOf(bytes)}`));
  const files: Written[] = [];
  const edited: Written[] = [];
  for (const name of names) {
    const bytes = await unlessOwn(() => bytesAt(join(folder, name)));
    if (!(bytes instanceof Uint8Array)) continue;
    const hash = hashOf(bytes);
    const end = endOf(name);
    const isUnedited =
      unedited.has(`${end.replace(/\.new\d*/, '')} ${hash}`) ||
      versions.some((version) => version.end === end && isOlderVersion(end, bytes, version.bytes));
    if (isUnedited) files.push({ name, hash });
    else if (end === '.md' && isOfMeeting(bytes, id)) edited.push({ name, hash: '' });
  }
  return [...files, ...edited];
}

function isOfMeeting(bytes: Uint8Array, id: string): boolean {
  return exportedMarkdown(Buffer.from(bytes).toString())?.meeting.event_id === id;
}

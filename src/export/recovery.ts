import { parse } from 'yaml';
import { parseExportedMarkdown } from '../search/exported-files.ts';
import { parseRawJson, rawMember } from '../values/raw-json.ts';
import type { ReceivedEvent } from './event-list.ts';
import { ExportFolder, hashContent } from './folder.ts';
import { encodeId, findSuffix, parseEncodedId } from './layout.ts';
import type { WrittenFile } from './ledger-format.ts';
import { type EventFields, type MeetingFile, renderFrontMatter } from './meeting-files.ts';

/** Names of files in an export folder, by the encoded id of their meeting (see `encodeId`). */
export type EarlierFiles = ReadonlyMap<string, readonly string[]>;

/** Matches the names of files that may be exported; hidden ones are not. */
const exportedName = /^(?:[^./][^/]*\/)?[^./][^/]*\.(md|json|vtt|srt|txt)$/;

/** Finds the files of an export whose ledger is lost, by their names in the folder and its subfolders. */
export async function findEarlierFiles(folder: ExportFolder): Promise<EarlierFiles> {
  const files = new Map<string, string[]>();
  for await (const { name, isFile } of folder.list()) {
    if (!isFile || !exportedName.test(name)) continue;
    const id = parseEncodedId(name.slice(0, -findSuffix(name).length));
    files.set(id, [...(files.get(id) ?? []), name]);
  }
  return files;
}

/** Reads the titles and last updates of the meetings in a folder from their Markdown files, by id. */
export async function readEarlierMeetings(
  path: string,
): Promise<ReadonlyMap<string, { readonly title: string; readonly updated_at: string }>> {
  const folder = new ExportFolder(path);
  const meetings = new Map<string, { title: string; updated_at: string }>();
  for (const name of [...(await findEarlierFiles(folder)).values()].flat()) {
    const bytes = name.endsWith('.md') ? folder.tryRead(name) : undefined;
    const { meeting, updated_at } = (bytes && parseExportedMarkdown(bytes.toString())) ?? {};
    if (meeting && updated_at !== undefined)
      meetings.set(meeting.event_id, { title: meeting.title, updated_at });
  }
  return meetings;
}

/** Returns the names of the files that may belong to a meeting. */
export function getEarlierNames(files: EarlierFiles, { id }: ReceivedEvent): readonly string[] {
  return files.get(encodeId(id ?? '')) ?? [];
}

/**
 * Recognizes the files of a meeting by their content. A file is unedited if an export writes the same text now, with any
 * options, or did so before the event was updated. Other Markdown counts as edited: the meeting or the file has changed.
 */
export function recognizeFiles(
  folder: ExportFolder,
  names: readonly string[],
  id: string,
  versions: readonly MeetingFile[],
): WrittenFile[] {
  const unedited = new Set(versions.map(({ suffix, text }) => `${suffix} ${hashContent(text)}`));
  const files: WrittenFile[] = [];
  const edited: WrittenFile[] = [];
  for (const name of names) {
    const bytes = folder.tryRead(name);
    if (!bytes) continue;
    const [hash, text, suffix] = [hashContent(bytes), bytes.toString(), findSuffix(name)];
    const isUnedited =
      unedited.has(`${suffix.replace(/\.new\d*/, '')} ${hash}`) ||
      versions.some((version) => version.suffix === suffix && isOlderVersion(suffix, text, version.text));
    if (isUnedited) files.push({ name, hash });
    else if (suffix === '.md' && parseExportedMarkdown(text)?.meeting.event_id === id)
      edited.push({ name, hash: '' });
  }
  return [...files, ...edited];
}

interface Parts {
  readonly event: EventFields;
  readonly recordings: string;
}

/** Returns whether a file differs only in the fields of the calendar event, with an older `updated_at`. */
function isOlderVersion(suffix: string, text: string, current: string): boolean {
  try {
    const split = suffix === '.md' ? splitMarkdown : splitJson;
    const [old, now] = [split(text), split(current)];
    if (!old || !now) return false;
    const isSame = old.recordings === now.recordings && old.event.id === now.event.id;
    return isSame && Date.parse(String(old.event.updated_at)) < Date.parse(String(now.event.updated_at));
  } catch {
    return false; // malformed YAML or JSON
  }
}

/** Splits Markdown; undefined if someone changed the front matter or the heading. */
function splitMarkdown(text: string): Parts | undefined {
  const [head, frontMatter] = /^---\n(.*?\n)---\n\n# [^\n]*\n/s.exec(text) ?? [];
  if (head === undefined || frontMatter === undefined) return undefined;
  const event: EventFields = { ...parse(frontMatter) };
  if (renderFrontMatter(event) !== head) return undefined;
  return { event, recordings: text.slice(head.length) };
}

/** Splits JSON; undefined if someone reformatted it. */
function splitJson(text: string): Parts | undefined {
  const file = parseRawJson(text);
  const [event = 'null', recordings = 'null'] = ['calendar_event', 'recordings'].map(
    (name) => rawMember(file, name)?.text,
  );
  if (text !== `{"calendar_event":${event},"recordings":${recordings}}\n`) return undefined;
  return { event: { ...JSON.parse(event) }, recordings };
}

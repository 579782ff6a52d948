import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { createReadFailure, describeReadError } from '../files/disk-errors.ts';
import { quoteShellWord } from '../values/text.ts';
import { type ExportedMeeting, parseExportedJson, parseExportedMarkdown } from './exported-files.ts';
import { type MeetingHit, type SearchOptions, searchRecording } from './search.ts';

/** Which of the meetings in a folder are searched. */
export interface FolderSearchOptions extends SearchOptions {
  readonly folder: string;
  /** Unix timestamps, as the service takes them: from this one on, before this one. */
  readonly startsAfter: number | undefined;
  readonly startsBefore: number | undefined;
}

/**
 * Searches what an export has written, latest first, with one meeting at a time in memory; gives the hits of a
 * recording together. Of the JSON and the Markdown of a meeting the newer one is searched, as one may be of a run
 * with other options. Throws `usage` where there is no transcript at all.
 */
export async function* searchFolder(searching: FolderSearchOptions): AsyncGenerator<MeetingHit[]> {
  const { folder, onNotSearched, onProgress } = searching;
  const files = await filesIn(folder);
  const seen = new Set<string>();
  let hasTranscripts = false;
  let done = 0;
  for (const names of byMeeting(files)) {
    const read: ExportedMeeting[] = [];
    for (const name of names) {
      try {
        read.push(...(await readExported(join(folder, name))));
      } catch (error) {
        onNotSearched({ name, reason: reasonOf(error) });
      }
      done += 1;
      onProgress(done, files.length);
    }
    for (const exported of newestFirst(read)) {
      if (seen.has(exported.meeting.event_id)) continue;
      hasTranscripts = true;
      seen.add(exported.meeting.event_id);
      if (!isWithin(exported, searching)) continue;
      for (const { id, turns } of exported.recordings) {
        const found = await searchRecording(exported.meeting, id, turns, searching);
        if (found.length > 0) yield found;
      }
    }
  }
  if (hasTranscripts) return;
  throw new Failure('usage', `There are no transcripts in ${folder}.`, {
    hint: `kith events export --out ${quoteShellWord(folder)} --transcript`,
  });
}

function isWithin({ meeting }: ExportedMeeting, { startsAfter, startsBefore }: FolderSearchOptions): boolean {
  if (startsAfter === undefined && startsBefore === undefined) return true;
  const start = Date.parse(meeting.start_at) / 1000;
  return (
    start >= (startsAfter ?? Number.NEGATIVE_INFINITY) && start < (startsBefore ?? Number.POSITIVE_INFINITY)
  );
}

/**
 * The files that an export may have written, relative to the folder. Their names begin with the day of the
 * meeting: latest first, JSON before the Markdown beside it. What begins with a dot is none of them.
 */
async function filesIn(folder: string): Promise<string[]> {
  const files: string[] = [];
  const look = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error) => {
      throw createReadFailure(join(folder, below), error);
    });
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const path = join(below, entry.name);
      if (entry.isDirectory()) await look(path);
      else if (entry.isFile() && /^\.(?:json|md)$/.test(extname(entry.name))) files.push(path);
    }
  };
  await look('');
  return files.sort((one, other) => compared(stem(other), stem(one)) || compared(one, other));
}

/** Files that differ only in the end of their names are of one meeting; they follow each other. */
function byMeeting(files: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const shared = join(dirname(file), stem(file));
    groups.set(shared, [...(groups.get(shared) ?? []), file]);
  }
  return [...groups.values()];
}

/** Those that have transcripts; of equally new ones the JSON, which comes first and has the times of all words. */
function newestFirst(read: readonly ExportedMeeting[]): ExportedMeeting[] {
  const time = ({ updated_at }: ExportedMeeting) => Date.parse(updated_at) || 0;
  return read.filter(({ recordings }) => recordings.length > 0).sort((one, other) => time(other) - time(one));
}

const stem = (file: string) => basename(file, extname(file));
const compared = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** A meeting; none where the file is of another making. */
async function readExported(path: string): Promise<ExportedMeeting[]> {
  const text = await readFile(path, 'utf8');
  return [path.endsWith('.json') ? parseExportedJson(text) : parseExportedMarkdown(text)].flatMap(
    (one) => one ?? [],
  );
}

function reasonOf(error: unknown): string {
  return error instanceof SyntaxError ? 'it is no JSON' : describeReadError(error);
}

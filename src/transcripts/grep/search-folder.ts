import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { createReadFailure, describeReadError } from '../../files/disk-errors.ts';
import { quoteShellWord } from '../../values/text.ts';
import { type ExportedMeeting, parseExported } from './exported-files.ts';
import { type Meeting, type MeetingHit, type SearchOptions, searchRecording } from './grep.ts';

export interface FolderSearchOptions extends SearchOptions {
  readonly folder: string;
  /** Only meetings that start at or after `startsAfter` and before `startsBefore`, in seconds since 1970. */
  readonly startsAfter: number | undefined;
  readonly startsBefore: number | undefined;
}

/**
 * Searches an export folder, latest meeting first, with one meeting in memory at a time. Yields the hits of each
 * recording together. If a meeting has JSON and Markdown, searches the newer one: runs may have had different options.
 * @throws {Failure} usage if the folder has no transcripts
 */
export async function* searchFolder(options: FolderSearchOptions): AsyncGenerator<MeetingHit[]> {
  const { folder, onSkipped, onProgress } = options;
  const files = await listFiles(folder);
  const meetingIds = new Set<string>();
  let done = 0;
  for (const names of groupByMeeting(files)) {
    const read: ExportedMeeting[] = [];
    for (const name of names) {
      try {
        const meeting = parseExported(name, await readFile(join(folder, name), 'utf8'));
        if (meeting && meeting.recordings.length > 0) read.push(meeting);
      } catch (error) {
        const reason = error instanceof SyntaxError ? 'it is not valid JSON' : describeReadError(error);
        onSkipped({ name, reason });
      }
      done += 1;
      onProgress(done, files.length);
    }
    // On equal times JSON stays first, which has the times of all words.
    const readUpdateTime = ({ updated_at }: ExportedMeeting) => Date.parse(updated_at) || 0;
    for (const { meeting, recordings } of read.sort(
      (left, right) => readUpdateTime(right) - readUpdateTime(left),
    )) {
      if (meetingIds.has(meeting.event_id)) continue;
      meetingIds.add(meeting.event_id);
      if (!isWithin(meeting, options)) continue;
      for (const { id, utterances } of recordings) {
        const hits = await searchRecording(meeting, id, utterances, options);
        if (hits.length > 0) yield hits;
      }
    }
  }
  if (meetingIds.size > 0) return;
  const hint = `kith meetings export --out ${quoteShellWord(folder)} --transcript`;
  throw new Failure('usage', `No transcripts in ${folder}.`, { hint });
}

function isWithin({ start_at }: Meeting, { startsAfter, startsBefore }: FolderSearchOptions): boolean {
  const start = Date.parse(start_at) / 1000;
  return (
    (startsAfter === undefined || start >= startsAfter) &&
    (startsBefore === undefined || start < startsBefore)
  );
}

/**
 * Lists the JSON and Markdown files of a folder, relative to it. The names begin with the day of the meeting: latest first,
 * JSON before Markdown of the same name. Ignores names that begin with a dot.
 */
async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  const walk = async (subfolder: string): Promise<void> => {
    const entries = await readdir(join(folder, subfolder), { withFileTypes: true }).catch((error) => {
      throw createReadFailure(join(folder, subfolder), error);
    });
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const path = join(subfolder, entry.name);
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile() && /^\.(?:json|md)$/.test(extname(entry.name))) files.push(path);
    }
  };
  await walk('');
  return files.sort((left, right) => compare(stem(right), stem(left)) || compare(left, right));
}

/** Groups the files of a meeting, which differ only in their extension. */
function groupByMeeting(files: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const shared = join(dirname(file), stem(file));
    groups.set(shared, [...(groups.get(shared) ?? []), file]);
  }
  return [...groups.values()];
}

const stem = (file: string) => basename(file, extname(file));
const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

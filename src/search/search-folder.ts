import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { createReadFailure, describeReadError } from '../files/disk-errors.ts';
import { quoteShellWord } from '../values/text.ts';
import { type ExportedMeeting, parseExportedJson, parseExportedMarkdown } from './exported-files.ts';
import { type MeetingHit, type SearchOptions, searchRecording } from './search.ts';

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
  const seen = new Set<string>();
  let hasTranscripts = false;
  let done = 0;
  for (const names of groupByMeeting(files)) {
    const read: ExportedMeeting[] = [];
    for (const name of names) {
      try {
        read.push(...(await readExported(join(folder, name))));
      } catch (error) {
        onSkipped({ name, reason: describeError(error) });
      }
      done += 1;
      onProgress(done, files.length);
    }
    for (const exported of sortNewestFirst(read)) {
      if (seen.has(exported.meeting.event_id)) continue;
      hasTranscripts = true;
      seen.add(exported.meeting.event_id);
      if (!isWithin(exported, options)) continue;
      for (const { id, utterances } of exported.recordings) {
        const hits = await searchRecording(exported.meeting, id, utterances, options);
        if (hits.length > 0) yield hits;
      }
    }
  }
  if (hasTranscripts) return;
  throw new Failure('usage', `No transcripts in ${folder}.`, {
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
  return files.sort((one, other) => compare(stem(other), stem(one)) || compare(one, other));
}

/** Groups the files that differ only in their extension: they belong to one meeting. */
function groupByMeeting(files: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const shared = join(dirname(file), stem(file));
    groups.set(shared, [...(groups.get(shared) ?? []), file]);
  }
  return [...groups.values()];
}

/** Sorts meetings with transcripts, newest first. On equal times JSON stays first, which has the times of all words. */
function sortNewestFirst(read: readonly ExportedMeeting[]): ExportedMeeting[] {
  const time = ({ updated_at }: ExportedMeeting) => Date.parse(updated_at) || 0;
  return read.filter(({ recordings }) => recordings.length > 0).sort((one, other) => time(other) - time(one));
}

const stem = (file: string) => basename(file, extname(file));
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Reads a meeting; none if the file is not an export. */
async function readExported(path: string): Promise<ExportedMeeting[]> {
  const text = await readFile(path, 'utf8');
  return [path.endsWith('.json') ? parseExportedJson(text) : parseExportedMarkdown(text)].flatMap(
    (one) => one ?? [],
  );
}

function describeError(error: unknown): string {
  return error instanceof SyntaxError ? 'it is not valid JSON' : describeReadError(error);
}

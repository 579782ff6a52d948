import { dirname } from 'node:path';
import * as v from 'valibot';
import type { FileFormat } from '../files/durable-file.ts';
import { isStoredIdentity, type StoredIdentity, type StoredWorkspace } from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';

/** An exported file. */
export interface LedgerFile {
  /** Relative to the export folder. */
  readonly name: string;
  /** Hash of the content as written. Empty for a file that the export found and never wrote. */
  readonly hash: string;
}

// The field names on disk are the names of version 1, which every later version must read.

/** A file name relative to the export folder, directly in it or in a subfolder. Other names are not trusted. */
const Name = v.pipe(v.string(), v.regex(/^(?:[^./\\:\0][^/\\:\0]*\/)?[^./\\:\0][^/\\:\0]*$/));
const File = v.object({ name: Name, hash: v.string() });
/** `beside` is the `.new` file. Only earlier versions wrote it here. */
const FileOnDisk = v.object({ ...File.entries, beside: v.exactOptional(File) });

const MeetingOnDisk = v.object({
  id: v.string(),
  title: v.string(),
  updated_at: v.string(),
  made: v.string(),
  layout: v.string(),
  files: v.array(v.object({ ...FileOnDisk.entries, next: v.exactOptional(FileOnDisk) })),
  recordings: v.array(
    v.object({
      id: v.string(),
      updated_at: v.nullable(v.string()),
      state: v.picklist(['exported', 'pending', 'failed', 'gone']),
      since: v.exactOptional(v.string()),
      listed: v.exactOptional(v.literal(true)),
    }),
  ),
  left: v.exactOptional(v.array(FileOnDisk)),
  boxes: v.exactOptional(v.object({ key: v.string(), done: v.array(v.number()) })),
  failed: v.exactOptional(v.string()),
  gone: v.exactOptional(v.literal(true)),
});
type MeetingOnDisk = v.InferOutput<typeof MeetingOnDisk>;

const ExportFilter = v.object({
  contact_id: v.optional(v.string()),
  organization_id: v.optional(v.string()),
});
/** Selects the meetings to export. */
export type ExportFilter = Readonly<v.InferOutput<typeof ExportFilter>>;

const WatermarkOnDisk = v.object({
  filter: ExportFilter,
  made: v.string(),
  at: v.optional(v.number()),
  listed: v.optional(v.number()),
});

const Owner = v.object({
  workspace: v.optional(v.string()),
  identity: v.optional(v.custom<StoredIdentity>(isStoredIdentity)),
});

const Header = v.object({ kith_export: v.literal(1), ...Owner.entries });

export const ledgerFormat: FileFormat<typeof Header> = {
  what: 'export ledger',
  version: 1,
  versionMember: 'kith_export',
  schema: Header,
  suggestRepair: (path) =>
    `Add --full to your export command to rebuild it: kith meetings export --full --out ${quoteShellWord(dirname(path))}`,
};

export const LedgerLine = v.union([
  v.object({ meeting: v.pipe(MeetingOnDisk, v.transform(parseMeeting)) }),
  v.object({ watermark: v.pipe(WatermarkOnDisk, v.transform(parseWatermark)) }),
  v.object({ forgotten: v.string() }),
  v.object({ owner: Owner }),
  // Only earlier versions wrote this line. Their watermarks require a new list of all meetings.
  v.object({ incomplete: v.literal(true) }),
]);
/** A line after the header. The last line of a meeting or a filter is valid. */
export type LedgerLine = v.InferOutput<typeof LedgerLine>;

/** Parses a meeting's line that was validated before. @throws {SyntaxError} if the line is not JSON */
export const parseMeetingLine = (text: string): LedgerMeeting => parseMeeting(JSON.parse(text).meeting);

/** The boxes of a meeting without done items. */
export const noBoxes: NonNullable<MeetingOnDisk['boxes']> = { key: '', done: [] };

export type LedgerMeeting = Readonly<ReturnType<typeof parseMeeting>>;

function parseMeeting(meeting: MeetingOnDisk) {
  const { id, title, updated_at, made, layout, files, left = [], recordings, boxes, failed, gone } = meeting;
  return {
    id,
    title,
    updated_at,
    /** The contents of its files, see `formatContentKey`. */
    contents: made,
    layout,
    /** The files of the last export. Each edited file is followed by the `.new` file with the new text. */
    files: listFiles(files.filter(({ hash, next }) => hash !== '' || !next)),
    /** Files that the last export did not produce again. */
    unusedFiles: listFiles(left),
    /** Files that an export was about to write when it was killed. */
    plannedFiles: listFiles(files.flatMap(({ next }) => next ?? [])),
    recordings: recordings.map(parseRecording),
    /** The key of the states of its action items, and the positions of the done boxes, in its Markdown file. */
    boxes: boxes ?? noBoxes,
    /** Why the meeting could not be exported. */
    failure: failed,
    /** The meeting was deleted upstream. */
    isDeleted: gone === true,
  };
}

export type LedgerRecording = Readonly<ReturnType<typeof parseRecording>>;

function parseRecording({ id, updated_at, state, since, listed }: MeetingOnDisk['recordings'][number]) {
  return {
    id,
    updated_at,
    /** `unavailable`: the service returned 404. */
    state: state === 'gone' ? ('unavailable' as const) : state,
    /** The time at which the recording was first pending, in ISO 8601. */
    since,
    /** Whether the meeting lists the recording although the service does not have it. */
    isListed: listed === true,
  };
}

const listFiles = (files: readonly v.InferOutput<typeof FileOnDisk>[]): readonly LedgerFile[] =>
  files.flatMap(({ name, hash, beside }) => [{ name, hash }, ...(beside ? [beside] : [])]);

/** The time up to which all meetings of a filter were exported. */
export type Watermark = Readonly<ReturnType<typeof parseWatermark>>;

function parseWatermark({ filter, made, at, listed }: v.InferOutput<typeof WatermarkOnDisk>) {
  return {
    filter,
    /** The contents and layout of the runs. */
    options: made,
    /** Seconds since 1970 on the service's clock; undefined if no run was complete. */
    at,
    /** The time of the last list of all meetings, in seconds since 1970 on this machine's clock. */
    listed,
  };
}

export const formatHeader = (owner: StoredWorkspace): string => JSON.stringify({ kith_export: 1, ...owner });

/** Formats a line, without its line end. */
export function formatLine(line: LedgerLine): string {
  if ('meeting' in line) return JSON.stringify({ meeting: toMeetingOnDisk(line.meeting) });
  if (!('watermark' in line)) return JSON.stringify(line);
  const { filter, options, at, listed } = line.watermark;
  return JSON.stringify({ watermark: { filter, made: options, at, listed } });
}

function toMeetingOnDisk(meeting: LedgerMeeting) {
  const { id, title, updated_at, contents, layout, files, unusedFiles, plannedFiles, boxes } = meeting;
  const hasBoxes = boxes.key !== '' || boxes.done.length > 0;
  return {
    id,
    title,
    updated_at,
    made: contents,
    layout,
    files: [...files, ...plannedFiles.map((next) => ({ name: next.name, hash: '', next }))],
    recordings: meeting.recordings.map(({ id, updated_at, state, since, isListed }) => ({
      id,
      updated_at,
      state: state === 'unavailable' ? 'gone' : state,
      since,
      listed: isListed || undefined,
    })),
    left: unusedFiles.length > 0 ? unusedFiles : undefined,
    boxes: hasBoxes ? boxes : undefined,
    failed: meeting.failure,
    gone: meeting.isDeleted || undefined,
  };
}

import * as v from 'valibot';
import { WorkspaceIdentity } from '../files/workspace-identity.ts';

// The field names are those of version 1 of the file, which every later version must read.

/** A file name relative to the export folder, in it or in one of its subfolders. Anything else is not trusted. */
const Name = v.pipe(v.string(), v.regex(/^(?:[^./\\:\0][^/\\:\0]*\/)?[^./\\:\0][^/\\:\0]*$/));

const WrittenFile = v.object({
  name: Name,
  /** Hash of the content as written. A file with another hash was edited. Empty if nothing was written. */
  hash: v.string(),
  /** The file with the new text next to an edited file. */
  beside: v.exactOptional(v.object({ name: Name, hash: v.string() })),
});
/** A file of a meeting as the export wrote it. */
export type WrittenFile = Readonly<v.InferOutput<typeof WrittenFile>>;

/** `next` is the file that a run was about to write. It stays if the run is killed. */
const LedgerFile = v.object({ ...WrittenFile.entries, next: v.exactOptional(WrittenFile) });
export type LedgerFile = Readonly<v.InferOutput<typeof LedgerFile>>;

const LedgerRecording = v.object({
  id: v.string(),
  updated_at: v.nullable(v.string()),
  /** `gone`: the service does not have it. */
  state: v.picklist(['exported', 'pending', 'failed', 'gone']),
  /** When it was first seen pending: ISO 8601. */
  since: v.exactOptional(v.string()),
  /** The service does not have it, but its meeting still lists it. */
  listed: v.exactOptional(v.literal(true)),
});
export type LedgerRecording = Readonly<v.InferOutput<typeof LedgerRecording>>;

const LedgerMeeting = v.object({
  id: v.string(),
  title: v.string(),
  updated_at: v.string(),
  /** The contents of its files, see `formatContentKey`. */
  made: v.string(),
  layout: v.string(),
  files: v.pipe(v.array(LedgerFile), v.readonly()),
  recordings: v.pipe(v.array(LedgerRecording), v.readonly()),
  /** Files that the current options no longer produce. */
  left: v.exactOptional(v.pipe(v.array(WrittenFile), v.readonly())),
  /** Why the meeting could not be exported. */
  failed: v.exactOptional(v.string()),
  /** The meeting was deleted upstream. */
  gone: v.exactOptional(v.literal(true)),
});
export type LedgerMeeting = Readonly<v.InferOutput<typeof LedgerMeeting>>;

const ExportFilter = v.object({
  contact_id: v.optional(v.string()),
  organization_id: v.optional(v.string()),
});
/** Selects the meetings to export. */
export type ExportFilter = Readonly<v.InferOutput<typeof ExportFilter>>;

const Watermark = v.object({
  filter: ExportFilter,
  /** The contents and layout of the runs. */
  made: v.string(),
  /** Seconds since 1970 on the service's clock; undefined if no run was complete. */
  at: v.exactOptional(v.number()),
  /** When a run last listed all meetings, in seconds since 1970 on this machine's clock. */
  listed: v.exactOptional(v.number()),
});
/** The time up to which every meeting that passes a filter was exported. */
export type Watermark = Readonly<v.InferOutput<typeof Watermark>>;

const Owner = v.object({ workspace: v.optional(v.string()), identity: v.optional(WorkspaceIdentity) });

export const ledgerVersion = 1;

const Header = v.object({ kith_export: v.number(), ...Owner.entries });

const LedgerLine = v.union([
  v.object({ meeting: LedgerMeeting }),
  v.object({ watermark: Watermark }),
  v.object({ forgotten: v.string() }),
  v.object({ incomplete: v.literal(true) }),
  v.object({ owner: Owner }),
  Header,
]);
/** A line. The first one is the header. The last line of a meeting or a filter counts. */
export type LedgerLine = v.InferOutput<typeof LedgerLine>;

/** Parses a line; undefined if it is invalid. */
export function parseLine(text: string): LedgerLine | undefined {
  try {
    const { success, output } = v.safeParse(LedgerLine, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

export const isHeader = (line: LedgerLine | undefined): line is v.InferOutput<typeof Header> =>
  line !== undefined && 'kith_export' in line;

/** Returns whether an incomplete first line can be the beginning of a header. */
export function isHeaderStart(text: string): boolean {
  const start = JSON.stringify({ kith_export: ledgerVersion }).slice(0, -1);
  return start.startsWith(text) || text.startsWith(start);
}

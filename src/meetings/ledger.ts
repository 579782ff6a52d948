import { appendFileSync, closeSync, openSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { fromDisk, onDisk } from '../disk/on-disk.ts';
import { bytesOf } from '../disk/plain-file.ts';
import { writeWhole } from '../disk/whole-file.ts';

/** The name of a file, relative to the folder: in it or in a folder of it, whoever wrote the ledger. */
const Name = v.pipe(v.string(), v.regex(/^(?:[^./\\:\0][^/\\:\0]*\/)?[^./\\:\0][^/\\:\0]*$/));

const Written = v.object({
  name: Name,
  /** Of what was written; a file that has another now was edited. Empty: nothing was. */
  hash: v.string(),
  /** Newer text, beside a file that was to be left as it is. */
  beside: v.exactOptional(v.object({ name: Name, hash: v.string() })),
});
/** A file of a meeting, as it was written. */
export type Written = Readonly<v.InferOutput<typeof Written>>;

/** The same, with what a run was about to make of it when it was last heard of. */
const KeptFile = v.object({ ...Written.entries, next: v.exactOptional(Written) });
export type KeptFile = Readonly<v.InferOutput<typeof KeptFile>>;

const KeptRecording = v.object({
  id: v.string(),
  updated_at: v.nullable(v.string()),
  file: v.nullable(Name),
  hash: v.nullable(v.string()),
  state: v.picklist(['exported', 'pending', 'failed', 'gone']),
  /** When it was first found pending: ISO 8601. */
  since: v.exactOptional(v.string()),
});
/** What is known of a recording. */
export type KeptRecording = Readonly<v.InferOutput<typeof KeptRecording>>;

const KeptMeeting = v.object({
  id: v.string(),
  title: v.string(),
  updated_at: v.string(),
  /** What its files hold. */
  made: v.string(),
  layout: v.string(),
  files: v.pipe(v.array(KeptFile), v.readonly()),
  recordings: v.pipe(v.array(KeptRecording), v.readonly()),
  /** Files that belong to it no more, left where they are. */
  left: v.exactOptional(v.pipe(v.array(Written), v.readonly())),
  /** Why it could not be exported. */
  failed: v.exactOptional(v.string()),
  /** The service has it no more. */
  gone: v.exactOptional(v.literal(true)),
});
/** What is known of a meeting. */
export type KeptMeeting = Readonly<v.InferOutput<typeof KeptMeeting>>;

const Filter = v.object({
  contact_id: v.optional(v.string()),
  organization_id: v.optional(v.string()),
});
/** Which meetings an export is about. */
export type Filter = Readonly<v.InferOutput<typeof Filter>>;

const Watermark = v.object({
  filter: Filter,
  made: v.string(),
  /** Seconds since 1970 on the service's clock; without it nothing was seen to its end. */
  at: v.exactOptional(v.number()),
  /** When the whole list was last read, on the clock of this machine. */
  listed: v.exactOptional(v.number()),
});
/** Up to when all that passes a filter was seen, and the options of the runs that saw it. */
type Watermark = Readonly<v.InferOutput<typeof Watermark>>;

/** What is known of a folder: its meetings by id, and a watermark for each filter that was exported to it. */
export interface Known {
  /** The base URL or the file of the workspace that the meetings are of. */
  workspace: string | undefined;
  readonly meetings: Map<string, KeptMeeting>;
  readonly watermarks: Map<string, Watermark>;
}

/** The ledger of a folder, open for a run. Everything is written when it is told, a line each. */
export interface Ledger extends Known {
  keep(meeting: KeptMeeting): Promise<void>;
  forget(id: string): Promise<void>;
  mark(watermark: Watermark): Promise<void>;
  /** Writes it anew, in an order that tells nothing of the run. */
  complete(): Promise<void>;
  close(): Promise<void>;
}

const Line = v.union([
  v.object({ meeting: KeptMeeting }),
  v.object({ watermark: Watermark }),
  v.object({ forgotten: v.string() }),
]);
type Line = v.InferOutput<typeof Line>;

const version = 1;
const headerOf = (workspace: string | undefined) =>
  `${JSON.stringify({ kith_export: version, workspace })}\n`;
const fileIn = (folder: string) => join(folder, '.kith-export.jsonl');
const lineEnd = 10;

/** What is known of a folder; undefined where nothing was ever exported to it. Throws `failed`. */
export async function readLedger(folder: string): Promise<Known | undefined> {
  return (await read(folder))?.known;
}

/**
 * Opens the ledger of a folder: a journal to which each meeting is a line, whole or, where a run was killed in
 * the middle of it, not there. Throws `failed` for one that a newer version wrote, and for what is no ledger;
 * `usage` for that of another workspace, whose meetings would all seem to be gone.
 */
export async function openLedger(folder: string, workspace: string): Promise<Ledger> {
  const path = fileIn(folder);
  const { known, whole, size } = (await read(folder)) ?? { known: nothingKnown(), whole: 0, size: 0 };
  if (known.workspace !== undefined && known.workspace !== workspace) {
    throw new Failure('usage', `${folder} holds the meetings of ${known.workspace}, not of ${workspace}.`, {
      hint: 'Export each workspace to a folder of its own.',
    });
  }
  if (whole < size) await onDisk(path, () => truncate(path, whole));
  const file = await onDisk(path, async () => openSync(path, 'a', 0o644));
  if (whole === 0) await append(file, path, headerOf(workspace));
  else if (whole < size) await append(file, path, marksOf(known).join(''));
  const take = (line: Line) => {
    takeIn(known, line);
    return append(file, path, lineOf(line));
  };
  known.workspace = workspace;
  return {
    ...known,
    keep: (meeting) => take({ meeting }),
    forget: (id) => take({ forgotten: id }),
    mark: (watermark) => take({ watermark }),
    complete: () => writeWhole(path, [Buffer.from(linesOf(known).join(''))]),
    close: async () => closeSync(file),
  };
}

/** The key of a filter among the watermarks. */
export function keyOf({ contact_id, organization_id }: Filter): string {
  return JSON.stringify({ contact_id, organization_id });
}

const nothingKnown = (): Known => ({ workspace: undefined, meetings: new Map(), watermarks: new Map() });

function append(file: number, path: string, line: string): Promise<void> {
  return onDisk(path, async () => appendFileSync(file, line));
}

const lineOf = (line: Line) => `${JSON.stringify(line)}\n`;

function linesOf(known: Known): string[] {
  return [
    headerOf(known.workspace),
    ...marksOf(known),
    ...sorted(known.meetings).map((meeting) => lineOf({ meeting })),
  ];
}

function marksOf({ watermarks }: Known): string[] {
  return sorted(watermarks).map((watermark) => lineOf({ watermark }));
}

function sorted<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
}

/** Reads a ledger: what it says, how many of its bytes are whole lines, and how many it has. */
async function read(folder: string): Promise<{ known: Known; whole: number; size: number } | undefined> {
  const path = fileIn(folder);
  const bytes = await fromDisk(path, async () => bytesOf(path));
  if (!bytes) return undefined;
  const whole = bytes.lastIndexOf(lineEnd) + 1;
  if (whole === 0 && !begins(bytes.toString())) throw noLedger(folder);
  const known = nothingKnown();
  const lines = bytes.toString('utf8', 0, whole).split('\n').slice(0, -1);
  if (lines[0] !== undefined) known.workspace = workspaceIn(parsed(lines[0]), folder);
  const damaged = lines.slice(1).filter((line) => !tookIn(known, line));
  // What a damaged line held is not known: everything is looked at again.
  if (damaged.length > 0 || whole < bytes.length) {
    for (const [key, { at: _, ...watermark }] of known.watermarks) known.watermarks.set(key, watermark);
  }
  return { known, whole, size: bytes.length };
}

/** Takes a line in; false where it cannot be read. */
function tookIn(known: Known, text: string): boolean {
  const { success, output } = v.safeParse(Line, parsed(text));
  if (success) takeIn(known, output);
  return success;
}

function takeIn({ meetings, watermarks }: Known, line: Line): void {
  if ('meeting' in line) meetings.set(line.meeting.id, line.meeting);
  else if ('watermark' in line) watermarks.set(keyOf(line.watermark.filter), line.watermark);
  else meetings.delete(line.forgotten);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const Header = v.object({ kith_export: v.number(), workspace: v.optional(v.string()) });

/** Whether a first line that is not whole may be that of a ledger. */
function begins(text: string): boolean {
  const start = JSON.stringify({ kith_export: version }).slice(0, -1);
  return start.startsWith(text) || text.startsWith(start);
}

/** The workspace in the first line of a ledger. Throws `failed` where it is none, or that of a newer version. */
function workspaceIn(first: unknown, folder: string): string | undefined {
  const { success, output } = v.safeParse(Header, first);
  if (!success) throw noLedger(folder);
  if (output.kith_export === version) return output.workspace;
  throw new Failure('failed', `The ledger of ${folder} was written by a newer kith.`, {
    hint: 'Update kith.',
  });
}

function noLedger(folder: string): Failure {
  return new Failure('failed', `${fileIn(folder)} is no ledger of an export.`, {
    hint: 'Export to another folder, or move that file away.',
  });
}

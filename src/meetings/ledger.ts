import { open, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { onDisk, writeWhole } from './folder.ts';

/** A file of a meeting. Where a person edited it, newer text stands beside. */
export interface KeptFile {
  /** Relative to the folder. */
  readonly name: string;
  /** Of what was written; a file that has another now was edited. */
  readonly hash: string;
  readonly beside?: { readonly name: string; readonly hash: string };
}

/** What is known of a recording. */
export interface KeptRecording {
  readonly id: string;
  readonly updated_at: string | null;
  readonly file: string | null;
  readonly hash: string | null;
  readonly state: 'exported' | 'pending' | 'failed' | 'gone';
  /** When it was first found pending. */
  readonly since?: string;
}

/** What is known of a meeting. */
export interface KeptMeeting {
  readonly id: string;
  readonly title: string;
  readonly updated_at: string;
  /** The options that its files were made with. */
  readonly made: string;
  readonly files: readonly KeptFile[];
  readonly recordings: readonly KeptRecording[];
  /** Files of kinds that other options made, left where they are. */
  readonly left?: readonly KeptFile[];
  /** Why it could not be exported. */
  readonly failed?: string;
  /** The service has it no more. */
  readonly gone?: true;
}

/** Up to when a run has seen everything: seconds since 1970 on the service's clock, and the options of that run. */
export interface Watermark {
  readonly at: number;
  readonly made: string;
}

/** What is known of a folder: its meetings by id, and the watermark of each filter. */
export interface Known {
  readonly meetings: Map<string, KeptMeeting>;
  readonly watermarks: Map<string, Watermark>;
}

/** The ledger of a folder, open for a run. */
export interface Ledger extends Known {
  keep(meeting: KeptMeeting): Promise<void>;
  /** Writes it anew, in an order that tells nothing of the run. */
  complete(): Promise<void>;
  close(): Promise<void>;
}

const version = 1;
const fileIn = (folder: string) => join(folder, '.kith-export.jsonl');

/** What is known of a folder; undefined where nothing was ever exported to it. Throws `failed`. */
export async function readLedger(folder: string): Promise<Known | undefined> {
  const text = await onDisk(fileIn(folder), () => readFile(fileIn(folder), 'utf8'), 'ENOENT');
  return text === undefined ? undefined : knownIn(text, folder);
}

/**
 * Opens the ledger of a folder: a journal to which each meeting is one line, whole or, where a run was killed in
 * the middle of it, not there. Throws `failed` for one that a newer version wrote.
 */
export async function openLedger(folder: string): Promise<Ledger> {
  const path = fileIn(folder);
  const text = (await onDisk(path, () => readFile(path, 'utf8'), 'ENOENT')) ?? '';
  const known = knownIn(text, folder);
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) await onDisk(path, () => truncate(path, Buffer.byteLength(whole)));
  const file = await onDisk(path, () => open(path, 'a', 0o644));
  const append = (line: unknown) =>
    onDisk(path, async () => {
      await file?.write(`${JSON.stringify(line)}\n`);
    });
  if (whole === '') await append({ kith_export: version });
  return {
    ...known,
    keep: async (meeting) => {
      known.meetings.set(meeting.id, meeting);
      await append({ meeting });
    },
    complete: () => writeWhole(path, Buffer.from(linesOf(known))),
    close: async () => file?.close(),
  };
}

function linesOf({ meetings, watermarks }: Known): string {
  const sorted = <T>(map: ReadonlyMap<string, T>) =>
    [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = [
    { kith_export: version },
    ...sorted(watermarks).map(([filter, watermark]) => ({ watermark: { filter, ...watermark } })),
    ...sorted(meetings).map(([, meeting]) => ({ meeting })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function knownIn(text: string, folder: string): Known {
  const known: Known = { meetings: new Map(), watermarks: new Map() };
  const lines = text.split('\n').slice(0, -1);
  const damaged = lines.filter((line, index) => !tookIn(known, line, index, folder)).length;
  // What a damaged line held is not known: everything is looked at again.
  if (damaged > 0) known.watermarks.clear();
  return known;
}

/** Takes a line in; false where it cannot be read. */
function tookIn(known: Known, line: string, index: number, folder: string): boolean {
  try {
    const { kith_export, meeting, watermark } = JSON.parse(line);
    if (index === 0) checkVersion(kith_export, folder);
    if (meeting) known.meetings.set(meeting.id, meeting);
    if (watermark) known.watermarks.set(watermark.filter, { at: watermark.at, made: watermark.made });
    return true;
  } catch (error) {
    if (error instanceof Failure) throw error;
    return false;
  }
}

function checkVersion(found: unknown, folder: string): void {
  if (found === version) return;
  const isNewer = typeof found === 'number' && found > version;
  throw new Failure(
    'failed',
    isNewer
      ? `The ledger of ${folder} was written by a newer kith.`
      : `${fileIn(folder)} is no ledger of an export.`,
    { hint: isNewer ? 'Update kith.' : 'Export to another folder, or move that file away.' },
  );
}

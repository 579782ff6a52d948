import type { Client } from '../client/client.ts';
import { indented, type Sent } from '../contract/json-text.ts';
import { fieldsOf } from '../output/columns.ts';
import { transcriptText } from '../output/transcript.ts';
import { type Fetched, fetched } from './fetch.ts';
import { meetingMarkdown, type Recorded } from './markdown.ts';

/** What can be written beside the Markdown. */
export const besides = ['json', 'txt'] as const;
export type Beside = (typeof besides)[number];

/** What the files of a meeting hold. */
export interface Contents {
  /** The transcript in the Markdown. */
  readonly transcript: boolean;
  readonly with: readonly Beside[];
}

/** A file of a meeting, by the end of its name. */
export interface MeetingFile {
  readonly end: string;
  readonly bytes: Uint8Array;
}

/** A recording as it went into the files. */
export interface Read {
  readonly id: string;
  readonly status: string;
  readonly updated_at: string | null;
}

/** The files of a meeting, with what became of its recordings. One recording is held at a time. */
export async function filesOf(
  client: Client,
  sent: Sent,
  contents: Contents,
): Promise<{ readonly files: readonly MeetingFile[]; readonly recordings: readonly Read[] }> {
  const event = fieldsOf(sent.value);
  const listed = Array.isArray(event.recordings) ? event.recordings.map(fieldsOf) : [];
  const read: Read[] = [];
  const parts: Recorded[] = [];
  const jsons: string[] = [];
  const files: MeetingFile[] = [];
  for (const [index, { id, status }] of listed.entries()) {
    const recording = status === 'done' ? await fetched(client, String(id)) : undefined;
    const known = { id: String(id), status: recording?.status ?? String(status) };
    read.push({ ...known, updated_at: recording?.updated_at ?? null });
    parts.push(partOf(known, recording, contents.transcript));
    if (recording?.status !== 'done') continue;
    if (contents.with.includes('json')) jsons.push(recording.whole.text);
    files.push(...besideOf(recording, index === 0 ? '' : `-${index + 1}`, contents.with));
  }
  if (contents.with.includes('json')) files.unshift({ end: '.json', bytes: jsonOf(sent, jsons) });
  files.unshift({ end: '.md', bytes: Buffer.from(meetingMarkdown(event, parts)) });
  return { files, recordings: read };
}

function partOf(
  known: { id: string; status: string },
  recording: Fetched | undefined,
  transcript: boolean,
): Recorded {
  return {
    ...known,
    summary: recording?.summary.value ?? null,
    transcript:
      transcript && recording ? transcriptText(recording.transcript.value, { timestamps: true }) : undefined,
  };
}

function besideOf({ transcript }: Fetched, number: string, wanted: readonly Beside[]): MeetingFile[] {
  const texts: Partial<Record<Beside, (transcript: unknown) => string>> = { txt: transcriptText };
  return wanted.flatMap((kind) => {
    const text = texts[kind]?.(transcript.value);
    return text === undefined ? [] : [{ end: `${number}.${kind}`, bytes: Buffer.from(text) }];
  });
}

/** The records as they were sent. */
function jsonOf(event: Sent, recordings: readonly string[]): Uint8Array {
  return Buffer.from(
    `${indented(`{"calendar_event":${event.text},"recordings":[${recordings.join(',')}]}`)}\n`,
  );
}

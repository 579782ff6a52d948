import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { fieldsOf, itemsOf, plain } from '../render/fields.ts';
import { srtOf, vttOf } from '../transcripts/subtitles.ts';
import { transcriptText } from '../transcripts/transcript.ts';
import type { RawJson } from '../values/raw-json.ts';
import { type Fetched, fetched } from './fetch.ts';
import { meetingMarkdown, type Recorded } from './markdown.ts';

/** What can be written beside the Markdown. */
export const besides = ['json', 'vtt', 'srt', 'txt'] as const;
type Beside = (typeof besides)[number];

/** What the files of a meeting hold. */
export interface Contents {
  /** The transcript in the Markdown. */
  readonly transcript: boolean;
  readonly with: readonly Beside[];
}

/** A file of a meeting, by the end of its name. */
export interface MeetingFile {
  /** A dot, which no name of a meeting ends with, parts it from what all files of the meeting share. */
  readonly end: string;
  readonly bytes: Uint8Array;
}

/** The end of a file's name: `.md`, `.2.txt` of the second recording, `.new.md` of a text beside an edited one. */
export function endOf(name: string): string {
  return /(?:\.\d+)?(?:\.new\d*)?\.[a-z]+$/.exec(name)?.[0] ?? '';
}

/** What is said of a recording that is listed as done, and that the service has no more. */
export const gone = 'gone';

/** A recording as it went into the files. */
export interface Read {
  readonly id: string;
  readonly status: string;
  readonly updated_at: string | null;
}

/** The files of a meeting, and what its recordings were when they went into them. */
export interface FilesOf {
  readonly files: readonly MeetingFile[];
  readonly recordings: readonly Read[];
  /** Why a file could not be made: subtitles of a transcript without times. */
  readonly refused: readonly string[];
  /** Versions of the same files with other options. */
  readonly versions: readonly MeetingFile[];
}

/** Contents that together produce every version of every file. */
export const allContents: readonly Contents[] = [
  { transcript: true, with: besides },
  { transcript: false, with: [] },
];

/** Makes the files of a meeting from its recordings, of which one after the other is fetched. */
export async function filesOf(
  client: Client,
  sent: RawJson,
  contents: Contents,
  others: readonly Contents[] = [],
): Promise<FilesOf> {
  const wanted = fileBuilder(sent, contents);
  const builders = [wanted, ...others.map((other) => fileBuilder(sent, other))];
  const needsJson = [contents, ...others].some((one) => one.with.includes('json'));
  const read: Read[] = [];
  for (const [index, { id, status }] of itemsOf(fieldsOf(sent.value).recordings).entries()) {
    const isDone = status === 'done';
    const recording = isDone ? await fetched(client, plain(id), needsJson) : undefined;
    const known = { id: plain(id), status: recording?.status ?? (isDone ? gone : plain(status)) };
    read.push({ ...known, updated_at: recording?.updated_at ?? null });
    for (const builder of builders) builder.add(index, known, recording);
  }
  const [files = [], ...versions] = builders.map((builder) => builder.build());
  return { files, recordings: read, refused: wanted.refused, versions: versions.flat() };
}

/** Collects the content of a meeting's files, one recording after another. */
function fileBuilder(sent: RawJson, contents: Contents) {
  const parts: Recorded[] = [];
  const jsons: string[] = [];
  const transcripts: MeetingFile[] = [];
  const refused: string[] = [];
  const wantsJson = contents.with.includes('json');
  return {
    refused,
    add(index: number, known: { id: string; status: string }, recording: Fetched | undefined) {
      parts.push(partOf(known, recording, contents.transcript));
      if (recording?.status !== 'done') return;
      if (wantsJson) jsons.push(recording.text());
      const kinds = wantedOf(contents.with);
      const transcript = kinds.length > 0 ? recording.transcript() : undefined;
      for (const [kind, textOf] of kinds) {
        const text = made(() => textOf(transcript));
        if (text instanceof Failure) refused.push(text.message);
        else
          transcripts.push({
            end: `${index === 0 ? '' : `.${index + 1}`}.${kind}`,
            bytes: Buffer.from(text),
          });
      }
    },
    build(): MeetingFile[] {
      const markdown = meetingMarkdown(fieldsOf(sent.value), parts);
      const json = wantsJson ? [{ end: '.json', bytes: jsonOf(sent, jsons) }] : [];
      return [{ end: '.md', bytes: Buffer.from(markdown) }, ...json, ...transcripts];
    },
  };
}

function partOf(
  known: { id: string; status: string },
  recording: Fetched | undefined,
  transcript: boolean,
): Recorded {
  return {
    ...known,
    summary: recording?.summary() ?? null,
    transcript:
      transcript && recording ? transcriptText(recording.transcript(), { timestamps: true }) : undefined,
  };
}

/** The kinds that are made from the transcript alone. */
const texts = { vtt: vttOf, srt: srtOf, txt: transcriptText } satisfies Partial<Record<Beside, unknown>>;

function wantedOf(wanted: readonly Beside[]) {
  return Object.entries(texts).filter(([kind]) => wanted.some((one) => one === kind));
}

/** A text, or why there can be none. */
function made(make: () => string): string | Failure {
  try {
    return make();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The records, each as it was sent. */
function jsonOf(event: RawJson, recordings: readonly string[]): Uint8Array {
  return Buffer.from(`{"calendar_event":${event.text},"recordings":[${recordings.join(',')}]}\n`);
}

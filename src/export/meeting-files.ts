import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { buildRequest, type WireResponse } from '../contract/grammar.ts';
import { recordings as routes } from '../contract/recordings.ts';
import { fieldsOf, itemsOf, plain } from '../render/fields.ts';
import { formatSrt, formatVtt } from '../transcripts/subtitles.ts';
import { formatTranscript } from '../transcripts/transcript.ts';
import { parseRawJson, parseRawObject, type RawJson, scanRawObject } from '../values/raw-json.ts';
import { type RecordingPart, renderMeeting } from './markdown.ts';

/** What can be written beside the Markdown. */
export const extraFormats = ['json', 'vtt', 'srt', 'txt'] as const;
type ExtraFormat = (typeof extraFormats)[number];

/** What the files of a meeting hold. */
export interface ExportContents {
  /** The transcript in the Markdown. */
  readonly transcript: boolean;
  readonly with: readonly ExtraFormat[];
}

/** A file of a meeting, by the end of its name. */
export interface MeetingFile {
  /** A dot, which no name of a meeting ends with, parts it from what all files of the meeting share. */
  readonly suffix: string;
  readonly bytes: Uint8Array;
}

/** The end of a file's name: `.md`, `.2.txt` of the second recording, `.new.md` of a text beside an edited one. */
export function findSuffix(name: string): string {
  return /(?:\.\d+)?(?:\.new\d*)?\.[a-z]+$/.exec(name)?.[0] ?? '';
}

/** What is said of a recording that is listed as done, and that the service has no more. */
export const unavailable = 'gone';

/** A recording as it went into the files. */
export interface RecordingVersion {
  readonly id: string;
  readonly status: string;
  readonly updated_at: string | null;
}

/** The files of a meeting, and what its recordings were when they went into them. */
export interface MeetingFiles {
  readonly files: readonly MeetingFile[];
  readonly recordings: readonly RecordingVersion[];
  /** Why a file could not be made: subtitles of a transcript without times. */
  readonly skipped: readonly string[];
  /** Versions of the same files with other options. */
  readonly versions: readonly MeetingFile[];
}

/** Contents that together produce every version of every file. */
export const allContents: readonly ExportContents[] = [
  { transcript: true, with: extraFormats },
  { transcript: false, with: [] },
];

/** Makes the files of a meeting from its recordings, of which one after the other is fetched. */
export async function buildMeetingFiles(
  client: Client,
  sent: RawJson,
  contents: ExportContents,
  others: readonly ExportContents[] = [],
): Promise<MeetingFiles> {
  const wanted = fileBuilder(sent, contents);
  const builders = [wanted, ...others.map((other) => fileBuilder(sent, other))];
  const needsJson = [contents, ...others].some((one) => one.with.includes('json'));
  const read: RecordingVersion[] = [];
  for (const [index, { id, status }] of itemsOf(fieldsOf(sent.value).recordings).entries()) {
    const isDone = status === 'done';
    const recording = isDone ? await downloadRecording(client, plain(id), needsJson) : undefined;
    const known = { id: plain(id), status: recording?.status ?? (isDone ? unavailable : plain(status)) };
    read.push({ ...known, updated_at: recording?.updated_at ?? null });
    for (const builder of builders) builder.add(index, known, recording);
  }
  const [files = [], ...versions] = builders.map((builder) => builder.build());
  return { files, recordings: read, skipped: wanted.refused, versions: versions.flat() };
}

/** Collects the content of a meeting's files, one recording after another. */
function fileBuilder(sent: RawJson, contents: ExportContents) {
  const parts: RecordingPart[] = [];
  const jsons: string[] = [];
  const transcripts: MeetingFile[] = [];
  const refused: string[] = [];
  const wantsJson = contents.with.includes('json');
  return {
    refused,
    add(index: number, known: { id: string; status: string }, recording: DownloadedRecording | undefined) {
      parts.push(toRecordingPart(known, recording, contents.transcript));
      if (recording?.status !== 'done') return;
      if (wantsJson) jsons.push(recording.text());
      const kinds = selectTextFormats(contents.with);
      const transcript = kinds.length > 0 ? recording.transcript() : undefined;
      for (const [kind, textOf] of kinds) {
        const text = tryRender(() => textOf(transcript));
        if (text instanceof Failure) refused.push(text.message);
        else
          transcripts.push({
            suffix: `${index === 0 ? '' : `.${index + 1}`}.${kind}`,
            bytes: Buffer.from(text),
          });
      }
    },
    build(): MeetingFile[] {
      const markdown = renderMeeting(fieldsOf(sent.value), parts);
      const json = wantsJson ? [{ suffix: '.json', bytes: formatJson(sent, jsons) }] : [];
      return [{ suffix: '.md', bytes: Buffer.from(markdown) }, ...json, ...transcripts];
    },
  };
}

function toRecordingPart(
  known: { id: string; status: string },
  recording: DownloadedRecording | undefined,
  transcript: boolean,
): RecordingPart {
  return {
    ...known,
    summary: recording?.summary() ?? null,
    transcript:
      transcript && recording ? formatTranscript(recording.transcript(), { timestamps: true }) : undefined,
  };
}

/** The kinds that are made from the transcript alone. */
const texts = { vtt: formatVtt, srt: formatSrt, txt: formatTranscript } satisfies Partial<
  Record<ExtraFormat, unknown>
>;

function selectTextFormats(wanted: readonly ExtraFormat[]) {
  return Object.entries(texts).filter(([kind]) => wanted.some((one) => one === kind));
}

/** A text, or why there can be none. */
function tryRender(make: () => string): string | Failure {
  try {
    return make();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The records, each as it was sent. */
function formatJson(event: RawJson, recordings: readonly string[]): Uint8Array {
  return Buffer.from(`{"calendar_event":${event.text},"recordings":[${recordings.join(',')}]}\n`);
}

/** A recording. Its parts are read when they are asked for; each throws `failed` where it cannot be. */
export interface DownloadedRecording {
  readonly status: string;
  readonly updated_at: string | null;
  /** All of it as it was sent; where it was fetched whole it is known to be JSON. */
  readonly text: () => string;
  readonly summary: () => unknown;
  readonly transcript: () => unknown;
}

/**
 * Fetches a recording. Of its answer nothing is read before it is needed, or all of it at once. Undefined where the
 * service has none. Throws as the client does, or `failed`.
 */
export async function downloadRecording(
  client: Client,
  id: string,
  isWhole: boolean,
): Promise<DownloadedRecording | undefined> {
  const answer = await unlessNotFound(client.send({ ...buildRequest(routes.get, { id }), textOnly: true }));
  if (!answer) return undefined;
  const readable = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Failure('failed', `The recording ${id} cannot be read: its answer is no JSON.`, {
        cause: error,
      });
    }
  };
  const record = readable(() => parseRecord(answer, isWhole));
  const member = (name: string) => readable(() => record?.member(name) ?? null);
  if (!record || member('id') === null) {
    throw new Failure('failed', `The recording ${id} cannot be read: its answer is no recording.`);
  }
  const updated_at = member('updated_at');
  return {
    status: plain(member('status')),
    updated_at: typeof updated_at === 'string' ? updated_at : null,
    summary: () => member('summary'),
    transcript: () => member('transcript'),
    text: record.text,
  };
}

/** What a service answers; undefined where it says that it has it no more. */
export async function unlessNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && [404, 410].includes(error.status)) return undefined;
    throw error;
  }
}

/** A recording in an answer, its members read one by one. */
interface RawRecord {
  readonly text: () => string;
  readonly member: (name: string) => unknown;
}

/** The record that an answer holds, bare or as `{data: record}`; undefined where it holds none. */
function parseRecord({ body, text }: WireResponse, isWhole: boolean): RawRecord | undefined {
  if (text === undefined) {
    const value = fieldsOf(fieldsOf(body).data ?? body);
    return { text: () => JSON.stringify(value), member: (name) => value[name] };
  }
  if (isWhole) {
    const found = parseRawObject(text, 'data');
    const values = fieldsOf(found?.value);
    return found && { text: () => found.text, member: (name) => values[name] };
  }
  const found = scanRawObject(text, 'data');
  return (
    found && {
      text: () => found.text,
      member: (name) => parseRawJson(found.members.get(name) ?? 'null').value,
    }
  );
}

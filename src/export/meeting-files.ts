import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { buildRequest, type WireResponse } from '../contract/grammar.ts';
import { recordings as routes } from '../contract/recordings.ts';
import { fieldsOf, plain } from '../render/fields.ts';
import { formatSrt, formatVtt } from '../transcripts/subtitles.ts';
import { formatTranscript } from '../transcripts/transcript.ts';
import { parseRawJson, parseRawObject, type RawJson, scanRawObject } from '../values/raw-json.ts';
import type { ReceivedEvent } from './event-list.ts';
import { type RecordingPart, renderMeeting } from './markdown.ts';
import { listRecordings } from './meeting-state.ts';

/** The formats that can be written in addition to Markdown. */
export const extraFormats = ['json', 'vtt', 'srt', 'txt'] as const;
type ExtraFormat = (typeof extraFormats)[number];

/** Formats that contain only the transcript. */
const transcriptFormats = { vtt: formatVtt, srt: formatSrt, txt: formatTranscript } as const;

/** What the files of a meeting contain. */
export interface ExportContents {
  /** Whether the Markdown includes the transcript. */
  readonly transcript: boolean;
  readonly with: readonly ExtraFormat[];
}

/** Contents that together produce every version of every file. */
export const allContents: readonly ExportContents[] = [
  { transcript: true, with: extraFormats },
  { transcript: false, with: [] },
];

/** A file of a meeting. Its suffix is added to the name that all files of the meeting share. */
export interface MeetingFile {
  readonly suffix: string;
  readonly bytes: Uint8Array;
}

/** Returns the suffix of a file name: `.md`, `.2.txt` for the second recording, `.new.md` for a text next to an edited file. */
export function findSuffix(name: string): string {
  return /(?:\.\d+)?(?:\.new\d*)?\.[a-z]+$/.exec(name)?.[0] ?? '';
}

/** The status of a recording that is listed as done but that the service does not have. */
export const unavailable = 'gone';

/** A recording at the time it was exported. */
export interface RecordingVersion {
  readonly id: string;
  readonly status: string;
  readonly updated_at: string | null;
}

/** The files of a meeting, and the recordings in them. */
export interface MeetingFiles {
  readonly files: readonly MeetingFile[];
  readonly recordings: readonly RecordingVersion[];
  /** Why files could not be made, such as subtitles of a transcript without times. */
  readonly skipped: readonly string[];
  /** The same files with other options. */
  readonly versions: readonly MeetingFile[];
}

/** Builds the files of a meeting. Downloads its recordings one after another. */
export async function buildMeetingFiles(
  client: Client,
  event: RawJson<ReceivedEvent>,
  contents: ExportContents,
  otherContents: readonly ExportContents[] = [],
): Promise<MeetingFiles> {
  const builder = createFileBuilder(event, contents);
  const builders = [builder, ...otherContents.map((other) => createFileBuilder(event, other))];
  const needsJson = [contents, ...otherContents].some((each) => each.with.includes('json'));
  const recordings: RecordingVersion[] = [];
  for (const [index, { id, status }] of listRecordings(event.value).entries()) {
    const isDone = status === 'done';
    const recording = isDone ? await downloadRecording(client, id, needsJson) : undefined;
    const listed = { id, status: recording?.status ?? (isDone ? unavailable : status) };
    recordings.push({ ...listed, updated_at: recording?.updated_at ?? null });
    for (const each of builders) each.add(index, listed, recording);
  }
  const [files = [], ...versions] = builders.map((each) => each.build());
  return { files, recordings, skipped: builder.skipped, versions: versions.flat() };
}

/** Collects the content of a meeting's files, one recording after another. */
function createFileBuilder(event: RawJson<ReceivedEvent>, contents: ExportContents) {
  const parts: RecordingPart[] = [];
  const jsonTexts: string[] = [];
  const transcripts: MeetingFile[] = [];
  const skipped: string[] = [];
  const hasJson = contents.with.includes('json');
  const formatters = Object.entries(transcriptFormats).filter(([format]) =>
    contents.with.some((wanted) => wanted === format),
  );
  return {
    skipped,
    add(index: number, listed: { id: string; status: string }, recording: DownloadedRecording | undefined) {
      const summary = recording?.summary() ?? null;
      const isTranscribed = contents.transcript && recording;
      const transcript = isTranscribed
        ? formatTranscript(recording.transcript(), { timestamps: true })
        : undefined;
      parts.push({ ...listed, summary, transcript });
      if (recording?.status !== 'done') return;
      if (hasJson) jsonTexts.push(recording.text());
      const words = formatters.length > 0 ? recording.transcript() : undefined;
      for (const [format, formatText] of formatters) {
        const text = catchFailure(() => formatText(words));
        const suffix = `${index === 0 ? '' : `.${index + 1}`}.${format}`;
        if (text instanceof Failure) skipped.push(text.message);
        else transcripts.push({ suffix, bytes: Buffer.from(text) });
      }
    },
    build(): MeetingFile[] {
      const markdown = renderMeeting(event.value, parts);
      const json = `{"calendar_event":${event.text},"recordings":[${jsonTexts.join(',')}]}\n`;
      const jsonFiles = hasJson ? [{ suffix: '.json', bytes: Buffer.from(json) }] : [];
      return [{ suffix: '.md', bytes: Buffer.from(markdown) }, ...jsonFiles, ...transcripts];
    },
  };
}

function catchFailure<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** A recording whose parts are parsed when they are read. Each throws `failed` if it is not valid JSON. */
interface DownloadedRecording {
  readonly status: string;
  readonly updated_at: string | null;
  /** The record as the service sent it. */
  readonly text: () => string;
  readonly summary: () => unknown;
  readonly transcript: () => unknown;
}

/**
 * Downloads a recording; undefined if the service does not have it. `isWhole` parses all of it at once, which also
 * checks that its text is valid JSON.
 * @throws {Failure} failed if the response is not a recording
 */
async function downloadRecording(
  client: Client,
  id: string,
  isWhole: boolean,
): Promise<DownloadedRecording | undefined> {
  const response = await catchNotFound(client.send({ ...buildRequest(routes.get, { id }), textOnly: true }));
  if (!response) return undefined;
  const parse = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Failure('failed', `Cannot read the recording ${id}: the response is not valid JSON.`, {
        cause: error,
      });
    }
  };
  const record = parse(() => parseRecord(response, isWhole));
  const member = (name: string) => parse(() => record?.member(name) ?? null);
  if (!record || member('id') === null) {
    throw new Failure('failed', `Cannot read the recording ${id}: the response is not a recording.`);
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

/** Returns a response, or undefined if the service no longer has the record. */
export async function catchNotFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof Failure && [404, 410].includes(error.status)) return undefined;
    throw error;
  }
}

interface RawRecord {
  readonly text: () => string;
  readonly member: (name: string) => unknown;
}

/** Parses the record in a response, bare or as `{data: record}`; undefined if there is none. */
function parseRecord({ body, text }: WireResponse, isWhole: boolean): RawRecord | undefined {
  if (text === undefined) {
    const value = fieldsOf(fieldsOf(body).data ?? body);
    return { text: () => JSON.stringify(value), member: (name) => value[name] };
  }
  if (isWhole) {
    const object = parseRawObject(text, 'data');
    const values = fieldsOf(object?.value);
    return object && { text: () => object.text, member: (name) => values[name] };
  }
  const object = scanRawObject(text, 'data');
  const member = (name: string) => parseRawJson(object?.members.get(name) ?? 'null').value;
  return object && { text: () => object.text, member };
}

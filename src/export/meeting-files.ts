import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { Received } from '../contract/received.ts';
import { type Recording, recordings as routes } from '../contract/recordings.ts';
import { formatSrt, formatVtt } from '../transcripts/subtitles.ts';
import { formatTranscript } from '../transcripts/transcript.ts';
import type { RawJson } from '../values/raw-json.ts';
import { listRecordings, type ReceivedEvent } from './event-list.ts';
import { type RecordingPart, renderMeeting } from './markdown.ts';

/** The formats that can be written in addition to Markdown. */
export const extraFormats = ['json', 'vtt', 'srt', 'txt'] as const;
type ExtraFormat = (typeof extraFormats)[number];

/** Formats that contain only the transcript. */
const transcriptFormats = [
  ['vtt', formatVtt],
  ['srt', formatSrt],
  ['txt', formatTranscript],
] as const;

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
  readonly text: string;
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
  const builder = new FileBuilder(event, contents);
  const builders = [builder, ...otherContents.map((other) => new FileBuilder(event, other))];
  const recordings: RecordingVersion[] = [];
  for (const { id, status } of listRecordings(event.value)) {
    const isDone = status === 'done';
    const recording = isDone ? await downloadRecording(client, id) : undefined;
    const version = {
      id,
      status: recording ? (recording.value.status ?? '') : isDone ? unavailable : status,
      updated_at: recording?.value.updated_at ?? null,
    };
    recordings.push(version);
    for (const each of builders) each.add(version, recording);
  }
  const [files = [], ...versions] = builders.map((each) => each.build());
  return { files, recordings, skipped: builder.skipped, versions: versions.flat() };
}

/** Collects the content of a meeting's files, one recording after another. */
class FileBuilder {
  readonly skipped: string[] = [];
  readonly #event: RawJson<ReceivedEvent>;
  readonly #contents: ExportContents;
  readonly #parts: RecordingPart[] = [];
  readonly #jsonTexts: string[] = [];
  readonly #transcripts: MeetingFile[] = [];

  constructor(event: RawJson<ReceivedEvent>, contents: ExportContents) {
    this.#event = event;
    this.#contents = contents;
  }

  add({ id, status }: RecordingVersion, recording: RawJson<Received<Recording>> | undefined): void {
    const { summary = null, transcript: words } = recording?.value ?? {};
    const hasTranscript = this.#contents.transcript && recording;
    const transcript = hasTranscript ? formatTranscript(words, { timestamps: true }) : undefined;
    const number = this.#parts.push({ id, status, summary, transcript });
    if (!recording || status !== 'done') return;
    if (this.#contents.with.includes('json')) this.#jsonTexts.push(recording.text);
    for (const [format, formatText] of transcriptFormats) {
      if (!this.#contents.with.includes(format)) continue;
      const text = catchFailure(() => formatText(words));
      const suffix = `${number === 1 ? '' : `.${number}`}.${format}`;
      if (text instanceof Failure) this.skipped.push(text.message);
      else this.#transcripts.push({ suffix, text });
    }
  }

  build(): MeetingFile[] {
    const markdown = renderMeeting(this.#event.value, this.#parts);
    const json = `{"calendar_event":${this.#event.text},"recordings":[${this.#jsonTexts.join(',')}]}\n`;
    const hasJson = this.#contents.with.includes('json');
    return [
      { suffix: '.md', text: markdown },
      ...(hasJson ? [{ suffix: '.json', text: json }] : []),
      ...this.#transcripts,
    ];
  }
}

function catchFailure<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/**
 * Downloads a recording; undefined if the service does not have it.
 * @throws {Failure} failed if the response is not a recording
 */
async function downloadRecording(
  client: Client,
  id: string,
): Promise<RawJson<Received<Recording>> | undefined> {
  try {
    const recording = await catchNotFound(client.record(routes.get, { id }));
    if (recording && typeof recording.value.id !== 'string')
      throw new Failure('failed', 'The response is not a recording.');
    return recording;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'failed') throw error;
    throw new Failure('failed', `Recording ${id}: ${error.message}`, error.detail);
  }
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

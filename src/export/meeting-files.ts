import { stringify } from 'yaml';
import type { Client } from '../client/client.ts';
import { addErrorPrefix, Failure } from '../contract/errors.ts';
import type { Received } from '../contract/received.ts';
import { type Recording, recordings as routes } from '../contract/recordings.ts';
import { collapseWhitespace, sanitize } from '../render/text/sanitize.ts';
import { formatSrt, formatVtt } from '../transcripts/subtitles.ts';
import { renderSummary } from '../transcripts/summary.ts';
import { formatTranscript } from '../transcripts/transcript.ts';
import type { RawJson } from '../values/raw-json.ts';
import { listRecordings, type ReceivedEvent } from './event-list.ts';

/** The formats that can be written in addition to Markdown. */
export const extraFormats = ['json', 'vtt', 'srt', 'txt'] as const;
type ExtraFormat = (typeof extraFormats)[number];

const transcriptFormats = [
  ['vtt', formatVtt],
  ['srt', formatSrt],
  ['txt', formatTranscript],
] as const;

/** The contents of a meeting's files. `transcript`: whether the Markdown includes the transcript. */
export interface ExportContents {
  readonly transcript: boolean;
  readonly with: readonly ExtraFormat[];
}

/** Returns the key of contents in the ledger. A run rewrites files with another key. */
export function formatContentKey(contents: ExportContents): string {
  return ['md', contents.transcript && 'transcript', ...[...contents.with].sort()].filter(Boolean).join(' ');
}

/** Returns whether the next item with a text is done. Equal texts are distinguished by their order. */
export type DoneCheck = (text: string) => boolean;

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

interface DownloadedRecording extends RecordingVersion {
  /** undefined if the recording is not done, or unavailable. */
  readonly content: RawJson<Received<Recording>> | undefined;
}

/** Downloads the recordings of a meeting one after another. */
export async function downloadRecordings(
  client: Client,
  event: ReceivedEvent,
): Promise<DownloadedRecording[]> {
  const recordings: DownloadedRecording[] = [];
  for (const { id, status } of listRecordings(event)) {
    const isDone = status === 'done';
    const content = isDone ? await downloadRecording(client, id) : undefined;
    const fallback = { status: isDone ? unavailable : status, updated_at: null };
    const { status: current, updated_at } = content?.value ?? fallback;
    recordings.push({ id, status: current ?? '', updated_at: updated_at || null, content });
  }
  return recordings;
}

/** The files of a meeting, and the reasons for missing files, such as subtitles of a transcript without times. */
export interface RenderedFiles {
  readonly files: readonly MeetingFile[];
  readonly skippedReasons: readonly string[];
}

/** Renders the files of a meeting. */
export function renderFiles(
  event: RawJson<ReceivedEvent>,
  recordings: readonly DownloadedRecording[],
  contents: ExportContents,
  isDone?: DoneCheck,
): RenderedFiles {
  const skippedReasons: string[] = [];
  const parts = recordings.map(({ id, status, content }) => {
    const { summary = null, transcript: words } = content?.value ?? {};
    const hasTranscript = contents.transcript && content !== undefined;
    const transcript = hasTranscript ? formatTranscript(words, { timestamps: true }) : undefined;
    return { id, status, summary, transcript };
  });
  const files = [{ suffix: '.md', text: renderMeeting(event.value, parts, isDone) }];
  const completedContents = recordings.map(({ status, content }) =>
    status === 'done' ? content : undefined,
  );
  if (contents.with.includes('json')) {
    const texts = completedContents.flatMap((content) => content?.text ?? []);
    files.push({
      suffix: '.json',
      text: `{"calendar_event":${event.text},"recordings":[${texts.join(',')}]}\n`,
    });
  }
  for (const [index, content] of completedContents.entries()) {
    for (const [format, formatText] of transcriptFormats) {
      if (!content || !contents.with.includes(format)) continue;
      const suffix = `${index === 0 ? '' : `.${index + 1}`}.${format}`;
      try {
        files.push({ suffix, text: formatText(content.value.transcript) });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        skippedReasons.push(error.message);
      }
    }
  }
  return { files, skippedReasons };
}

async function downloadRecording(
  client: Client,
  id: string,
): Promise<RawJson<Received<Recording>> | undefined> {
  try {
    return await catchNotFound(client.record(routes.get, { id }));
  } catch (error) {
    const isFailed = error instanceof Failure && error.code === 'failed';
    throw isFailed ? addErrorPrefix(`Recording ${id}`, error) : error;
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

/** A recording of a meeting, with its summary if it is done. */
export interface RecordingPart {
  readonly id: string;
  readonly status: string;
  readonly summary: unknown;
  /** The transcript as text; undefined if the file does not include it. */
  readonly transcript?: string | undefined;
}

/** Control characters other than line feeds and tabs. They could drive a terminal that prints the file. */
const control = /[^\P{Cc}\n\t]/gu;

/** Returns a text as the Markdown shows it. */
export const escapeControls = (text: string) => text.replace(control, sanitize);

/** Renders a meeting as Markdown: YAML front matter, then the summary of each recording. */
export function renderMeeting(
  event: ReceivedEvent,
  recordings: readonly RecordingPart[],
  isDone?: DoneCheck,
): string {
  const { id, title, start_at, end_at, attendees, conference_type, conference_link, updated_at } = event;
  const emails = attendees.map(({ email }) => email);
  const frontMatter = renderFrontMatter({
    id,
    title,
    date: start_at || undefined,
    end: end_at || undefined,
    attendees: emails.filter((email) => email !== ''),
    conference: conference_type || undefined,
    link: conference_link || undefined,
    recordings: recordings.map((recording) => recording.id),
    updated_at: updated_at || undefined,
  });
  const heading = collapseWhitespace(title) || 'Untitled meeting';
  const parts = recordings.map((recording, index) => {
    const heading = recordings.length > 1 ? `## Recording ${index + 1}\n\n` : '';
    return `${heading}${renderRecording(recording, recordings.length > 1 ? 3 : 2, isDone)}`;
  });
  return escapeControls([`---\n${frontMatter}---\n\n# ${heading}\n`, ...parts].join('\n'));
}

/** Renders YAML. Strings without escapes bypass the library, which would take a tenth of an export's time. */
function renderFrontMatter(
  fields: Readonly<Record<string, string | null | undefined | readonly string[]>>,
): string {
  const values = Object.values(fields).flat();
  if (values.some((value) => typeof value === 'string' && JSON.stringify(value).includes('\\'))) {
    // YAML 1.1 and 1.2 differ on plain scalars such as `No`, `12:30` and `0o14`. A quoted scalar is always a string.
    return stringify(fields, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
  }
  const lines = Object.entries(fields).map(([name, value]) => {
    if (value === undefined) return '';
    if (value === null || typeof value === 'string') return `${name}: ${JSON.stringify(value)}\n`;
    if (value.length === 0) return `${name}: []\n`;
    return `${name}:\n${value.map((item) => `  - ${JSON.stringify(item)}\n`).join('')}`;
  });
  return lines.join('');
}

function renderRecording(
  { id, status, summary, transcript }: RecordingPart,
  level: number,
  isDone?: DoneCheck,
): string {
  if (status === 'done') {
    const text = renderSummary(summary, level, isDone) || '_This recording has no summary._\n';
    return transcript ? `${text}\n${'#'.repeat(level)} Transcript\n\n${transcript}` : text;
  }
  if (status === 'gone') return `_The recording ${collapseWhitespace(id)} is no longer on the service._\n`;
  if (status === 'failed') return `_The recording ${collapseWhitespace(id)} failed and has no summary._\n`;
  return `_The recording ${collapseWhitespace(id)} is not done yet. Its status is ${collapseWhitespace(status) || 'unknown'}._\n`;
}

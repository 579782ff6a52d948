import { parse } from 'yaml';
import { unknownSpeaker } from '../../contract/speakers.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { parseTranscript, type Utterance } from '../transcript.ts';
import type { Meeting } from './grep.ts';

/** A meeting in an export, with the recordings that have a transcript. */
export interface ExportedMeeting {
  readonly meeting: Meeting;
  /** ISO 8601. */
  readonly updated_at: string;
  readonly recordings: readonly { readonly id: string; readonly utterances: readonly Utterance[] }[];
}

/**
 * Parses the JSON or Markdown of an export; undefined if an export did not write it.
 * @throws {SyntaxError} if a JSON file is not JSON
 */
export function parseExported(name: string, text: string): ExportedMeeting | undefined {
  return name.endsWith('.json') ? parseExportedJson(text) : parseExportedMarkdown(text);
}

function parseExportedJson(text: string): ExportedMeeting | undefined {
  const { calendar_event, recordings } = readObject(JSON.parse(text));
  const fields = readObject(calendar_event);
  if (fields.id === undefined || !Array.isArray(recordings)) return undefined;
  const transcripts = recordings
    .map(readObject)
    .filter(({ transcript }) => Array.isArray(transcript))
    .map(({ id, transcript }) => ({ id: String(id), utterances: parseTranscript(transcript) }));
  return createMeeting(fields, fields.start_at, transcripts);
}

/** Parses the Markdown of an export; undefined if an export did not write it. */
function parseExportedMarkdown(text: string): ExportedMeeting | undefined {
  const [, frontMatter = '', body = ''] =
    /^---\n(.*?\n)---\n(.*)$/s.exec(text.replaceAll('\r\n', '\n')) ?? [];
  const fields = parseFrontMatter(frontMatter);
  if (fields.id === undefined || !Array.isArray(fields.recordings)) return undefined;
  const transcripts = parseTranscripts(body);
  const recordings = fields.recordings.flatMap((recording, index) => {
    const utterances = transcripts.get(index);
    return utterances ? [{ id: String(recording), utterances }] : [];
  });
  return createMeeting(fields, fields.date, recordings);
}

function parseFrontMatter(frontMatter: string): JsonObject {
  try {
    return readObject(parse(frontMatter));
  } catch {
    return {};
  }
}

function createMeeting(
  { id, title, updated_at }: JsonObject,
  start_at: unknown,
  recordings: ExportedMeeting['recordings'],
): ExportedMeeting {
  return {
    meeting: { event_id: String(id), title: String(title ?? ''), start_at: String(start_at ?? '') },
    updated_at: String(updated_at ?? ''),
    recordings,
  };
}

/** Parses the text under each heading `Transcript`, by index of the recording, which a heading may number. */
function parseTranscripts(body: string): Map<number, Utterance[]> {
  const transcripts = new Map<number, Utterance[]>();
  let recording = 0;
  let level = 0;
  for (const paragraph of body.split(/\n{2,}/)) {
    const [, marks, heading = ''] = /^(#{1,6}) (.*)$/.exec(paragraph.trim()) ?? [];
    if (marks !== undefined) {
      const [, number] = /^Recording (\d{1,4})$/.exec(heading) ?? [];
      if (number !== undefined && marks.length === 2) recording = Number(number) - 1;
      if (heading === 'Transcript') {
        level = marks.length;
        transcripts.set(recording, transcripts.get(recording) ?? []);
      } else if (marks.length <= level) level = 0;
      continue;
    }
    if (level > 0) transcripts.get(recording)?.push(...parseParagraph(paragraph));
  }
  return transcripts;
}

/** Parses `[mm:ss] Name: text`. Each word gets the start of the utterance. */
function parseParagraph(paragraph: string): Utterance[] {
  const [, hours = 0, minutes, seconds, speaker, text] =
    /^(?:\[(?:(\d+):)?(\d+):(\d\d)\] )?(.+?): (.*)$/s.exec(paragraph.trim()) ?? [];
  if (speaker === undefined || text === undefined) return [];
  const start =
    seconds === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const words = text.split(/\s+/).map((text) => ({ text, start, end: undefined }));
  return [{ speaker: speaker === unknownSpeaker ? '' : speaker, words }];
}

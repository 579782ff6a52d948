import { stringify } from 'yaml';
import { collapseWhitespace, sanitize } from '../render/sanitize.ts';
import { renderSummary } from '../transcripts/summary.ts';
import type { ReceivedEvent } from './event-list.ts';

/** A recording of a meeting, with its summary if it is done. */
export interface RecordingPart {
  readonly id: string;
  readonly status: string;
  readonly summary: unknown;
  /** As text; undefined if the file does not include it. */
  readonly transcript?: string | undefined;
}

/** Control characters other than line feeds and tabs. They could drive a terminal that prints the file. */
const control = /[^\P{Cc}\n\t]/gu;

/** Renders a meeting as Markdown: YAML front matter, then the summary of each recording. */
export function renderMeeting(event: ReceivedEvent, recordings: readonly RecordingPart[]): string {
  const { id, title, start_at, end_at, attendees, conference_type, conference_link, updated_at } = event;
  const emails = (attendees ?? []).map(({ email }) => email);
  const head = renderFrontMatter({
    id,
    title,
    date: start_at,
    end: end_at,
    attendees: emails.filter((email) => typeof email === 'string'),
    conference: conference_type || undefined,
    link: conference_link || undefined,
    recordings: recordings.map((recording) => recording.id),
    updated_at,
  });
  const parts = recordings.map((recording, index) => {
    const heading = recordings.length > 1 ? `## Recording ${index + 1}\n\n` : '';
    return `${heading}${renderRecording(recording, recordings.length > 1 ? 3 : 2)}`;
  });
  return [head, ...parts.map((part) => part.replace(control, sanitize))].join('\n');
}

/** Fields of a calendar event, by their keys in the front matter. */
export type EventFields = Readonly<Record<string, unknown>>;

/** Renders the YAML front matter of a meeting without other fields, and its title as a heading. */
export function renderFrontMatter(fields: EventFields): string {
  const { id, title, date, end, attendees, conference, link, recordings, updated_at } = fields;
  const frontMatter = stringify(
    { id, title, date, end, attendees, conference, link, recordings, updated_at },
    // YAML 1.1 and 1.2 differ on which plain scalars are strings (`No`, `12:30`, `0o14`). Quoted ones always are.
    { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
  );
  const heading = collapseWhitespace(String(title ?? '')) || 'Untitled meeting';
  return `---\n${frontMatter}---\n\n# ${heading}\n`.replace(control, sanitize);
}

function renderRecording({ id, status, summary, transcript }: RecordingPart, level: number): string {
  if (status === 'done') {
    const text = renderSummary(summary, level) || '_This recording has no summary._\n';
    return transcript ? `${text}\n${'#'.repeat(level)} Transcript\n\n${transcript}` : text;
  }
  if (status === 'gone') return `_The recording ${collapseWhitespace(id)} is no longer on the service._\n`;
  if (status === 'failed') return `_The recording ${collapseWhitespace(id)} failed and has no summary._\n`;
  return `_The recording ${collapseWhitespace(id)} is not done yet. Its status is ${collapseWhitespace(status) || 'unknown'}._\n`;
}

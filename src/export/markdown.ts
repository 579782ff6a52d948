import { stringify } from 'yaml';
import { type Fields, itemsOf, plain } from '../render/fields.ts';
import { collapseWhitespace, sanitize } from '../render/sanitize.ts';
import { renderSummary } from '../transcripts/summary.ts';

/** A recording of a meeting: whole when it is done, else what the event tells of it. */
export interface RecordingPart {
  readonly id: string;
  readonly status: string;
  readonly summary: unknown;
  /** As text, where it is wanted. */
  readonly transcript?: string | undefined;
}

/** What drives a terminal that shows the file; line feeds and tabs are its layout. */
const control = /[^\P{Cc}\n\t]/gu;

/** A meeting as a Markdown file: YAML front matter, then the summary of each recording. */
export function renderMeeting(event: Fields, recordings: readonly RecordingPart[]): string {
  const { id, title, start_at, end_at, attendees, conference_type, conference_link, updated_at } = event;
  const emails = itemsOf(attendees).map(({ email }) => email);
  const head = renderFrontMatter({
    id,
    title,
    date: start_at,
    end: end_at,
    attendees: emails.filter((email) => typeof email === 'string'),
    ...(conference_type ? { conference: conference_type } : {}),
    ...(conference_link ? { link: conference_link } : {}),
    recordings: recordings.map((recording) => recording.id),
    updated_at,
  });
  const parts = recordings.map((recording, index) => {
    const heading = recordings.length > 1 ? `## Recording ${index + 1}\n\n` : '';
    return `${heading}${renderRecording(recording, recordings.length > 1 ? 3 : 2)}`;
  });
  return [head, ...parts.map((part) => part.replace(control, sanitize))].join('\n');
}

/** The facts in the front matter, in order. */
export const frontMatterKeys = [
  'id',
  'title',
  'date',
  'end',
  'attendees',
  'conference',
  'link',
  'recordings',
  'updated_at',
] as const;

/** Renders the facts of a meeting as YAML front matter, and its title as a heading. */
export function renderFrontMatter(facts: Fields): string {
  const frontMatter = stringify(
    facts,
    // YAML 1.1 and 1.2 differ on which plain scalars are strings (`No`, `12:30`, `0o14`). Quoted ones always are.
    { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
  );
  const heading = collapseWhitespace(plain(facts.title)) || 'Untitled meeting';
  return `---\n${frontMatter}---\n\n# ${heading}\n`.replace(control, sanitize);
}

function renderRecording({ id, status, summary, transcript }: RecordingPart, level: number): string {
  if (status === 'done') {
    const text = renderSummary(summary, level) || '_This recording has no summary._\n';
    return transcript ? `${text}\n${'#'.repeat(level)} Transcript\n\n${transcript}` : text;
  }
  if (status === 'gone')
    return `_The recording ${collapseWhitespace(id)} is gone: the service has it no more._\n`;
  if (status === 'failed') return `_The recording ${collapseWhitespace(id)} failed: it has no summary._\n`;
  return `_The recording ${collapseWhitespace(id)} is not done yet; its status is ${collapseWhitespace(status) || 'unknown'}._\n`;
}

import type { TableStyle } from '../render/text/paint.ts';
import { highlight } from '../render/text/paint.ts';
import { sanitize, sanitizeLine } from '../render/text/sanitize.ts';
import { unknownSpeaker } from '../transcripts/transcript.ts';
import type { MeetingHit, TranscriptLine } from './search.ts';

/**
 * Creates a function that formats batches of search hits for a terminal, grouped by meeting. It remembers only the last
 * recording between batches.
 */
export function createHitFormatter({ paint }: TableStyle): (records: readonly unknown[]) => string {
  let last: string | undefined;
  const formatHeading = ({ title, start_at, recording_id }: MeetingHit) => {
    const day = sanitizeLine(start_at).replace(/^(\S{10})T(\d\d:\d\d).*$/, '$1 $2');
    const name = paint.bold(sanitizeLine(title) || 'Untitled meeting');
    return `${day}  ${name}  ${paint.dim(sanitizeLine(recording_id))}\n`;
  };
  const formatLine = ({ time, speaker }: TranscriptLine, text: string) => {
    const clock = sanitizeLine(time);
    return `${clock && `${paint.green(clock)}  `}${sanitizeLine(speaker) || unknownSpeaker}: ${text}\n`;
  };
  const formatContext = (lines: readonly TranscriptLine[]) =>
    lines.map((one) => formatLine(one, paint.dim(sanitize(one.text)))).join('');
  const formatHit = (hit: MeetingHit) => {
    const [before, after] = [formatContext(hit.before), formatContext(hit.after)];
    const text = highlight(hit.text, hit.matches, (match) => paint.bold(paint.red(match)));
    let separator = before || after ? `${paint.dim('--')}\n` : '';
    if (hit.recording_id !== last) separator = `${last === undefined ? '' : '\n'}${formatHeading(hit)}`;
    last = hit.recording_id;
    return separator + before + formatLine(hit, text) + after;
  };
  return (records) => (records as readonly MeetingHit[]).map(formatHit).join(''); // a search lists nothing else
}

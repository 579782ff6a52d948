import type { TableStyle } from '../render/paint.ts';
import { sanitize, sanitizeLine } from '../render/sanitize.ts';
import { unknownSpeaker } from '../transcripts/transcript.ts';
import type { MeetingHit, TranscriptLine } from './search.ts';

/**
 * Creates a function that formats batches of search hits for a terminal, grouped by meeting. It remembers only the last
 * recording between batches.
 */
export function createHitFormatter({ paint }: TableStyle): (records: readonly unknown[]) => string {
  let last: string | undefined;
  const heading = ({ title, start_at, recording_id }: MeetingHit) => {
    const day = sanitizeLine(start_at).replace(/^(\S{10})T(\d\d:\d\d).*$/, '$1 $2');
    const name = paint.bold(sanitizeLine(title) || 'Untitled meeting');
    return `${day}  ${name}  ${paint.dim(sanitizeLine(recording_id))}\n`;
  };
  const line = ({ time, speaker }: TranscriptLine, text: string) => {
    const clock = sanitizeLine(time);
    return `${clock && `${paint.green(clock)}  `}${sanitizeLine(speaker) || unknownSpeaker}: ${text}\n`;
  };
  const formatContext = (lines: readonly TranscriptLine[]) =>
    lines.map((item) => line(item, paint.dim(sanitize(item.text))));
  return (records) =>
    (records as readonly MeetingHit[]) // a search lists nothing else
      .map((hit) => {
        const isFirst = last === undefined;
        const isSameRecording = last === hit.recording_id;
        last = hit.recording_id;
        const [before, after] = [formatContext(hit.before), formatContext(hit.after)];
        const hasContext = before.length + after.length > 0;
        const separator = isSameRecording
          ? hasContext
            ? `${paint.dim('--')}\n`
            : ''
          : `${isFirst ? '' : '\n'}${heading(hit)}`;
        return [
          separator,
          ...before,
          line(
            hit,
            highlight(hit, (match) => paint.bold(paint.red(match))),
          ),
          ...after,
        ].join('');
      })
      .join('');
}

function highlight({ text, matches }: MeetingHit, mark: (match: string) => string): string {
  let shown = '';
  let at = 0;
  for (const { start, end } of matches) {
    shown += sanitize(text.slice(at, start)) + mark(sanitize(text.slice(start, end)));
    at = end;
  }
  return shown + sanitize(text.slice(at));
}

import { unknownSpeaker } from '../../contract/speakers.ts';
import type { TableStyle } from '../../render/text/paint.ts';
import { sanitize, sanitizeLine } from '../../render/text/sanitize.ts';
import { highlight, type Span, wrapSpans } from '../../render/text/styled-text.ts';
import type { MeetingHit, TranscriptLine } from './grep.ts';

/**
 * Creates a function that formats batches of search hits for a terminal, grouped by meeting. It remembers only the last
 * recording between batches.
 */
export function createHitFormatter({ width, paint }: TableStyle): (records: readonly unknown[]) => string {
  let last: string | undefined;
  const wrap = (spans: readonly Span[], indent: number) => `${wrapSpans(spans, width, indent).join('\n')}\n`;
  const formatHeading = ({ title, start_at, recording_id }: MeetingHit) => {
    const day = sanitizeLine(start_at).replace(/^(\S{10})T(\d\d:\d\d).*$/, '$1 $2');
    return wrap(
      [
        { text: `${day}  ` },
        { text: sanitizeLine(title) || 'Untitled meeting', style: paint.bold },
        { text: '  ' },
        { text: sanitizeLine(recording_id), style: paint.dim },
      ],
      2,
    );
  };
  const formatLine = ({ time, speaker }: TranscriptLine, text: readonly Span[]) => {
    const clock = sanitizeLine(time);
    const spans = [
      { text: clock, style: paint.green },
      { text: `${clock && '  '}${sanitizeLine(speaker) || unknownSpeaker}: ` },
      ...text,
    ];
    return wrap(spans, clock === '' ? 2 : clock.length + 2);
  };
  const formatContext = (lines: readonly TranscriptLine[]) =>
    lines.map((line) => formatLine(line, [{ text: sanitize(line.text), style: paint.dim }])).join('');
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

import { type Fields, fieldsOf, itemsOf } from '../render/fields.ts';
import type { TableStyle } from '../render/paint.ts';
import { sanitize, sanitizeLine } from '../render/sanitize.ts';
import { unknownSpeaker } from '../transcripts/transcript.ts';

/**
 * Creates a function that formats batches of search hits for a terminal, grouped by meeting. It remembers only the last
 * recording between batches.
 */
export function createHitFormatter({ paint }: TableStyle): (records: readonly unknown[]) => string {
  let last: unknown;
  const heading = ({ title, start_at, recording_id }: Fields) => {
    const day = sanitizeLine(String(start_at ?? '')).replace(/^(\S{10})T(\d\d:\d\d).*$/, '$1 $2');
    const name = paint.bold(sanitizeLine(String(title ?? '')) || 'Untitled meeting');
    return `${day}  ${name}  ${paint.dim(sanitizeLine(String(recording_id)))}\n`;
  };
  const line = ({ time, speaker }: Fields, text: string) => {
    const clock = sanitizeLine(String(time ?? ''));
    return `${clock && `${paint.green(clock)}  `}${sanitizeLine(String(speaker ?? '')) || unknownSpeaker}: ${text}\n`;
  };
  const formatContext = (lines: unknown) =>
    itemsOf(lines).map((item) => line(item, paint.dim(sanitize(String(item.text ?? '')))));
  return (records) =>
    records
      .map(fieldsOf)
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

function highlight({ text, matches }: Fields, mark: (match: string) => string): string {
  const whole = String(text ?? '');
  let shown = '';
  let at = 0;
  for (const { start, end } of itemsOf(matches)) {
    shown +=
      sanitize(whole.slice(at, Number(start))) + mark(sanitize(whole.slice(Number(start), Number(end))));
    at = Number(end);
  }
  return shown + sanitize(whole.slice(at));
}

import { unknownSpeaker } from '../contract/speakers.ts';
import type { Paint, TableStyle } from '../render/text/paint.ts';
import { sanitizeLine } from '../render/text/sanitize.ts';
import { wrapSpans } from '../render/text/styled-text.ts';
import { formatClock, joinWords, parseTranscript, toSpeakerKey } from './transcript.ts';

/** The colors of speakers, in the order in which they first speak. */
const colors = ['cyan', 'magenta', 'yellow', 'green', 'blue'] as const satisfies (keyof Paint)[];

/** Renders a transcript for a terminal: the text of each speaker has a hanging indent, and the speaker a color. */
export function renderTranscript(
  transcript: unknown,
  { timestamps = false }: { timestamps?: boolean },
  { width, paint }: TableStyle,
): string {
  const speakers = new Map<string, keyof Paint>();
  const paragraphs = parseTranscript(transcript).flatMap(({ speaker, words }) => {
    const text = sanitizeLine(joinWords(words.map((word) => word.text)));
    if (text === '') return [];
    const key = toSpeakerKey(speaker);
    const color = speakers.get(key) ?? colors[speakers.size % colors.length] ?? 'cyan';
    speakers.set(key, color);
    const start = words[0]?.start;
    const time = timestamps && start !== undefined ? `[${formatClock(start)}] ` : '';
    const name = sanitizeLine(speaker) || unknownSpeaker;
    const spans = [
      { text: time, style: paint.dim },
      { text: name, style: (part: string) => paint.bold(paint[color](part)) },
      { text: `: ${text}` },
    ];
    return [wrapSpans(spans, width, time.length || 2)];
  });
  return paragraphs.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

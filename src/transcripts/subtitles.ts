import { buildCues, type Cue } from './cues.ts';

/**
 * Formats a transcript (specification, 2.9) as WebVTT, with the speakers as voice tags.
 * @throws {Failure} failed if a word has no time
 */
export function formatVtt(transcript: unknown): string {
  const cues = buildCues(transcript, { escapeText: (text) => text, hasNames: false });
  const blocks = cues.map(({ speaker, lines, ...times }) => {
    const voice = speaker === '' ? '' : `<v ${escapeMarkup(speaker)}>`;
    return `${formatTiming(times, '.')}\n${voice}${lines.map(escapeMarkup).join('\n')}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** Escaping `>` also takes care of `-->`. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Formats a transcript (specification, 2.9) as SubRip, with a speaker's name before the speaker's first words.
 * @throws {Failure} failed if a word has no time
 */
export function formatSrt(transcript: unknown): string {
  const cues = buildCues(transcript, { escapeText: replaceMarkup, hasNames: true });
  return cues
    .map(({ lines, ...times }, index) => `${index + 1}\n${formatTiming(times, ',')}\n${lines.join('\n')}\n`)
    .join('\n');
}

/** SubRip has no escapes, so similar characters replace its markup. */
function replaceMarkup(text: string): string {
  return text
    .replaceAll('-->', '→')
    .replace(/<(?=[/a-z\d])/gi, '‹')
    .replace(/\{(?=\\)/g, '(');
}

function formatTiming({ start, end }: Pick<Cue, 'start' | 'end'>, point: ',' | '.'): string {
  return `${formatTimestamp(start, point)} --> ${formatTimestamp(end, point)}`;
}

/** Formats milliseconds as `00:01:02.345`, with more digits from 100 hours on. */
function formatTimestamp(milliseconds: number, point: ',' | '.'): string {
  const pad = (value: number, length = 2) => String(value).padStart(length, '0');
  const seconds = Math.floor(milliseconds / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${clock.map((part) => pad(part)).join(':')}${point}${pad(milliseconds % 1000, 3)}`;
}

import { type Cue, cuesOf } from './cues.ts';

/**
 * A transcript (specification, 2.9) as WebVTT, with the speakers as voice tags. Throws `failed` where a word has
 * no time.
 */
export function formatVtt(transcript: unknown): string {
  const cues = cuesOf(transcript, { text: (text) => text, names: false });
  const blocks = cues.map(({ speaker, lines, ...times }) => {
    const voice = speaker === '' ? '' : `<v ${escapeMarkup(speaker)}>`;
    return `${formatTiming(times, '.')}\n${voice}${lines.map(escapeMarkup).join('\n')}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** What WebVTT takes for markup, as the entities that stand for it; `-->` is gone with it. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * A transcript (specification, 2.9) as SubRip, with the name of a speaker before the first words after another.
 * Throws `failed` where a word has no time.
 */
export function formatSrt(transcript: unknown): string {
  const cues = cuesOf(transcript, { text: replaceMarkup, names: true });
  return cues
    .map(({ lines, ...times }, index) => `${index + 1}\n${formatTiming(times, ',')}\n${lines.join('\n')}\n`)
    .join('\n');
}

/** SubRip has no way to write what it takes for markup: a character that looks alike stands for it. */
function replaceMarkup(text: string): string {
  return text
    .replaceAll('-->', '→')
    .replace(/<(?=[/a-z\d])/gi, '‹')
    .replace(/\{(?=\\)/g, '(');
}

function formatTiming({ start, end }: Pick<Cue, 'start' | 'end'>, point: ',' | '.'): string {
  return `${formatTimestamp(start, point)} --> ${formatTimestamp(end, point)}`;
}

/** Milliseconds as `00:01:02.345`; of hours there may be more digits. */
function formatTimestamp(milliseconds: number, point: ',' | '.'): string {
  const digits = (value: number, count = 2) => String(value).padStart(count, '0');
  const seconds = Math.floor(milliseconds / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${clock.map((part) => digits(part)).join(':')}${point}${digits(milliseconds % 1000, 3)}`;
}

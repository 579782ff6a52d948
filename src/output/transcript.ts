import { fieldsOf } from './columns.ts';

/** One turn of talk as it is read: what is missing is empty. Times are seconds from the recording's start. */
export interface ReadTurn {
  readonly speaker: string;
  readonly text: string;
  readonly start: number | undefined;
}

/** The turns of a transcript (specification, 2.9); one in which nothing is said is left out. */
export function turnsOf(transcript: unknown): ReadTurn[] {
  if (!Array.isArray(transcript)) return [];
  const turns = transcript.map((item) => {
    const { participant, words } = fieldsOf(item);
    const list = Array.isArray(words) ? words.map(fieldsOf) : [];
    const start = fieldsOf(list[0]?.start_timestamp).relative;
    return {
      speaker: oneLine(String(fieldsOf(participant).name ?? '')),
      text: joined(list.map(({ text }) => String(text ?? ''))),
      start: typeof start === 'number' ? start : undefined,
    };
  });
  return turns.filter(({ text }) => text !== '');
}

/** A transcript as plain text: a paragraph for each turn, with its time where that is asked for. */
export function transcriptText(transcript: unknown, { timestamps = false } = {}): string {
  return turnsOf(transcript)
    .map(({ speaker, text, start }) => {
      const time = timestamps && start !== undefined ? `[${clock(start)}] ` : '';
      return `${time}${speaker || 'Unknown speaker'}: ${text}\n`;
    })
    .join('\n');
}

/** Seconds as `mm:ss`, from an hour on as `h:mm:ss`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** Scripts that are written without spaces between words, with their punctuation and wide forms. */
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}…\uff01-\uff60]/u;

/** Words as running text: with spaces, but none between two words of a script that has none. */
export function joined(words: readonly string[]): string {
  let text = '';
  // The word before is kept: to look at the end of the text would copy all of it for every word.
  let last = '';
  for (const word of words) {
    const next = oneLine(word);
    if (next === '') continue;
    const before = Array.from(last.slice(-2)).at(-1) ?? '';
    const after = Array.from(next.slice(0, 2))[0] ?? '';
    const close = last === '' || (unspaced.test(before) && unspaced.test(after));
    text += close ? next : ` ${next}`;
    last = next;
  }
  return text;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

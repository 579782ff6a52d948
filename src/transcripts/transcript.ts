import { Failure } from '../contract/errors.ts';
import { fieldsOf } from '../render/fields.ts';
import { collapseWhitespace, stripUnsafe } from '../render/sanitize.ts';

/** A word as it was sent; a time that is missing is undefined. Times are seconds from the recording's start. */
export interface TimedWord {
  readonly text: string;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** One turn of talk, word by word. The speaker is empty where no name was sent. */
export interface Utterance {
  readonly speaker: string;
  readonly words: readonly TimedWord[];
}

/** One turn of talk as it is read: what is missing is empty. Times are seconds from the recording's start. */
export interface UtteranceText {
  readonly speaker: string;
  readonly text: string;
  readonly start: number | undefined;
}

/** What a turn without a name is said by. */
export const unknownSpeaker = 'Unknown speaker';

/** The turns of a transcript (specification, 2.9), as far as it is one: nothing in it is trusted to be there. */
export function parseTranscript(transcript: unknown): Utterance[] {
  return Array.isArray(transcript) ? transcript.map(parseUtterance) : [];
}

/** One item of a transcript. */
export function parseUtterance(item: unknown): Utterance {
  const { speaker, words } = readUtterance(item);
  return { speaker, words: words.map(parseWord) };
}

/** Who speaks in one item of a transcript, and the words as they were sent. */
function readUtterance(item: unknown): { readonly speaker: string; readonly words: readonly unknown[] } {
  const { participant, words } = fieldsOf(item);
  return {
    speaker: collapseWhitespace(String(fieldsOf(participant).name ?? '')),
    words: Array.isArray(words) ? words : [],
  };
}

function parseWord(word: unknown): TimedWord {
  const { start_timestamp, end_timestamp } = fieldsOf(word);
  return { text: readWordText(word), start: readOffset(start_timestamp), end: readOffset(end_timestamp) };
}

/** What a word says. It is not copied as `fieldsOf` does: an hour has nine thousand of them. */
function readWordText(word: unknown): string {
  const text = typeof word === 'object' && word !== null && 'text' in word ? word.text : undefined;
  return String(text ?? '');
}

function readOffset(timestamp: unknown): number | undefined {
  const { relative } = fieldsOf(timestamp);
  return typeof relative === 'number' && Number.isFinite(relative) ? relative : undefined;
}

/** The turns of a transcript as they are read; one in which nothing is said is left out. */
export function toUtteranceTexts(transcript: unknown): UtteranceText[] {
  const turns = Array.isArray(transcript) ? transcript.map(readUtterance) : [];
  return turns
    .map(({ speaker, words }) => ({
      speaker,
      text: joinWords(words.map(readWordText)),
      // Of the other words no time is shown.
      start: parseWord(words[0]).start,
    }))
    .filter(({ text }) => text !== '');
}

/** A name by which speakers are told apart: without regard to case. */
export function toSpeakerKey(name: string): string {
  return (collapseWhitespace(name) || unknownSpeaker).normalize('NFC').toLowerCase();
}

/** The complaint about a word without a time, in the turn of an index. `who` needs it. */
export function missingTimeFailure(who: string, text: string, turn: number): Failure {
  const word = Array.from(stripUnsafe(text)).slice(0, 40).join('');
  return new Failure('failed', `${who} the time of every word, and "${word}" in turn ${turn + 1} has none.`);
}

/** A transcript as plain text: a paragraph for each turn, with its time where that is asked for. */
export function formatTranscript(transcript: unknown, { timestamps = false } = {}): string {
  return toUtteranceTexts(transcript)
    .map(({ speaker, text, start }) => {
      const time = timestamps && start !== undefined ? `[${formatClock(start)}] ` : '';
      return `${time}${speaker || unknownSpeaker}: ${text}\n`;
    })
    .join('\n');
}

/** Seconds as `mm:ss`, from an hour on as `h:mm:ss`. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** Scripts that are written without spaces between words, with their punctuation and wide forms. */
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}…\uff01-\uff60]/u;

/** Words as running text: with spaces, but none between two words of a script that has none. */
export function joinWords(words: readonly string[]): string {
  const spaced = collapseWhitespace(words.join(' '));
  if (!isUnspaced(spaced)) return spaced;
  let text = '';
  // The word before is kept: to look at the end of the text would copy all of it for every word.
  let last = '';
  for (const word of words) {
    const next = collapseWhitespace(word);
    if (next === '') continue;
    text += findGap(last, next) + next;
    last = next;
  }
  return text;
}

/**
 * What stands between a word and the next: a space, or nothing. Not to be asked of a text that grows: its end costs
 * all of it.
 */
export function findGap(text: string, next: string): '' | ' ' {
  const before = Array.from(text.slice(-2)).at(-1) ?? '';
  const after = Array.from(next.slice(0, 2))[0] ?? '';
  return text === '' || (isUnspaced(before) && isUnspaced(after)) ? '' : ' ';
}

/** Whether a text has characters of a script that is written without spaces. */
export function isUnspaced(text: string): boolean {
  return unspaced.test(text);
}
